import type { Dataset } from '../catalogue/dataset.ts';
import { createShared } from '../io/share.ts';

/** What an entry of the catalogue with the role `parcels` says in `options`. */
export interface ParcelOptions {
  /** Such as `CA-BC` or `US-WI-025`. */
  readonly jurisdiction: string;
  /** Column with the identifier of a parcel. */
  readonly idField: string;
  /** Column that holds all attributes as one JSON object, as in packs; null: every column is one. */
  readonly attributesField: string | null;
  /** Of a service: the name of its layer. */
  readonly typeName: string;
  /** Of a service: EPSG code of the queries. */
  readonly crs: string;
}

/** A country and its divisions, as ISO 3166 and national codes have them. */
const JURISDICTION = /^[A-Z]{2}(-[A-Z0-9]{1,6}){0,3}$/;

export function isJurisdiction(text: string): boolean {
  return JURISDICTION.test(text);
}

/** Reads the options of an entry; throws a sentence that names the field, what was wanted and what came. */
export function parcelOptions({ id, kind, options }: Pick<Dataset, 'id' | 'kind' | 'options'>): ParcelOptions {
  const text = (name: string, fallback: string | null, wanted: string): string => {
    const value = options[name] ?? fallback;
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`${id}: options.${name}: wanted ${wanted}, got ${JSON.stringify(value ?? null)}`);
  };
  const jurisdiction = text('jurisdiction', null, 'a jurisdiction such as "CA-BC" or "US-WI-025"');
  if (!isJurisdiction(jurisdiction))
    throw new Error(
      `${id}: options.jurisdiction: wanted one such as "CA-BC" or "US-WI-025", got ${JSON.stringify(jurisdiction)}`,
    );
  const attributes = options['attributesField'] ?? null;
  return {
    jurisdiction,
    idField: text('idField', null, 'the name of the column with the identifier of a parcel'),
    attributesField: attributes === null ? null : text('attributesField', null, 'the name of a column'),
    typeName: kind === 'service' ? text('typeName', null, 'the name of the layer of the WFS') : '',
    crs: text('crs', 'EPSG:4326', 'an EPSG code'),
  };
}

/** Largest GeoJSON file of parcels that is held in memory, in bytes. */
export const MAX_GEOJSON_BYTES = 50_000_000;
/** Parcels that are read of one answer of a WFS. */
export const MOST_WFS_PARCELS = 200;

/** Opens something when it is first needed, once for all callers; a failure, or everybody's leaving, is forgotten. */
export function openedOnce<T>(open: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  const shared = createShared<T>();
  let held: { readonly value: T } | null = null;
  return async (signal) => {
    if (held !== null) return held.value;
    return await shared('', signal, async (inner) => {
      const value = await open(inner);
      held = { value };
      return value;
    });
  };
}
