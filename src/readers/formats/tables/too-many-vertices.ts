import { Problem } from '../../../errors.ts';
import { FILE_LIMITS } from './file-limits.ts';

/** More vertices than one geometry may have: the file is refused, as it is where the reader leaves the counting to others. */
class TooManyVertices extends Error {
  override readonly name = 'TooManyVertices';
  constructor(count: number) {
    super(`has ${count} vertices; wanted at most ${FILE_LIMITS.vertices} (file_vertices in /limits)`);
  }
}

/** @throws TooManyVertices before memory is spent on them */
export function refuseVertices(count: number): void {
  if (count > FILE_LIMITS.vertices) throw new TooManyVertices(count);
}

/** What a reader rethrows of what it caught at a row. */
export function atRow(error: unknown, row: number): unknown {
  return error instanceof TooManyVertices
    ? new Problem('too_large', `The geometry of row ${row} ${error.message}.`, { cause: error })
    : error;
}
