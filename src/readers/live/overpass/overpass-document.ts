import { ByteSourceError } from '../../io/byte-error.ts';

/** A position, or null where the geometry was cut. */
export type OverpassVertex = { readonly lat: number; readonly lon: number } | null;

export interface OverpassElement {
  readonly type: 'node' | 'way' | 'relation';
  readonly id: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Lines of the element with their role: one without role for a way, one for each member of a relation, none for a node. */
  readonly lines: readonly { readonly role: string; readonly vertices: readonly OverpassVertex[] }[];
  /** The place of a node. */
  readonly at: OverpassVertex;
}

export interface OverpassDocument {
  readonly elements: readonly OverpassElement[];
  /** Day of the data, as `2026-11-21`; null when the server does not say. */
  readonly dataDay: string | null;
}

/**
 * Reads an answer of Overpass. A server that gives up half-way answers with status 200, the elements it had and a
 * `remark`: that is a failure, because what is missing would pass for absent.
 */
export function readOverpass(name: string, body: unknown): OverpassDocument {
  const { elements, remark, osm3s } = body as { elements?: unknown; remark?: unknown; osm3s?: unknown };
  if (remark !== undefined) throw new ByteSourceError('refused', name, remarkWords(String(remark)), { cause: remark });
  if (!Array.isArray(elements)) throw new TypeError('wanted a list of elements');
  const day = (osm3s as { timestamp_osm_base?: unknown } | undefined)?.timestamp_osm_base;
  return {
    elements: elements.map(readElement).filter((element) => element !== null),
    dataDay: typeof day === 'string' && /^\d{4}-\d\d-\d\dT/.test(day) ? day.slice(0, 10) : null,
  };
}

function remarkWords(remark: string): string {
  if (/timed out/i.test(remark)) return 'gave up the query after its time limit';
  if (/out of memory/i.test(remark)) return 'gave up the query for lack of memory';
  return 'gave up the query with an error';
}

/** Null for what has no place, such as a member without geometry; throws for what is no element at all. */
function readElement(value: unknown): OverpassElement | null {
  const { type, id, tags, lat, lon, geometry, members } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'number' || typeof type !== 'string') throw new TypeError('wanted an element with type and id');
  const common = { id, tags: readTags(tags) };
  if (type === 'node') return { ...common, type, lines: [], at: readVertex({ lat, lon }) };
  if (type === 'way') {
    if (!Array.isArray(geometry)) return null;
    return { ...common, type, lines: [{ role: '', vertices: geometry.map(readVertex) }], at: null };
  }
  if (type !== 'relation' || !Array.isArray(members)) return null;
  const lines = members.flatMap((member: { readonly role?: unknown; readonly geometry?: unknown }) =>
    Array.isArray(member.geometry)
      ? [{ role: String(member.role ?? ''), vertices: member.geometry.map(readVertex) }]
      : [],
  );
  return { ...common, type, lines, at: null };
}

function readTags(tags: unknown): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null) return {};
  return Object.fromEntries(Object.entries(tags).filter(([, value]) => typeof value === 'string'));
}

function readVertex(value: unknown): OverpassVertex {
  if (value === null) return null;
  const { lat, lon } = value as { lat?: unknown; lon?: unknown };
  if (typeof lat !== 'number' || typeof lon !== 'number' || !(Math.abs(lat) <= 90) || !(Math.abs(lon) <= 180))
    throw new TypeError('wanted a position with lat and lon');
  return { lat, lon };
}
