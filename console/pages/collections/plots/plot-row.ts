import type { Answer } from '../../../api/client.ts';
import type { FeatureCollection, Geometry } from 'geojson';
import { boundsOf } from '../../../map/bounds-of.ts';
import { isLocated } from '../../../map/is-located.ts';
import { middleOf } from '../../../map/middle-of.ts';
import { isUnread } from '../../../parts/unread/unread-rows.ts';
import { doubtsOf } from './doubts.ts';
import { GROUPS, type Group } from './groups.ts';
import { RESULTS, type Result } from './result-status.ts';

type CheckFeature = Answer<'fetchDeforestationCheck'>['features'][number];

/** A location as a fetch address gives it. What is measured is missing where the collection was not. */
export type PlotFeature = Omit<CheckFeature, 'properties'> & {
  readonly properties: Pick<
    CheckFeature['properties'],
    'location_number' | 'location_type' | 'location_confidence' | 'problem'
  > &
    Partial<CheckFeature['properties']> &
    Readonly<Record<string, unknown>>;
};

/** What the table and the map need of one location; the rest stays with the worker. */
export interface PlotRow {
  /** Place in the collection, from 0. */
  readonly index: number;
  /** Its row as the spreadsheet shows it; in files without rows its number, from 1. */
  readonly row: number;
  readonly id: string;
  readonly name: string;
  readonly type: 'plot' | 'facility';
  /** Its English name, and its ISO code. */
  readonly country: string;
  readonly countryCode: string;
  readonly supplier: string;
  readonly commodity: string;
  /** Null where a version of before there were any processed it. */
  readonly group: Group | null;
  /** What one map says; null where nothing was measured. */
  readonly result: Result | null;
  /** Hectares; null: unknown. */
  readonly areaHa: number | null;
  readonly lostHa: number | null;
  readonly confidence: PlotFeature['properties']['location_confidence'];
  /** What keeps it from full confidence, as `doubtsOf` says it. */
  readonly doubts: readonly string[];
  /** Whether its place cannot be read, or is not the one that the file means. */
  readonly isUnread: boolean;
  /** What a search looks in, in small letters. */
  readonly searched: string;
  /** Middle of its bounds; null where no place is known. */
  readonly lon: number | null;
  readonly lat: number | null;
  /** West, south, east and north of its ground; null where its place is not known, or known no better than by region or country. */
  readonly box: readonly [number, number, number, number] | null;
}

/** The row of a location. */
export function plotRow({ id, geometry, properties: p }: PlotFeature): PlotRow {
  const at = middleOf(geometry);
  const words = {
    id: text(id ?? p['location_id']),
    name: text(p['name'] ?? p['facility_name']),
    supplier: text(p['supplier_name']),
    country: text(p['country']),
    commodity: text(p['commodity_type']),
  };
  return {
    index: p.location_number,
    row: rowOf(p),
    ...words,
    countryCode: text(p['country_code']),
    type: p.location_type === 'facility' ? 'facility' : 'plot',
    group: GROUPS.find((group) => group === p.plot_group) ?? null,
    result: RESULTS.find((result) => result === p.eudr_status) ?? null,
    areaHa: numberOr(p.area_ha),
    lostHa: numberOr(p.noncompliance_area_ha),
    confidence: p.location_confidence,
    doubts: doubtsOf(p),
    isUnread: isUnread({ lon: at?.[0] ?? null, warnings: codesIn(p['warnings']) }),
    searched: Object.values(words).join(' ').toLowerCase(),
    lon: at?.[0] ?? null,
    lat: at?.[1] ?? null,
    box: isLocated(at, p['geocode_precision']) ? boundsOf([collectionOf(geometry)]) : null,
  };
}

/** The row of a location in its file, as the audit trail numbers it. */
export function rowOf(properties: PlotFeature['properties']): number {
  return numberOr(properties['source_row']) ?? properties.location_number + 1;
}

function codesIn(warnings: unknown): readonly string[] {
  return Array.isArray(warnings) ? (warnings as readonly { readonly code: string }[]).map(({ code }) => code) : [];
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

function collectionOf(geometry: unknown): FeatureCollection {
  return { type: 'FeatureCollection', features: [{ type: 'Feature', properties: {}, geometry: geometry as Geometry }] };
}
