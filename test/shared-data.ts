import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Real data to test against, next to the repository; not part of it. */
export const SHARED_DATA = resolve(import.meta.dirname, '../../shared/data');

/** Options of a test that needs the real data: without it the test is skipped with a line that says so, and fails in CI. */
export function needsSharedData(path: string): { skip: string | false } {
  if (existsSync(resolve(SHARED_DATA, path)) || process.env['CI'] === 'true') return { skip: false };
  return { skip: `needs ../shared/data/${path}, which is not there` };
}
