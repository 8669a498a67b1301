import { Problem } from '../errors.ts';
import type { Crs } from '../geo/crs/find-crs.ts';
import type { MultiPolygon, Polygon, Position } from '../geo/geometry.ts';
import { findRingFault, type RingFaultKind } from '../geo/rings/ring-validity.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import { chooseParcel, type ChosenParcel } from './choose-parcel.ts';
import type { ParcelsAt, ParcelSource, Parcel } from './parcel.ts';
import { parcelWarning, type ParcelWarning } from './warnings.ts';
import { round } from '../geo/round.ts';
import { reprojectPolygon } from '../geo/crs/reproject-polygon.ts';
import { firstAnswer } from '../first-answer.ts';

/** What is said of a parcel. Every property is always there, so that none of the input can pass for it. */
interface ParcelProperties {
  /** Longitude and latitude as they came; null where no two numbers came. */
  readonly input_point: LonLat | null;
  /** Null where no parcel dataset covers the place. */
  readonly source: 'parcels' | null;
  readonly parcel_id: string | null;
  readonly jurisdiction: string | null;
  /** What the cadastre says of it. */
  readonly attributes: Readonly<Record<string, unknown>> | null;
  /** Geodesic, holes taken off; 4 decimals. */
  readonly area_ha: number | null;
  /** Geodesic, holes included; 1 decimal. */
  readonly perimeter_m: number | null;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  /** When a live service gave the answer, ISO 8601; null for data of the installation. */
  readonly retrieved_at: string | null;
  /** True when the dataset was generated and describes no real place. */
  readonly synthetic: boolean;
  readonly warnings: readonly ParcelWarning[];
}

export interface ParcelAnswer {
  /** In the output CRS; null when there is no parcel, which `warnings` explain. */
  readonly geometry: Polygon | MultiPolygon | null;
  readonly properties: ParcelProperties;
  /** Whether the place lies outside every footprint, so that a forest fallback may answer. */
  readonly isOutside: boolean;
}

export interface FindParcelOptions {
  /** CRS of the returned geometry. */
  readonly crs: Crs;
  /** Milliseconds all of it may take. */
  readonly timeoutMs: number;
  /** Aborts the search; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called with every source that failed, for the log. */
  readonly reportFailure?: (dataset: string, error: unknown) => void;
}

/** Why a source did not answer, for the warning. */
interface Failure {
  readonly reason: string;
}

/**
 * The parcel that holds a place in degrees. Of the sources whose footprint holds the place the first with a parcel answers,
 * so that the edge of a footprint that reaches a little too far hides no neighbour. Inside a footprint without a parcel
 * there is none; a source that failed is passed over, and reported.
 *
 * Never rejects for a place or a source.
 */
export async function findParcel(
  point: LonLat,
  sources: readonly ParcelSource[],
  options: FindParcelOptions,
): Promise<ParcelAnswer> {
  const covering = sources.filter((source) => source.covers(point[0], point[1]));
  if (covering.length === 0) return noParcel(point, parcelWarning('outside_parcel_footprint'), null);
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const failures: Failure[] = [];
  let empty: Found | null = null;
  const parcel = await firstAnswer(covering, async (source) => {
    const found = await query(source, point, deadline, options);
    if ('reason' in found) failures.push(found);
    else if (found.chosen !== null) return answer(point, found, found.chosen, failures, options.crs);
    else if (found.at.isCut)
      failures.push({ reason: `${source.dataset.id}: it holds more parcels there than are read` });
    else empty ??= found;
    return null;
  });
  if (parcel !== null) return parcel;
  const [failure] = failures;
  // What a failed source would have said is not known: the place may lie in one of its parcels.
  if (failure !== undefined) return noParcel(point, parcelWarning('source_unavailable', { ...failure }), covering[0]);
  const [{ jurisdiction }] = covering;
  return noParcel(point, parcelWarning('no_parcel', { jurisdiction }), covering[0], empty);
}

/** The answer where there is no parcel; `source` null outside every footprint. */
export function noParcel(
  inputPoint: LonLat | null,
  warning: ParcelWarning,
  source: ParcelSource | null,
  found: Found | null = null,
): ParcelAnswer {
  return {
    geometry: null,
    isOutside: warning.code === 'outside_parcel_footprint',
    properties: {
      input_point: inputPoint,
      source: source === null ? null : 'parcels',
      parcel_id: null,
      jurisdiction: source?.jurisdiction ?? null,
      attributes: null,
      area_ha: null,
      perimeter_m: null,
      dataset: source?.dataset.id ?? null,
      dataset_version: found?.at.version ?? source?.dataset.version ?? null,
      retrieved_at: found?.at.retrievedAt ?? null,
      synthetic: source?.dataset.synthetic ?? false,
      warnings: [warning, ...(found === null ? [] : sourceWarnings(found))],
    },
  };
}

interface Found {
  readonly source: ParcelSource;
  readonly at: ParcelsAt;
  readonly chosen: ChosenParcel | null;
}

async function query(
  source: ParcelSource,
  point: LonLat,
  deadline: AbortSignal,
  { signal, timeoutMs, reportFailure }: FindParcelOptions,
): Promise<Found | Failure> {
  try {
    deadline.throwIfAborted();
    const at = await source.near(point[0], point[1], AbortSignal.any([signal, deadline]));
    return { source, at, chosen: chooseParcel(at.parcels, point) };
  } catch (error) {
    signal.throwIfAborted();
    reportFailure?.(source.dataset.id, error);
    if (error instanceof Problem) return { reason: `${source.dataset.id}: ${error.message}` };
    const late = deadline.aborted ? `no answer within ${timeoutMs} ms` : 'its data could not be read';
    return { reason: `${source.dataset.id}: ${late}` };
  }
}

function answer(
  point: LonLat,
  found: Found,
  chosen: ChosenParcel,
  failures: readonly Failure[],
  crs: Crs,
): ParcelAnswer {
  const { source, at } = found;
  const { parcel, area, perimeter } = chosen;
  const geometry = parcelGeometry(parcel, crs);
  const warnings = [
    ...(geometry === null ? [parcelWarning('outside_crs', { crs: crs.name })] : []),
    ...chosen.warnings,
    ...failures.map(({ reason }) => parcelWarning('other_source_failed', { reason })),
    ...faultOf(chosen),
    ...sourceWarnings(found),
  ];
  return {
    geometry,
    isOutside: false,
    properties: {
      input_point: point,
      source: 'parcels',
      parcel_id: parcel.id,
      jurisdiction: source.jurisdiction,
      attributes: parcel.attributes,
      area_ha: Math.round(area) / 10_000,
      perimeter_m: round(perimeter, 1),
      dataset: source.dataset.id,
      dataset_version: at.version ?? source.dataset.version,
      retrieved_at: at.retrievedAt ?? null,
      synthetic: source.dataset.synthetic,
      warnings,
    },
  };
}

function sourceWarnings({ source: { dataset }, at }: Found): ParcelWarning[] {
  return [
    ...(at.isCut ? [parcelWarning('more_parcels', { dataset: dataset.id })] : []),
    ...(at.note === undefined ? [] : [parcelWarning('kept_answer', { note: at.note })]),
    ...(dataset.synthetic ? [parcelWarning('synthetic_data', { dataset: dataset.id })] : []),
  ];
}

const RING_FAULTS = {
  short_ring: 'a ring has fewer than 3 different positions',
  crossing: 'it crosses itself',
  overlap: 'it runs twice along the same line',
  self_touch: 'it touches itself',
  hole_outside: 'a hole lies outside it',
  hole_in_hole: 'a hole lies in another hole',
  disconnected_interior: 'holes cut it into pieces',
} as const satisfies Record<RingFaultKind, string>;

function faultOf({ parcel }: ChosenParcel): ParcelWarning[] {
  for (const rings of parcel.polygons) {
    const fault = findRingFault(rings);
    if (fault === null) continue;
    const reason = `${RING_FAULTS[fault.kind]} at [${fault.at.join(', ')}]`;
    return [parcelWarning('invalid_parcel_geometry', { reason })];
  }
  return [];
}

/**
 * A parcel as GeoJSON in a CRS, exterior rings counter-clockwise and holes clockwise (RFC 7946): a Polygon, or a
 * MultiPolygon when it has several parts. In EPSG:4326 the coordinates are those of the source to the last bit. Null where
 * the CRS does not reach the parcel.
 */
function parcelGeometry({ polygons }: Pick<Parcel, 'polygons'>, crs: Crs): Polygon | MultiPolygon | null {
  const projected: Polygon[] = [];
  for (const rings of polygons) {
    const polygon = reprojectPolygon(toPolygon(rings), crs);
    if (polygon === null) return null;
    projected.push(polygon);
  }
  if (projected.length === 1) return projected[0];
  return { type: 'MultiPolygon', coordinates: projected.map(({ coordinates }) => coordinates) };
}

function toPolygon(rings: readonly Float64Array[]): Polygon {
  return { type: 'Polygon', coordinates: rings.map((ring, r) => positions(ring, r === 0)) };
}

function positions(ring: Float64Array, counterClockwise: boolean): Position[] {
  const out: Position[] = Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
  return isCounterClockwise(ring) === counterClockwise ? out : out.toReversed();
}

function isCounterClockwise(ring: Float64Array): boolean {
  const [x, y] = ring;
  let twice = 0;
  for (let i = 0; i + 3 < ring.length; i += 2)
    twice += (ring[i] - x) * (ring[i + 3] - y) - (ring[i + 2] - x) * (ring[i + 1] - y);
  return twice > 0;
}
