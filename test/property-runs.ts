/**
 * How often a property is tried: all `full` times with `PROPERTY_RUNS=full` (`npm run test:long`), otherwise `everyDay` times,
 * by default a fifth, though at least the 100 that are the default of fast-check.
 */
export function runs(full: number, everyDay = Math.max(Math.min(full, 100), Math.ceil(full / 5))): number {
  return process.env['PROPERTY_RUNS'] === 'full' ? full : everyDay;
}
