import { middleOf } from '../../map/middle-of.ts';
/** The indicators of a receipt, in its order. A row has one letter for each. */
export const INDICATORS = [
  'country',
  'latitude',
  'commodity_presence',
  'poi_presence',
  'building_presence',
  'road_access',
  'water_access',
  'port_proximity',
  'high_density',
  'producer_confirmation',
] as const;
export type Indicator = (typeof INDICATORS)[number];

export const STATUSES = ['present', 'absent', 'unknown'] as const;
export type Status = (typeof STATUSES)[number];

export const LEVELS = ['high', 'medium', 'low', 'invalid'] as const;
export type Level = (typeof LEVELS)[number];

/** What the table and the map need of one result; the rest stays with the worker. */
export interface ResultRow {
  /** Position in the file, from 0. */
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly type: 'facility' | 'plot';
  readonly country: string;
  readonly commodity: string;
  /** Null for plots and for what was not processed. */
  readonly level: Level | null;
  readonly score: number | null;
  /** First letter of the status of each indicator, `-` where nothing is said. */
  readonly indicators: string;
  /** Codes. */
  readonly warnings: readonly string[];
  /** Middle of its bounds; null where no place is known. */
  readonly lon: number | null;
  readonly lat: number | null;
}

interface Properties {
  readonly [name: string]: unknown;
  readonly evidence?: readonly { readonly indicator: string; readonly status: string }[];
  readonly warnings?: readonly { readonly code: string }[];
}

interface ResultFeature {
  readonly id?: unknown;
  readonly geometry: { readonly coordinates?: unknown; readonly geometries?: readonly unknown[] } | null;
  readonly properties: Properties;
}

/** The row of one result feature. */
export function resultRow(feature: ResultFeature, index: number): ResultRow {
  const { properties } = feature;
  const statuses = new Map(properties.evidence?.map(({ indicator, status }) => [indicator, status]));
  const at = middleOf(feature.geometry);
  const level = LEVELS.find((known) => known === properties['confidence_level']) ?? null;
  return {
    index,
    id: text(feature.id ?? properties['location_id']),
    name: text(properties['facility_name'] ?? properties['name']),
    type: properties['location_type'] === 'plot' ? 'plot' : 'facility',
    country: text(properties['country']),
    commodity: text(properties['commodity_type']),
    level,
    score: level === null || level === 'invalid' ? null : Number(properties['confidence_score'] ?? 0),
    indicators: INDICATORS.map((name) => statuses.get(name)?.[0] ?? '-').join(''),
    warnings: [...new Set(properties.warnings?.map(({ code }) => code))],
    lon: at?.[0] ?? null,
    lat: at?.[1] ?? null,
  };
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
