/** Whether this is `npm run test:long`, which tries everything in full. */
export const isLongRun: boolean = process.env['PROPERTY_RUNS'] === 'full';

/** Whether this is `npm run test:all` or `npm run test:long`, which leave nothing out. */
export const isWholeRun: boolean = isLongRun || process.env['TESTS'] === 'all';

/**
 * How often a property is tried: all `full` times with `PROPERTY_RUNS=full` (`npm run test:long`), otherwise `everyDay` times,
 * by default a twentieth, though at least 30.
 */
export function runs(full: number, everyDay = Math.max(Math.min(full, 30), Math.ceil(full / 20))): number {
  return isLongRun ? full : everyDay;
}
