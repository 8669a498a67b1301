import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { latticeProjection } from '../../../src/geo/outline/lattice.ts';
import { BANDS, type Grid, NODATA } from '../../../src/geo/segmentation/grid.ts';
import {
  openZarrWriter,
  writeZarrArray,
  writeZarrGroup,
  type ZarrChunk,
} from '../../../src/readers/formats/zarr/write-zarr.ts';
import { readRaster } from '../../oracles/segmentation/read-raster.ts';

/** The grid of the public mosaic, and how it is cut. */
export const MOSAIC = {
  west: -180,
  north: 83.68570533713473,
  pixel: 8.983111749910169e-5,
  width: 4_009_984,
  height: 1_859_584,
  chunk: 256,
  shard: 4096,
  firstYear: 2017,
  years: 9,
} as const;

/** Upper left corners of the sample rasters in EPSG:32616. */
const CORNERS = {
  wisconsin_west: [354_030, 4_911_010],
  wisconsin_exact_1km: [358_410, 4_906_600],
  wisconsin_topdown_nodata: [358_410, 4_906_600],
} as const;

/** A sample raster of real AEF codes with its place; null when it is not there. */
export function sampleGrid(name: keyof typeof CORNERS): Grid | null {
  const grid = readRaster(name);
  const [x, y] = CORNERS[name];
  return grid && { ...grid, transform: [10, 0, x, 0, -10, y] };
}

/** A grid of a UTM zone that goes into one year of a mosaic. */
export interface MosaicLayer {
  readonly grid: Grid;
  readonly year: number;
}

export interface MosaicOptions {
  /** Attributes of the array; default those of the public mosaic. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/**
 * Writes a mosaic laid out like the public one, with its grid of the world, years, chunks and shards, that holds the
 * pixels of some grids, taken by nearest neighbour as the public one takes them. Other chunks are missing.
 */
export async function writeMosaic(
  folder: string,
  layers: readonly MosaicLayer[],
  { attributes = attributesOfMosaic() }: MosaicOptions = {},
): Promise<void> {
  await writeZarrGroup(folder, {});
  await writeZarrArray(join(folder, 'embeddings'), {
    shape: [MOSAIC.years, BANDS, MOSAIC.height, MOSAIC.width],
    chunkShape: [1, BANDS, MOSAIC.chunk, MOSAIC.chunk],
    shardShape: [1, BANDS, MOSAIC.shard, MOSAIC.shard],
    dataType: 'int8',
    fillValue: NODATA,
    dimensionNames: ['time', 'embedding', 'y', 'x'],
    attributes,
    zstdLevel: 1,
  });
  const signal = AbortSignal.any([]);
  const writer = await openZarrWriter(join(folder, 'embeddings'), signal);
  if (writer === null) throw new Error('the array was not written');
  const perShard = MOSAIC.shard / MOSAIC.chunk;
  for (const [year, ofYear] of Map.groupBy(layers, (layer) => layer.year)) {
    const step = year - MOSAIC.firstYear;
    const touched = ofYear.flatMap(({ grid }) => chunksUnder(grid).map(([row, column]) => ({ grid, row, column })));
    const shards = Map.groupBy(touched, ({ row, column }) =>
      [Math.floor(row / perShard), Math.floor(column / perShard)].join(' '),
    );
    for (const [shard, inShard] of shards) {
      const byChunk = Map.groupBy(inShard, ({ row, column }) => `${row} ${column}`);
      const chunks = [...byChunk.values()].map((layersThere): ZarrChunk => {
        const [{ row, column }] = layersThere;
        const values = new Int8Array(BANDS * MOSAIC.chunk * MOSAIC.chunk).fill(NODATA);
        for (const { grid } of layersThere) resample(grid, row, column, values);
        return { index: [step, 0, row, column], values };
      });
      await writer.writeShard([step, 0, ...shard.split(' ').map(Number)], chunks, { keep: true, signal });
    }
  }
}

export function attributesOfMosaic(): Readonly<Record<string, unknown>> {
  return {
    'proj:code': 'EPSG:4326',
    'spatial:transform': [MOSAIC.pixel, 0, MOSAIC.west, 0, -MOSAIC.pixel, MOSAIC.north],
    years: Array.from({ length: MOSAIC.years }, (_, i) => MOSAIC.firstYear + i),
  };
}

/** Rows and columns of the chunks that a grid touches. */
function chunksUnder(grid: Grid): [row: number, column: number][] {
  const projection = latticeProjection(grid.crs);
  const [a, , c, , e, f] = grid.transform;
  const out = new Float64Array(2);
  const found = new Map<string, [number, number]>();
  // A chunk is far larger than 64 pixels of a grid.
  for (let y = 0; y <= grid.height + 63; y += 64) {
    for (let x = 0; x <= grid.width + 63; x += 64) {
      projection.toLonLat(a * Math.min(x, grid.width) + c, e * Math.min(y, grid.height) + f, out, 0);
      const row = Math.floor((MOSAIC.north - out[1]) / MOSAIC.pixel / MOSAIC.chunk);
      const column = Math.floor(eastOf(out[0], MOSAIC.west) / MOSAIC.pixel / MOSAIC.chunk);
      found.set(`${row} ${column}`, [row, column]);
    }
  }
  return [...found.values()];
}

/** Degrees from one longitude east to another, below 360. */
function eastOf(lon: number, from: number): number {
  return (((lon - from) % 360) + 360) % 360;
}

/** Puts a grid into a chunk, band after band: each pixel gets the grid's pixel that holds its centre, when there is one. */
function resample(grid: Grid, chunkRow: number, chunkColumn: number, values: Int8Array): void {
  const { chunk, west, north, pixel } = MOSAIC;
  const projection = latticeProjection(grid.crs);
  const [a, , c, , e, f] = grid.transform;
  const out = new Float64Array(2);
  const corner = new Float64Array(2);
  projection.toLonLat(c, f, corner, 0);
  for (let at = 0; at < chunk * chunk; at++) {
    const column = chunkColumn * chunk + (at % chunk);
    const row = chunkRow * chunk + Math.floor(at / chunk);
    // Counted from where the grid begins, because a zone reaches over the antimeridian.
    const lon = corner[0] - 1 + eastOf(west + (column + 0.5) * pixel, corner[0] - 1);
    projection.toXY(lon, north - (row + 0.5) * pixel, out, 0);
    const x = Math.floor((out[0] - c) / a);
    const y = Math.floor((out[1] - f) / e);
    if (x < 0 || y < 0 || x >= grid.width || y >= grid.height) continue;
    const from = (y * grid.width + x) * BANDS;
    for (let band = 0; band < BANDS; band++) values[band * chunk * chunk + at] = grid.codes[from + band];
  }
}

/** A folder behind HTTP, on a port of this machine. */
export interface FolderSite extends AsyncDisposable {
  readonly url: string;
  /** Path and range of every request so far. */
  readonly requests: string[];
  /** Answers in place of the folder; gives true when it has, or will. Null: the folder answers. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
}

/** Serves the files of a folder by ranges, with an ETag, as object stores do. */
export async function serveFolder(folder: string): Promise<FolderSite> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.range ?? ''}`);
    if (site.intercept?.(request, response)) return;
    void sendRange(join(folder, decodeURI(request.url ?? '')), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: FolderSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}

async function sendRange(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = await stat(path).catch(() => null);
  if (file === null || !file.isFile()) {
    response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(Number(to ?? file.size), file.size - 1);
  if (start > end) {
    response.writeHead(416, { 'content-range': `bytes */${file.size}` }).end();
    return;
  }
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end}/${file.size}`,
    'content-length': end - start + 1,
    etag: `"${file.size}-${file.mtimeMs}"`,
  });
  createReadStream(path, { start, end }).pipe(response);
}
