import type { Answer } from '../../../api/client.ts';
import { middleOf } from '../../../map/middle-of.ts';
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
  /** Place in the file, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly type: 'plot' | 'facility';
  readonly country: string;
  readonly commodity: string;
  /** Null where nothing was measured. */
  readonly result: Result | null;
  /** Hectares; null: unknown. */
  readonly areaHa: number | null;
  readonly lostHa: number | null;
  readonly confidence: PlotFeature['properties']['location_confidence'];
  /** What a search looks in, in small letters. */
  readonly searched: string;
  /** Middle of its bounds; null where no place is known. */
  readonly lon: number | null;
  readonly lat: number | null;
}

/** The row of a location. */
export function plotRow({ id, geometry, properties: p }: PlotFeature): PlotRow {
  const at = middleOf(geometry);
  const words = {
    id: text(id ?? p['location_id']),
    name: text(p['name'] ?? p['facility_name']),
    country: text(p['country']),
    commodity: text(p['commodity_type']),
  };
  return {
    index: p.location_number,
    ...words,
    type: p.location_type === 'facility' ? 'facility' : 'plot',
    result: RESULTS.find((result) => result === p.eudr_status) ?? null,
    areaHa: numberOr(p.area_ha),
    lostHa: numberOr(p.noncompliance_area_ha),
    confidence: p.location_confidence,
    searched: Object.values(words).join(' ').toLowerCase(),
    lon: at?.[0] ?? null,
    lat: at?.[1] ?? null,
  };
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
