/**
 * The errors that the EU information system lists for geodata files, by their number (GeoJSON File Description as updated on
 * 17 August 2026, with Operator API Reference 1.0). Some cannot happen in a file that is written by a program; they are kept so
 * that a number always means the same.
 */
export const OFFICIAL_ERRORS = {
  1: 'crossing lines',
  2: 'overlapping sides',
  3: 'doughnut: a polygon with a hole',
  4: 'open polygon',
  5: 'type of geometry that is not accepted',
  6: 'all points on a straight line',
  7: 'repeated positions after the cut to 6 decimals',
  8: 'syntax of JSON',
  9: 'wrong name or case of a property',
  10: 'wrong format of file',
  11: 'coordinate out of range',
  12: 'country that is not ISO 3166-1 alpha-2',
  13: 'file protected by a password',
  14: 'Area as text, or a point as a list of positions',
  15: 'hole that is ignored',
  16: 'file above 25 MB',
} as const;

export type OfficialError = keyof typeof OFFICIAL_ERRORS;

/** What the numbers, codes and limits of an export are of. */
export const OFFICIAL_RULES =
  'EUDR GeoJSON File Description as updated on 17 August 2026, EUDR Operator API Reference 1.0 of 29 May 2026, service descriptions of release 8.2.1';

/** Codes of the service's own refusals (Operator API Reference 1.0), spelt as it spells them. */
export type OfficialCode =
  | 'EUDR_COMMODITIES_PRODUCER_GEO_INVALID'
  | 'EUDR_COMMODITIES_PRODUCER_GEO_POLYGON_INVALID'
  | 'EUDR_COMMODITIES_PRODUCER_GEO_AREA_INVALID'
  | 'EUDR_COMMODITITY_PRODUCER_COUNTRY_CODE_INVALID'
  | 'EUDR_MAXIMUM_GEO_SIZE_REACHED'
  | 'EUDR_COMMODITIES_PRODUCER_GEO_EMPTY';

/** What one statement may hold. */
export const STATEMENT_LIMITS = {
  /** Bytes of geodata: 25 MB, counted as the base64 they are sent in, because nobody says which is counted. */
  geodataBytes: 25_000_000,
  producersPerCommodity: 1_000,
  producers: 10_000,
  /** The interface takes 200, its text says 100: a statement that keeps to 100 is taken either way. */
  commodities: 100,
} as const;

/** Characters of an internal reference: of a declaration it is required. */
export const REFERENCE_LENGTHS = { statement: 50, simplified_declaration: 14 } as const;

/** Hectares of a point: of cattle alone more (Operator API Reference 1.0; 0.1 was the least in the rules of 2025). */
export const POINT_AREA_HA = { least: 0.0001, leastIn2025: 0.1, most: 4, default: 4 } as const;
