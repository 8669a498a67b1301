import { middleOf } from '../../map/middle-of.ts';
import type { ResultColumns } from '../../parts/files/chosen-rows.ts';
import { cellOf, type Cell } from '../../parts/files/table-file.ts';
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

/** Fields that are about an indicator of another name. */
const INDICATOR_OF: Readonly<Record<string, string>> = {
  building_class: 'building_presence',
  producer_confirmed: 'producer_confirmation',
  producer_confirmation_score: 'producer_confirmation',
};

/**
 * Results as a table: what decides the score, the status and penalty of each indicator, and the warnings. What nobody looked at is
 * empty: 0, `none` and `false` would say that nothing is there.
 */
export const facilityColumns: ResultColumns<Feature> = {
  header: [
    'id',
    'longitude',
    'latitude',
    ...FIELDS,
    'confidence_lowest',
    'confidence_highest',
    ...INDICATORS.flatMap((name) => [`${name}_status`, `${name}_penalty`]),
    'warnings',
  ],
  cells,
  rowOf: ({ properties }, index) => Number(properties['source_row'] ?? index + 1),
};

function cells({ id, geometry, properties }: Feature): readonly Cell[] {
  const evidence = (properties['evidence'] ?? []) as { indicator: string; status: string; penalty: number }[];
  const warnings = (properties['warnings'] ?? []) as { code: string }[];
  const range = properties['confidence_range'] as { lowest: number; highest: number } | null | undefined;
  const [lon, lat] = middleOf(geometry) ?? [null, null];
  const isInvalid = properties['confidence_level'] === 'invalid';
  const unknown = new Set<string>(
    isInvalid ? INDICATORS : evidence.flatMap(({ indicator, status }) => (status === 'unknown' ? [indicator] : [])),
  );
  const isKnown = (name: string): boolean =>
    name === 'confidence_score' ? !isInvalid : !unknown.has(INDICATOR_OF[name] ?? name);
  return [
    cellOf(id ?? properties['location_id']),
    lon,
    lat,
    ...FIELDS.map((name) => (isKnown(name) ? cellOf(properties[name]) : null)),
    range?.lowest,
    range?.highest,
    ...INDICATORS.flatMap((name) => {
      const found = evidence.find(({ indicator }) => indicator === name);
      return [found?.status, found?.penalty];
    }),
    warnings.map(({ code }) => code).join(' '),
  ];
}
