import { BANDS, dequantise, NODATA } from '../../geo/segmentation/grid.ts';
import { covers } from '../../readers/catalogue/catalogue.ts';
import { BLOCK } from '../../readers/embeddings/cog/code-blocks.ts';
import type { EmbeddingPlace, EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { placeOfYear } from '../forest/place-of-year.ts';
import type { LabelledPoint } from './training-point.ts';
import { firstAnswerOrFailure } from '../../first-answer.ts';

/** Blocks read at the same time. */
const BLOCKS_AT_ONCE = 4;

/** The values of the pixel a labelled point lies in. */
export interface PointValues {
  readonly values: Float64Array;
  /** Names the pixel among all: points of one key are one pixel. */
  readonly key: string;
  readonly dataset: string;
  readonly year: number;
  readonly synthetic: boolean;
}

/**
 * The pixels of points, read from the first embeddings that cover each: the newest year, or the point's own. Null where
 * none cover a point in its year, or its pixel has no data. Rejects with what failed when a point could not be read at
 * all: a set of labels that depends on the network's mood is no set.
 *
 * @param onRead called with how many points have been read.
 */
export async function readPointValues(
  points: readonly LabelledPoint[],
  sources: readonly EmbeddingSource[],
  signal: AbortSignal,
  onRead: (done: number) => void = () => {},
): Promise<readonly (PointValues | null)[]> {
  const found: (PointValues | null)[] = points.map(() => null);
  const blocks = new Map<string, Block>();
  for (const [index, point] of points.entries()) {
    signal.throwIfAborted();
    const place = await locate(point, sources, signal);
    if (place === null) continue;
    const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
    const { source, raster } = place;
    const name = `${source.dataset.id} ${raster.id} ${raster.year}`;
    const key = `${name} ${Math.floor(x / BLOCK)} ${Math.floor(y / BLOCK)}`;
    const block = blocks.get(key) ?? { name, source, raster, pixels: [] };
    block.pixels.push({ index, x, y });
    blocks.set(key, block);
  }
  const all = [...blocks.values()];
  let done = 0;
  for (let i = 0; i < all.length; i += BLOCKS_AT_ONCE) {
    const some = all.slice(i, i + BLOCKS_AT_ONCE);
    await Promise.all(some.map((block) => readBlock(block, found, signal)));
    done += some.reduce((sum, { pixels }) => sum + pixels.length, 0);
    onRead(done);
  }
  return found;
}

interface Block {
  readonly name: string;
  readonly source: EmbeddingSource;
  readonly raster: EmbeddingRaster;
  readonly pixels: { readonly index: number; readonly x: number; readonly y: number }[];
}

/** Queries the embeddings in their order; one that fails is passed over, and its failure stands when no later one answers. */
async function locate(
  { lon, lat, year }: LabelledPoint,
  sources: readonly EmbeddingSource[],
  signal: AbortSignal,
): Promise<(EmbeddingPlace & { readonly source: EmbeddingSource }) | null> {
  return await firstAnswerOrFailure(
    sources,
    async (source) => {
      if (!covers(source.dataset.coverage, lon, lat)) return null;
      const place =
        year === null ? await source.at(lon, lat, signal) : await placeOfYear(source, lon, lat, year, signal);
      return place === null ? null : { ...place, source };
    },
    { signal },
  );
}

async function readBlock(
  { name, source, raster, pixels }: Block,
  found: (PointValues | null)[],
  signal: AbortSignal,
): Promise<void> {
  const [left, right] = rangeOf(pixels.map(({ x }) => x));
  const [top, bottom] = rangeOf(pixels.map(({ y }) => y));
  const [width, height] = [right + 1 - left, bottom + 1 - top];
  const window = await raster.window(left, top, width, height, signal);
  const row = new Int8Array(width * BANDS);
  for (const { index, x, y } of pixels.toSorted((a, b) => a.y - b.y)) {
    window.copyRow(y - top, row);
    const codes = row.subarray((x - left) * BANDS, (x - left + 1) * BANDS);
    if (codes.includes(NODATA)) continue;
    const { id, synthetic } = source.dataset;
    const values = Float64Array.from(codes, dequantise);
    found[index] = { values, key: `${name} ${x} ${y}`, dataset: id, year: raster.year, synthetic };
  }
}

function rangeOf(values: readonly number[]): readonly [least: number, most: number] {
  return values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [
    Infinity,
    -Infinity,
  ] as const);
}
