import { stat } from 'node:fs/promises';
import type { DetectionHead } from '../../geo/detection/head.ts';
import { Problem } from '../../errors.ts';
import { openZipArchive, type ZipArchive } from '../formats/tables/zip-archive.ts';
import { ModelError } from './model-error.ts';
import { readHead } from './read-head.ts';

/** Largest archive that is opened; the published ones have 4 MB. */
const MOST_ARCHIVE_BYTES = 200_000_000;

/**
 * Reads the head of a zipped SavedModel: one folder with `saved_model.pb` and the variables. Throws a `ModelError` for an
 * archive that is damaged, holds something else or is built in another way.
 */
export async function readModelArchive(path: string): Promise<DetectionHead> {
  const { size } = await stat(path);
  if (size > MOST_ARCHIVE_BYTES)
    throw new ModelError(`wanted an archive of at most ${MOST_ARCHIVE_BYTES} bytes, got ${size}`);
  try {
    await using archive = await openZipArchive(path, size);
    const graph = await bytesOf(archive, 'saved_model.pb');
    const index = await bytesOf(archive, 'variables/variables.index');
    const data = await bytesOf(archive, 'variables/variables.data-00000-of-00001');
    return readHead({ graph, index, data });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new ModelError(error.message, { cause: error });
  }
}

/** The file of this name, in whatever folder the model lies. */
async function bytesOf(archive: ZipArchive, name: string): Promise<Buffer> {
  const found = archive.entries.filter(({ path }) => path === name || path.endsWith(`/${name}`));
  if (found.length !== 1) throw new ModelError(`wanted one file ${name} in the archive, got ${found.length}`);
  return archive.bytes(found[0]);
}
