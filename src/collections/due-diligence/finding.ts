import type { OfficialCode, OfficialError } from './official-errors.ts';

/** The rules a location is held to: severity, the official number and code where there are some. */
export const RULES = {
  'crossing-lines': { severity: 'error', official: 1, code: 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID' },
  'overlapping-sides': { severity: 'error', official: 2, code: 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID' },
  doughnut: { severity: 'error', official: 3, code: null },
  'open-polygon': { severity: 'error', official: 4, code: 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID' },
  'unsupported-type': { severity: 'error', official: 5, code: null },
  'straight-line': { severity: 'error', official: 6, code: 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID' },
  'repeated-positions': { severity: 'error', official: 7, code: 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID' },
  'unreadable-coordinates': { severity: 'error', official: 8, code: 'EUDR_COMMODITIES_PRODUCER_GEO_INVALID' },
  'out-of-range': { severity: 'error', official: 11, code: null },
  'country-not-iso2': { severity: 'error', official: 12, code: 'EUDR_COMMODITITY_PRODUCER_COUNTRY_CODE_INVALID' },
  'area-as-text': { severity: 'error', official: 14, code: null },
  'point-in-a-list': { severity: 'error', official: 14, code: null },
  'point-area': { severity: 'error', official: null, code: 'EUDR_COMMODITIES_PRODUCER_GEO_AREA_INVALID' },
  'looked-up-place': { severity: 'error', official: null, code: null },
  'no-geometry': { severity: 'error', official: null, code: 'EUDR_COMMODITIES_PRODUCER_GEO_EMPTY' },
  'too-large': { severity: 'error', official: 16, code: 'EUDR_MAXIMUM_GEO_SIZE_REACHED' },
  'no-ground': { severity: 'error', official: null, code: 'EUDR_COMMODITIES_PRODUCER_GEO_AREA_INVALID' },
  'in-water': { severity: 'error', official: null, code: null },
  'null-island': { severity: 'error', official: null, code: null },
  'beyond-latitude': { severity: 'error', official: null, code: null },
  'not-low-risk': { severity: 'error', official: null, code: null },
  'no-address': { severity: 'warning', official: null, code: null },
  'no-parcel': { severity: 'warning', official: null, code: null },
  'parcels-synthetic': { severity: 'warning', official: null, code: null },
  'part-left-out': { severity: 'warning', official: 5, code: null },
  'points-left-out': { severity: 'warning', official: null, code: null },
  'float-truncation': { severity: 'warning', official: 7, code: null },
  'parts-overlap': { severity: 'warning', official: 2, code: null },
  'country-missing': { severity: 'warning', official: null, code: null },
  'producer-missing': { severity: 'warning', official: null, code: null },
  'point-area-default': { severity: 'warning', official: null, code: null },
  'point-area-small': { severity: 'warning', official: null, code: null },
  'position-assumed': { severity: 'warning', official: null, code: null },
  'outline-closed': { severity: 'warning', official: null, code: null },
  'area-assumed': { severity: 'warning', official: null, code: null },
  'coordinates-swapped': { severity: 'warning', official: null, code: null },
  'other-country': { severity: 'warning', official: null, code: null },
  'disputed-territory': { severity: 'warning', official: null, code: null },
  'not-a-producing-country': { severity: 'warning', official: null, code: null },
  'marginal-latitude': { severity: 'warning', official: null, code: null },
  'partly-in-water': { severity: 'warning', official: null, code: null },
  'few-decimals': { severity: 'warning', official: null, code: null },
  'commodity-not-found': { severity: 'warning', official: null, code: null },
  duplicate: { severity: 'warning', official: null, code: null },
  overlap: { severity: 'warning', official: null, code: null },
  'overlaps-not-checked': { severity: 'warning', official: null, code: null },
  'not-looked-at': { severity: 'warning', official: null, code: null },
  'not-validated': { severity: 'warning', official: null, code: null },
  'loss-in-baseline-forest': { severity: 'warning', official: null, code: null },
  'loss-unknown': { severity: 'warning', official: null, code: null },
  'evidence-open': { severity: 'warning', official: null, code: null },
  'not-measured': { severity: 'warning', official: null, code: null },
  'parcels-named': { severity: 'info', official: null, code: null },
  excluded: { severity: 'info', official: null, code: null },
  'not-a-plot': { severity: 'info', official: null, code: null },
  'near-border': { severity: 'info', official: null, code: null },
  'far-from-facility': { severity: 'info', official: null, code: null },
  'same-id': { severity: 'info', official: null, code: null },
  'antimeridian-cut': { severity: 'info', official: null, code: null },
  repaired: { severity: 'info', official: null, code: null },
  'parts-separated': { severity: 'info', official: null, code: null },
  snapped: { severity: 'info', official: null, code: null },
} as const satisfies Record<
  string,
  { readonly severity: Severity; readonly official: OfficialError | null; readonly code: OfficialCode | null }
>;

/** `error`: what has it, unfixed, is not fit to be submitted. */
type Severity = 'error' | 'warning' | 'info';
export type Rule = keyof typeof RULES;

/** What a rule had to say about a location. */
export interface Finding {
  readonly rule: Rule;
  /** One sentence. */
  readonly detail: string;
  /** It was put right in what is exported. */
  readonly fixed: boolean;
}

/** Whether the location can go into a statement. */
export function isFit(findings: readonly Finding[]): boolean {
  return findings.every(({ rule, fixed }) => fixed || RULES[rule].severity !== 'error');
}
