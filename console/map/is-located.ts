/** How roughly an address may be found and still stand for a region or a country rather than for a place. */
const ROUGH: ReadonlySet<unknown> = new Set(['region', 'country']);

/**
 * Whether a row has a place that a map is to show: not longitude 0, latitude 0, which stands for a missing one, and not the middle of
 * a region or country that an address was found in.
 */
export function isLocated(at: readonly [lon: number, lat: number] | null, precision: unknown): boolean {
  return at !== null && (at[0] !== 0 || at[1] !== 0) && !ROUGH.has(precision);
}
