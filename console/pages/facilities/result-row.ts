import { isLocated } from '../../map/is-located.ts';
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

/**
 * What a result is shown as: its level, or `unverified` where so little was assessed that the level says what is not known
 * rather than what the place is.
 */
export const LEVELS = ['high', 'medium', 'low', 'unverified', 'invalid'] as const;
export type Level = (typeof LEVELS)[number];

/** The groups that rows are counted in, each row in exactly one: its level, or why it has none. */
export const ROW_GROUPS = [...LEVELS, 'plot', 'unprocessed'] as const;
export type RowGroup = (typeof ROW_GROUPS)[number];

/** The group of a row. */
export function groupOf({ level, type, isProcessed }: Pick<ResultRow, 'level' | 'type' | 'isProcessed'>): RowGroup {
  if (level !== null) return level;
  return type === 'plot' && isProcessed ? 'plot' : 'unprocessed';
}

/** What the table and the map need of one result; the rest stays with the worker. */
export interface ResultRow {
  /** Position in the results, from 0. */
  readonly index: number;
  /** Its row as the spreadsheet shows it; in files without rows its number, from 1. */
  readonly row: number;
  readonly id: string;
  readonly name: string;
  readonly type: 'facility' | 'plot';
  /** Its English name, and its ISO code. */
  readonly country: string;
  readonly countryCode: string;
  readonly supplier: string;
  readonly commodity: string;
  readonly isProcessed: boolean;
  /** Null for plots and for what was not processed. */
  readonly level: Level | null;
  readonly score: number | null;
  /** The lowest and the highest score that what is not known allows; null where nothing is open. */
  readonly range: readonly [lowest: number, highest: number] | null;
  /** First letter of the status of each indicator, `-` where nothing is said. */
  readonly indicators: string;
  /** Codes. */
  readonly warnings: readonly string[];
  /** Middle of its bounds; null where no place is known. */
  readonly lon: number | null;
  readonly lat: number | null;
  /** Whether that is a place, and not what stands for a missing one or for a whole region. */
  readonly isPlaced: boolean;
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
  const level = shownLevel(properties['confidence_level'], properties['confidence_basis']);
  return {
    index,
    row: typeof properties['source_row'] === 'number' ? properties['source_row'] : index + 1,
    id: text(feature.id ?? properties['location_id']),
    name: text(properties['facility_name'] ?? properties['name']),
    type: properties['location_type'] === 'plot' ? 'plot' : 'facility',
    country: text(properties['country']),
    countryCode: text(properties['country_code']),
    supplier: text(properties['supplier_name']),
    commodity: text(properties['commodity_type']),
    isProcessed: (properties['processing'] ?? 'processed') === 'processed',
    level,
    score: level === null || level === 'invalid' ? null : Number(properties['confidence_score'] ?? 0),
    range: openRange(properties['confidence_range']),
    indicators: INDICATORS.map((name) => statuses.get(name)?.[0] ?? '-').join(''),
    warnings: [...new Set(properties.warnings?.map(({ code }) => code))],
    lon: at?.[0] ?? null,
    lat: at?.[1] ?? null,
    isPlaced: isLocated(at, properties['geocode_precision']),
  };
}

/** The level of a result, or `unverified` in its place; null where there is none. */
export function shownLevel(level: unknown, basis: unknown): Level | null {
  const known = LEVELS.find((each) => each === level) ?? null;
  return basis === 'unverified' && known !== null && known !== 'invalid' ? 'unverified' : known;
}

/** A range of two different ends; null for a score that nothing can change, and for results of older versions. */
export function openRange(range: unknown): ResultRow['range'] {
  const { lowest, highest } = (range ?? {}) as { lowest?: number; highest?: number };
  return lowest === undefined || highest === undefined || lowest === highest ? null : [lowest, highest];
}

function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
