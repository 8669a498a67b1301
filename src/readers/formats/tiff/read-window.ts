import type { ByteSource } from '../../io/byte-source.ts';
import { fetchBlock, blockRows } from './read-block.ts';
import { blockFormat, decodeBlock } from './decode-block.ts';
import { isSample, SAMPLE_TYPES, type SampleArray, TiffError, type TiffImage } from './tiff-image.ts';

interface WindowOptions {
  /** Bands to read, counted from 0, in the order wanted; default all. */
  readonly bands?: readonly number[];
  /** Most bytes the result may take; default 268,435,456. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/** Blocks read at the same time. */
const IN_FLIGHT = 32;
const MAX_BYTES = 268_435_456;

/**
 * The pixels of a window, row, column, band, in the order the file stores its rows. Pixels outside the image and blocks
 * that were left out are nodata; without a nodata value a window that leaves the image is refused (`no_nodata`), and
 * blocks that were left out are 0, as the format has it.
 *
 * Rejects with a `TiffError`, or with what the source rejects with; never gives zeros in place of what was not read.
 */
export async function readTiffWindow(
  source: ByteSource,
  image: TiffImage,
  x0: number,
  y0: number,
  width: number,
  height: number,
  { bands = allBands(image), maxBytes = MAX_BYTES, signal }: WindowOptions,
): Promise<SampleArray> {
  assertWindow(image, x0, y0, width, height, bands);
  const { make, bytes } = SAMPLE_TYPES[image.sampleType];
  const count = width * height * bands.length;
  if (count * bytes > maxBytes)
    throw new TiffError('too_large', source.id, `wanted a window of at most ${maxBytes} bytes, got ${count * bytes}`);
  const blocks = planWindow(image, x0, y0, width, height, bands);
  const indexes = blocks.map(({ index }) => index);
  await image.tables?.read(indexes, signal);
  // In the order of the file.
  const plan = blocks.toSorted((a, b) => image.offsets[a.index] - image.offsets[b.index]);
  const leaves = x0 < 0 || y0 < 0 || x0 + width > image.width || y0 + height > image.height;
  const isFilled = leaves || plan.some(({ index }) => image.lengths[index] === 0);
  const out = new make(count);
  if (isFilled) out.fill(fillValue(source.id, image, leaves));

  let next = 0;
  async function readOn(): Promise<void> {
    while (next < plan.length) {
      const block = plan[next++];
      const stored = await fetchBlock(source, image, block.index, signal);
      if (stored === null) continue;
      const values = decodeBlock(source.id, blockFormat(image), blockRows(image, block.index), stored);
      copyPart(image, block, values, { x0, y0, width, height, bands }, out);
    }
  }
  await allOrFirstError(Array.from({ length: Math.min(IN_FLIGHT, plan.length) }, readOn), () => (next = plan.length));
  return out;
}

interface PlannedBlock {
  /** Into `image.offsets`. */
  readonly index: number;
  /** Upper left pixel of the block in the image. */
  readonly x: number;
  readonly y: number;
  /** Place of the block's only band among the wanted ones; null: it holds all bands. */
  readonly band: number | null;
}

/** The blocks a window needs. */
function planWindow(
  image: TiffImage,
  x0: number,
  y0: number,
  width: number,
  height: number,
  bands: readonly number[],
): PlannedBlock[] {
  const { blockWidth, blockHeight, blocksAcross, blocksDown } = image;
  const plan: PlannedBlock[] = [];
  const lastX = Math.min(x0 + width, image.width);
  const lastY = Math.min(y0 + height, image.height);
  for (let row = Math.floor(Math.max(y0, 0) / blockHeight); row * blockHeight < lastY; row++) {
    for (let column = Math.floor(Math.max(x0, 0) / blockWidth); column * blockWidth < lastX; column++) {
      const place = { x: column * blockWidth, y: row * blockHeight };
      const index = row * blocksAcross + column;
      if (image.interleave === 'pixel') plan.push({ index, ...place, band: null });
      else
        bands.forEach((band, i) => plan.push({ index: index + band * blocksAcross * blocksDown, ...place, band: i }));
    }
  }
  return plan;
}

interface Window {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly bands: readonly number[];
}

function copyPart(image: TiffImage, block: PlannedBlock, values: SampleArray, window: Window, out: SampleArray): void {
  const { x0, y0, width, height, bands } = window;
  const samples = block.band === null ? image.bands : 1;
  const left = Math.max(x0, block.x);
  const right = Math.min(x0 + width, block.x + image.blockWidth, image.width);
  const lower = Math.min(y0 + height, block.y + image.blockHeight, image.height);
  const isWhole = samples === bands.length && bands.every((band, i) => samples === 1 || band === i);
  for (let y = Math.max(y0, block.y); y < lower; y++) {
    const from = ((y - block.y) * image.blockWidth + left - block.x) * samples;
    const to = ((y - y0) * width + left - x0) * bands.length;
    const pixels = right - left;
    if (isWhole) out.set(values.subarray(from, from + pixels * samples), to);
    else if (block.band === null) copyBands(values, from, samples, pixels, bands, out, to);
    else for (let i = 0; i < pixels; i++) out[to + i * bands.length + block.band] = values[from + i];
  }
}

function copyBands(
  values: SampleArray,
  from: number,
  samples: number,
  pixels: number,
  bands: readonly number[],
  out: SampleArray,
  to: number,
): void {
  for (let i = 0; i < pixels; i++) {
    for (let band = 0; band < bands.length; band++) {
      out[to + i * bands.length + band] = values[from + i * samples + bands[band]];
    }
  }
}

function allBands({ bands }: TiffImage): number[] {
  return Array.from({ length: bands }, (_, band) => band);
}

function assertWindow(
  image: TiffImage,
  x0: number,
  y0: number,
  width: number,
  height: number,
  bands: readonly number[],
): void {
  if (![x0, y0, width, height].every(Number.isSafeInteger) || width < 1 || height < 1)
    throw new RangeError(`wanted a window of whole pixels, got ${width} x ${height} at ${x0}, ${y0}`);
  const wrong = bands.find((band) => !Number.isInteger(band) || band < 0 || band >= image.bands);
  if (bands.length === 0 || wrong !== undefined)
    throw new RangeError(`wanted bands from 0 to ${image.bands - 1}, got ${bands.length === 0 ? 'none' : wrong}`);
}

/** What stands where the file has no pixel. */
function fillValue(place: string, { nodata, sampleType }: TiffImage, leaves: boolean): number {
  if (nodata !== null && isSample(sampleType, nodata)) return nodata;
  if (nodata !== null)
    throw new TiffError('no_nodata', place, `wanted a nodata value that ${sampleType} can hold, got ${nodata}`);
  if (leaves)
    throw new TiffError('no_nodata', place, 'the window leaves the image, and the file names no nodata value');
  return 0;
}

/** Waits for all, so that nothing goes on unnoticed by the caller; `stop` is called at the first failure. */
async function allOrFirstError(jobs: readonly Promise<void>[], stop: () => void): Promise<void> {
  const first = Promise.all(jobs).catch((error: unknown) => {
    stop();
    return Promise.reject(error);
  });
  await Promise.allSettled(jobs);
  await first;
}
