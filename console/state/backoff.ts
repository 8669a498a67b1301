const FIRST_MS = 1_500;
const LONGEST_MS = 30_000;

/**
 * Milliseconds to wait before the service is looked for again: doubled with each time that it was not there, to half a minute, and
 * spread, so that the pages of an office do not all come back in the same moment. `lost` counts the failures, from 1; `random` is
 * from 0 to 1.
 */
export function backoffMs(lost: number, random: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (lost - 1)) * (0.75 + random / 4);
}
