import { isExactNumber } from '../geo/parse-json.ts';
import type { Indicator } from './evidence/evidence.ts';
import type { ConfidenceRange, FacilityResult, ValidatedFacility } from './result.ts';

type Cell = string | number | boolean | null | undefined;

/** The computed properties that are plain values, in the order of the table. */
const PLAIN = [
  'location_type',
  'facility_name',
  'country',
  'country_code',
  'commodity_type',
  'commodity_presence',
  'poi_presence',
  'high_density',
  'building_presence',
  'building_class',
  'road_access',
  'water_access',
  'port_proximity',
  'producer_confirmation_score',
  'producer_confirmed',
  'producer_confirmation_comment',
  'aggregation_comment',
  'confidence_score',
  'confidence_level',
  'evidence_coverage',
  'confidence_basis',
  'primary_warning',
  'confidence_comment',
] as const satisfies readonly (keyof FacilityResult)[];

/** What columns say of an indicator. Nobody looked where its status is unknown, and 0, `none` or `false` would say that nothing is there. */
const INDICATOR_OF = {
  commodity_presence: 'commodity_presence',
  poi_presence: 'poi_presence',
  high_density: 'high_density',
  building_presence: 'building_presence',
  building_class: 'building_presence',
  road_access: 'road_access',
  water_access: 'water_access',
  port_proximity: 'port_proximity',
  producer_confirmation_score: 'producer_confirmation',
  producer_confirmed: 'producer_confirmation',
} as const satisfies Partial<Record<(typeof PLAIN)[number], Indicator>>;

/** Those that are lists; a cell holds them as JSON text. */
const NESTED = ['warnings', 'evidence'] as const satisfies readonly (keyof FacilityResult)[];

/** The range as two numbers, which a spreadsheet can sort by; empty without a score. */
export const RANGE_COLUMNS = {
  confidence_lowest: 'lowest',
  confidence_highest: 'highest',
} as const satisfies Record<string, keyof ConfidenceRange>;
const RANGE_HEADER = Object.keys(RANGE_COLUMNS) as readonly (keyof typeof RANGE_COLUMNS)[];

const COMPUTED: ReadonlySet<string> = new Set([
  ...PLAIN,
  ...NESTED,
  'confidence_range',
  // The sentences stand in columns of their own.
  'messages',
] satisfies (keyof FacilityResult)[]);

/**
 * Results as a table: id, every computed property, the geometry as GeoJSON text, and the input's own other properties
 * together as JSON text in `input_properties`, because a streamed table cannot learn of a column half-way. What nobody
 * looked at is empty, unlike in JSON, where the contract wants a number and `evidence` says that it is unknown. Cells are raw
 * values: quoting, and defusing text that a spreadsheet would run as a formula, belong to whoever writes the text.
 */
export const facilityColumns = {
  header: ['id', ...PLAIN, ...RANGE_HEADER, ...NESTED, 'geometry', 'input_properties'] as readonly string[],

  /** As many cells as the header has names. */
  row({ id, geometry, properties }: ValidatedFacility): readonly Cell[] {
    const cells: Cell[] = [isExactNumber(id) ? id.rawJSON : id];
    const looked = new Set(
      properties.evidence.flatMap(({ indicator, status }) => (status === 'unknown' ? [] : [indicator])),
    );
    for (const name of PLAIN) cells.push(isKnown(name, properties, looked) ? properties[name] : undefined);
    cells.push(...rangeCells(properties.confidence_range));
    for (const name of NESTED) cells.push(JSON.stringify(properties[name]));
    cells.push(JSON.stringify(geometry), inputProperties(properties));
    return cells;
  },
};

function isKnown(
  name: (typeof PLAIN)[number],
  { confidence_level: level }: FacilityResult,
  looked: ReadonlySet<Indicator>,
): boolean {
  if (name === 'confidence_score') return level !== 'invalid';
  return name in INDICATOR_OF ? looked.has(INDICATOR_OF[name as keyof typeof INDICATOR_OF]) : true;
}

/** The cells of `RANGE_COLUMNS`. */
export function rangeCells(range: ConfidenceRange | null | undefined): readonly (number | undefined)[] {
  return RANGE_HEADER.map((name) => range?.[RANGE_COLUMNS[name]]);
}

function inputProperties(properties: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(properties).filter(([name]) => !COMPUTED.has(name))));
}
