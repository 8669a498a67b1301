import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteSourceError } from '../../io/byte-error.ts';
import { TiffError } from '../../formats/tiff/tiff-error.ts';

/** Files of a folder; one that has more wants an index. */
const MAX_FILES = 10_000;

/**
 * The GeoTIFF at `path`, or those of the folder and the folders below it, by name, in order of their paths. Rejects when
 * nothing is there, when a folder has none or more than 10,000, and when it cannot be read.
 */
export async function findTiffFiles(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path, { recursive: true });
    const files = names.filter((name) => /\.tiff?$/i.test(name)).toSorted();
    if (files.length > 0 && files.length <= MAX_FILES) return files.map((name) => join(path, name));
    throw new TiffError('missing', path, `wanted 1 to ${MAX_FILES} files *.tif or *.tiff, got ${files.length}`);
  } catch (error) {
    if (error instanceof TiffError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new TiffError('missing', path, 'wanted a GeoTIFF or a folder of them, got nothing', { cause: error });
    throw new ByteSourceError('transport', path, (error as Error).message, { cause: error });
  }
}
