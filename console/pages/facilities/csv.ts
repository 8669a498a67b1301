import { middleOf } from '../../map/middle-of.ts';
import { INDICATORS } from './result-row.ts';

interface Feature {
  readonly id?: unknown;
  readonly geometry: Parameters<typeof middleOf>[0];
  readonly properties: Readonly<Record<string, unknown>>;
}

const FIELDS = [
  'location_type',
  'facility_name',
  'country',
  'country_code',
  'commodity_type',
  'confidence_score',
  'confidence_level',
  'evidence_coverage',
  'confidence_basis',
  'primary_warning',
  'commodity_presence',
  'poi_presence',
  'building_presence',
  'building_class',
  'road_access',
  'water_access',
  'port_proximity',
  'high_density',
  'producer_confirmed',
  'producer_confirmation_score',
  'aggregation_comment',
] as const;

/** Results as a table: what decides the score, the status and penalty of each indicator, and the warnings. */
export function csvOf(features: readonly Feature[]): string[] {
  const head = [
    'id',
    'longitude',
    'latitude',
    ...FIELDS,
    'confidence_lowest',
    'confidence_highest',
    ...INDICATORS.flatMap((name) => [`${name}_status`, `${name}_penalty`]),
    'warnings',
  ];
  return [csvLine(head), ...features.map((feature) => csvLine(cells(feature)))];
}

function cells({ id, geometry, properties }: Feature): unknown[] {
  const evidence = (properties['evidence'] ?? []) as { indicator: string; status: string; penalty: number }[];
  const warnings = (properties['warnings'] ?? []) as { code: string }[];
  const range = properties['confidence_range'] as { lowest: number; highest: number } | null | undefined;
  const [lon, lat] = middleOf(geometry) ?? [null, null];
  return [
    id ?? properties['location_id'],
    lon,
    lat,
    ...FIELDS.map((name) => properties[name]),
    range?.lowest,
    range?.highest,
    ...INDICATORS.flatMap((name) => {
      const found = evidence.find(({ indicator }) => indicator === name);
      return [found?.status, found?.penalty];
    }),
    warnings.map(({ code }) => code).join(' '),
  ];
}

/** One line of CSV. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
