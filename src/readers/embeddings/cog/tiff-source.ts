import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSource } from '../../io/file-source.ts';
import { createShared } from '../../io/share.ts';
import { CatalogueError } from '../../catalogue/catalogue.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import {
  deadlineOf,
  type EmbeddingDeps,
  type EmbeddingPlace,
  type EmbeddingRaster,
  type EmbeddingSource,
  withinDeadline,
} from '../embedding-source.ts';
import { openRasterFiles } from './tiff-raster.ts';
import { groupTiffFiles, type TiffHeader } from './tiff-source-groups.ts';
import { compareZones, pixelsOfDegrees, toPixel } from '../zone-raster/degrees.ts';
import { intersection } from '../zone-raster/lattice.ts';
import { createZoneRaster } from '../zone-raster/zone-raster.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { TiffError } from '../../formats/tiff/tiff-image.ts';

/** Files of a folder; one that has more wants an index. */
const MAX_FILES = 10_000;

/**
 * AEF codes in one GeoTIFF (`cog` with `url` or `path`) or in every GeoTIFF of a folder and the folders below it. Files
 * of one CRS whose pixels lie on one lattice are one raster; every other file is a raster of its own. All are of one
 * year: `options.year`, else the year of the dataset's `date`.
 *
 * Nothing is read before the first lookup, which reads every header; files added later are seen after the next start.
 * A file that holds no AEF codes fails every lookup with what is wrong with it. Throws a `CatalogueError` without a year.
 */
export function openTiffSource(dataset: Dataset, deps: EmbeddingDeps): EmbeddingSource {
  const { path, url = '' } = dataset;
  const year = yearOf(dataset);
  const deadlineMs = deadlineOf(dataset);
  const files = openRasterFiles(path === undefined ? deps.remote : fileSource, deps);
  const share = createShared<readonly EmbeddingRaster[]>();
  let opened: readonly EmbeddingRaster[] | null = null;

  async function openAll(signal: AbortSignal): Promise<readonly EmbeddingRaster[]> {
    const headers: TiffHeader[] = [];
    for (const file of path === undefined ? [url] : await findTiffFiles(path))
      headers.push(await files.use(file, signal, async ({ lattice }) => ({ path: file, lattice })));
    return groupTiffFiles(headers).map((group) =>
      createZoneRaster({ ...group, year, open: files, deadlineMs, phases: null }),
    );
  }

  async function rasters(signal: AbortSignal): Promise<readonly EmbeddingRaster[]> {
    opened ??= await share('open', signal, openAll);
    return opened;
  }

  return {
    dataset,
    at: (lon, lat, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => placeIn(await rasters(inner), lon, lat)),
    rasters: (bbox, wanted, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => {
        if (wanted !== null && wanted !== year) return [];
        return (await rasters(inner)).filter((raster) => {
          const pixels = pixelsOfDegrees(raster, bbox);
          const whole = { left: 0, top: 0, right: raster.width, bottom: raster.height };
          return pixels !== null && intersection(pixels, whole) !== null;
        });
      }),
    close: () => files.close(),
  };
}

/** The raster that answers for a place: of those that cover it the one whose zone comes first, then the first by file. */
function placeIn(rasters: readonly EmbeddingRaster[], lon: number, lat: number): EmbeddingPlace | null {
  const compare = compareZones(lon, lat);
  const [first] = rasters
    .map((raster) => ({ raster, epsg: Number(raster.crs.slice('EPSG:'.length)), ...toPixel(raster, lon, lat) }))
    .filter(({ raster, x, y }) => raster.covers(x, y))
    .map((candidate) => ({ ...candidate, inFootprint: true }))
    .toSorted(compare);
  return first === undefined ? null : { raster: first.raster, x: first.x, y: first.y };
}

function yearOf({ id, options, date }: Dataset): number {
  const year = options['year'] ?? (date === null ? null : Number(date.slice(0, 4)));
  if (typeof year === 'number' && Number.isInteger(year) && year >= 2000 && year <= 2100) return year;
  throw new CatalogueError(
    `${id}: wanted the year of the embeddings, 2000 to 2100, as options.year or date, got ${JSON.stringify(year)}`,
  );
}

/**
 * The GeoTIFF at `path`, or those of the folder and the folders below it, by name, in order of their paths. Rejects when
 * nothing is there, when a folder has none or more than 10,000, and when it cannot be read.
 */
async function findTiffFiles(path: string): Promise<string[]> {
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
