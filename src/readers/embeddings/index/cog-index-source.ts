import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { fileSource, type FileByteSource } from '../../io/file-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { CatalogueError } from '../../catalogue/catalogue.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { openAefIndexCache } from './cache.ts';
import type { IndexGroup } from './pack.ts';
import type { AefIndex } from './aef-index.ts';
import {
  deadlineOf,
  type EmbeddingDeps,
  type EmbeddingRaster,
  type EmbeddingSource,
  textOption,
  withinDeadline,
} from '../embedding-source.ts';
import { disposeOf, openRasterFiles } from '../cog/tiff-raster.ts';
import { zoneLattice } from '../zone-raster/lattice.ts';
import { phaseStore } from '../zone-raster/phase.ts';
import { createZoneRaster } from '../zone-raster/zone-raster.ts';

/** Rasters kept with the list of their files. */
const KEPT_RASTERS = 32;

/**
 * AEF as many COGs with a GeoParquet index (`cog-index`): at `url` or `path`, its files below `options.baseUrl` or
 * `options.basePath` (default: the folder of the index). `options.pathPrefix` is what full paths in the index begin with
 * and the base stands for; a path that leads anywhere else is refused.
 *
 * Nothing is read before the first lookup. That makes a slim copy of the index in the data folder; see
 * `openAefIndexCache`. Throws a `CatalogueError` for options that cannot be used.
 */
export function openCogIndexSource(dataset: Dataset, deps: EmbeddingDeps): EmbeddingSource {
  const base = baseOf(dataset);
  const deadlineMs = deadlineOf(dataset);
  const folder = join(deps.dataDir, 'aef-index', folderName(dataset));
  const indexSource = dataset.path === undefined ? deps.remote(dataset.url ?? '') : fileSource(dataset.path);
  const prefix = textOption(dataset, 'pathPrefix');
  const index = openAefIndexCache({
    dataset: dataset.id,
    folder,
    source: indexSource,
    prefixes: [...(prefix === null ? [] : [prefix]), ...(base.prefix === null ? [] : [base.prefix])],
    patienceMs: deadlineMs,
    ...(deps.reportFailure ? { reportFailure: deps.reportFailure } : {}),
  });
  const files = openRasterFiles((path) => base.open(path, deps), deps);
  const rasters = new Map<string, { readonly of: AefIndex; readonly raster: EmbeddingRaster }>();

  function rasterOf(of: AefIndex, group: IndexGroup): EmbeddingRaster {
    const name = `${group.epsg}-${group.year}`;
    const kept = rasters.get(name);
    const raster = kept?.of === of ? kept.raster : createRaster(of, group, name);
    rasters.delete(name);
    rasters.set(name, { of, raster });
    const [oldest] = rasters.keys();
    if (rasters.size > KEPT_RASTERS && oldest !== undefined) rasters.delete(oldest);
    return raster;
  }

  function createRaster(of: AefIndex, group: IndexGroup, name: string): EmbeddingRaster {
    return createZoneRaster({
      id: `EPSG:${group.epsg}`,
      year: group.year,
      lattice: zoneLattice(group.epsg),
      files: of.files(group),
      open: files,
      deadlineMs,
      phases: phaseStore(folder, dataset.id, name),
    });
  }

  return {
    dataset,
    at: (lon, lat, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => {
        const there = await index.get(inner);
        const place = there.at(lon, lat);
        return place === null ? null : { raster: rasterOf(there, place), x: place.x, y: place.y };
      }),
    rasters: (bbox, year, signal) =>
      withinDeadline(deadlineMs, dataset.id, signal, async (inner) => {
        const there = await index.get(inner);
        return there.touching(bbox, year).map((group) => rasterOf(there, group));
      }),
    async close() {
      await Promise.allSettled([index.close(), files.close()]);
      await disposeOf(indexSource);
    },
  };
}

interface Base {
  /** How full paths of the files begin; null for a folder. */
  readonly prefix: string | null;
  open(path: string, deps: EmbeddingDeps): ByteSource | FileByteSource;
}

/** What the paths of the index are relative to. */
function baseOf(dataset: Dataset): Base {
  const url = textOption(dataset, 'baseUrl');
  const folder = textOption(dataset, 'basePath');
  if (url !== null && folder !== null)
    throw new CatalogueError(`${dataset.id}: options: wanted one of baseUrl and basePath, got both`);
  if (folder !== null && !isAbsolute(folder))
    throw new CatalogueError(`${dataset.id}: options.basePath: wanted an absolute folder, got ${folder}`);
  const local = folder ?? (url === null && dataset.path !== undefined ? dirname(dataset.path) : null);
  if (local !== null) return { prefix: null, open: (path) => fileSource(join(local, path)) };
  const address = url === null ? URL.parse('.', dataset.url) : URL.parse(url.endsWith('/') ? url : `${url}/`);
  if (address === null || !/^https?:$/.test(address.protocol) || address.search !== '')
    throw new CatalogueError(
      `${dataset.id}: options.baseUrl: wanted an http or https address without a query, got ${url ?? dataset.url}`,
    );
  return { prefix: address.href, open: (path, deps) => deps.remote(new URL(path, address).href) };
}

/** The name of a folder for any version, however it is written. */
function folderName({ id, version }: Dataset): string {
  if (/^[\w.-]{1,60}$/.test(version)) return `${id}-${version}`;
  return `${id}-${createHash('sha256').update(version).digest('hex').slice(0, 16)}`;
}
