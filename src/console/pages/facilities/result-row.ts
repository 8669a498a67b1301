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

/** The middle of the bounds of a geometry, or null without one that can be on a map. */
export function middleOf(geometry: ResultFeature['geometry']): readonly [lon: number, lat: number] | null {
  const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number];
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    const [lon, lat] = value as unknown[];
    if (typeof lon !== 'number' || typeof lat !== 'number') return value.forEach(visit);
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  };
  visit(geometry?.coordinates);
  for (const member of geometry?.geometries ?? []) visit((member as { coordinates?: unknown }).coordinates);
  const [lon, lat] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [lon, lat] : null;
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
