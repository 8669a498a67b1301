/** Unit of stored coordinates, in a degree. */
export const PLACE_SCALE = 100_000;
/** What an entry is; districts, regions and countries stand at the settlement nearest to the middle of their people. */
export const PLACE_KINDS = ['settlement', 'district', 'region', 'country'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];
/** Numbers kept of each entry: people, kind and nearness in one, country, region, district. */
export const PLACE_FACTS = 5;
/** Kilometres from the middle of a group within which a place counts as near it. */
export const GROUP_KM = 25;

export interface PlacesMeta {
  readonly count: number;
  readonly keys: number;
  /** Alpha-2 codes by their number. */
  readonly countries: readonly string[];
  /** Names of regions by their number. */
  readonly regions: readonly string[];
}

/** The key of the letters of a division; no name has such a key. */
export function codeKey(code: string): string {
  return `#${code.toUpperCase()}`;
}
