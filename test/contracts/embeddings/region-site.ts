import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { BANDS, type Grid } from '../../../src/geo/segmentation/grid.ts';
import type { Dataset } from '../../../src/readers/catalogue/dataset.ts';
import type { EmbeddingRaster } from '../../../src/readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { openAefSite, type AefSite } from '../../end-to-end/aef-site.ts';
import { embeddingDataset, openDeps } from './deps.ts';
import { makeRegion, type Region } from './region.ts';
import type { EmbeddingContract, OpenContract } from './suite.ts';

/** Places in files of both zones, west and east of their edge. */
export const WEST_PLACE = [-84.003, 43.985] as const;
export const EAST_PLACE = [-83.985, 43.985] as const;
const FAR = [-84.6, 43.99] as const;

/** The made region in a folder and behind HTTP, for the tests of the importing file. */
export interface RegionSite extends Region {
  /** A dataset by its place below the folder, on disk or at the site. */
  onDisk(path: string, kind: Dataset['kind'], options?: Dataset['options']): Dataset;
  byHttp(path: string, kind: Dataset['kind'], options?: Dataset['options']): Dataset;
  folder(): string;
  base(): string;
  open(dataset: Dataset): Promise<OpenContract>;
  /** What a layout of the region must keep to; `dataset` is asked for when the site is open. */
  contract(name: string, dataset: () => Dataset, over?: Partial<EmbeddingContract>): EmbeddingContract;
}

/** Opens a site before the tests and closes it behind them; `write` lays out the region in its folder. */
export function openRegionSite(write: (folder: string, region: Region) => Promise<void>): RegionSite {
  const region = makeRegion();
  let folder = '';
  let site: AefSite;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-embeddings-'));
    await write(folder, region);
    site = await openAefSite(folder);
  });
  after(async () => {
    await site[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(dataset: Dataset): Promise<OpenContract> {
    const deps = await openDeps();
    const [source] = openEmbeddings([dataset], deps);
    return {
      source,
      requests: dataset.path === undefined ? () => site.requests.length : null,
      async [Symbol.asyncDispose]() {
        await source.close();
        await deps[Symbol.asyncDispose]();
      },
    };
  }

  return {
    ...region,
    onDisk: (path, kind, options = {}) => embeddingDataset({ kind, path: join(folder, path), options }),
    byHttp: (path, kind, options = {}) => embeddingDataset({ kind, url: `${site.base}/${path}`, options }),
    folder: () => folder,
    base: () => site.base,
    open,
    contract: (name, dataset, over = {}) => ({ ...placeOf(region), name, open: () => open(dataset()), ...over }),
  };
}

/** Where the region lies and what its pixels are, read exactly. */
function placeOf({ zone16, zone17 }: Region): Omit<EmbeddingContract, 'name' | 'open'> {
  const gridOf = ({ crs }: EmbeddingRaster): Grid => (crs === 'EPSG:32616' ? zone16 : zone17);
  const cornerOf = (raster: EmbeddingRaster): { left: number; top: number } => {
    const { transform } = gridOf(raster);
    return {
      left: (transform[2] - raster.transform[2]) / 10,
      top: (raster.transform[5] - transform[5]) / 10,
    };
  };
  return {
    inside: WEST_PLACE,
    outside: FAR,
    bbox: [-84.005, 43.984, -84.003, 43.986],
    year: 2024,
    region(raster) {
      const { left, top } = cornerOf(raster);
      return { left, top, right: left + zone16.width, bottom: top + zone16.height };
    },
    expected(raster, x, y) {
      const { left, top } = cornerOf(raster);
      const { width, height, codes } = gridOf(raster);
      if (x < left || y < top || x >= left + width || y >= top + height) return null;
      const at = ((y - top) * width + x - left) * BANDS;
      return codes.subarray(at, at + BANDS);
    },
  };
}
