/**
 * How often a property is tried: all `full` times with `PROPERTY_RUNS=full` (`npm run test:long`), otherwise a fifth of
 * them, though at least the 100 that are the default of fast-check.
 */
export function runs(full: number): number {
  return process.env['PROPERTY_RUNS'] === 'full' ? full : Math.max(Math.min(full, 100), Math.ceil(full / 5));
}
