import { createHash } from 'node:crypto';
import type { DatasetRef } from '../../facilities/sources.ts';
import type { PatchRaster } from '../../forest/sources.ts';
import { createEvaluator, type Evaluator } from '../../geo/detection/evaluate.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { headNumbers, headsFor } from './heads.ts';
import type { InstalledHead } from '../models/installed-models.ts';
import { placeOfYear } from '../forest/place-of-year.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import { missingPixels, positionsOf, type PixelLayer, type PixelMemory } from './pixel-memory.ts';
import { samplePlaces, windowsOf, type SampleWindow } from './places.ts';
import { firstAnswerOrFailure } from '../../first-answer.ts';

/** Windows read at the same time. */
const WINDOWS_AT_ONCE = 2;

/** What heads say of pixels around a place. */
export interface HeadClaims {
  readonly heads: readonly InstalledHead[];
  /** Of each pixel: at least 0 where one of the heads claims it, below where none does, NaN without data. */
  readonly margins: Float64Array;
  readonly isComplete: boolean;
  readonly positions: Int32Array;
  readonly raster: PatchRaster;
  readonly embeddings: DatasetRef;
  /** The same of the year before, where there are embeddings of it. Rejects when they cannot be read in time. */
  readonly earlier: () => Promise<HeadClaims | null>;
}

/** What heads are evaluated on. */
export interface HeadGround {
  readonly embeddings: readonly EmbeddingSource[];
  /** What they have said so far. */
  readonly memory: PixelMemory;
}

interface OpenHead extends Evaluator {
  /** Distinguishes its numbers from those of any other head. */
  readonly numbers: string;
}

/** Evaluates the heads of a subject; null where no embeddings cover the place, or none that the heads know. */
export type ClaimHeads = (
  subject: string,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
) => Promise<HeadClaims | null>;

/**
 * Heads over the pixels of the first embeddings that cover a place; heads fitted on generated embeddings over those alone.
 * What a head says of a pixel is computed once as long as the memory keeps it, for all places around and all subjects.
 */
export function createHeadClaims(
  heads: readonly InstalledHead[],
  openGround: () => Promise<HeadGround>,
  timeoutMs: number,
): ClaimHeads {
  const opened = new Map<string, Promise<OpenHead>>();

  function openHead(head: InstalledHead): Promise<OpenHead> {
    const open =
      opened.get(head.id) ??
      headNumbers(head).then((numbers) => ({ numbers: digestOf(numbers), ...createEvaluator(numbers) }));
    opened.set(head.id, open);
    open.catch(() => opened.delete(head.id));
    return open;
  }

  /** What each of some heads says of pixels; only those of which nothing is kept are read. */
  async function probabilities(
    source: EmbeddingSource,
    raster: PatchRaster,
    used: readonly InstalledHead[],
    positions: Int32Array,
    memory: PixelMemory,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const open = await Promise.all(used.map(openHead));
    const layers = open.map(({ numbers }) => layerOf(source, raster, numbers));
    const kept = await Promise.all(layers.map((layer) => memory.recall(layer, positions)));
    const missing = missingPixels(kept);
    if (missing.length === 0) return kept;
    const places = positionsOf(positions, missing);
    const codes = await readCodes(raster, places, signal);
    for (const [i, head] of open.entries()) {
      const values = head.evaluate(codes);
      memory.keep(layers[i], places, values);
      missing.forEach((pixel, number) => (kept[i][pixel] = values[number]));
    }
    return kept;
  }

  return async (subject, shape, radiusM, signal) => {
    const isCovered = (synthetic: boolean): boolean => headsFor(heads, subject, shape.inside, synthetic).length > 0;
    if (!isCovered(true) && !isCovered(false)) return null;
    const begun = performance.now();
    const { embeddings, memory } = await openGround();
    const found = await firstAnswerOrFailure(
      embeddings,
      async (source) => {
        const place = await source.at(shape.inside[0], shape.inside[1], signal);
        if (place === null) return null;
        if (!isCovered(source.dataset.synthetic)) return NOT_COVERED;
        return { source, claims: await claimsOn(source, place.raster) };
      },
      { signal },
    );
    if (found === null || found === NOT_COVERED) return null;
    return { ...found.claims, earlier: () => earlierClaims(found.source, found.claims) };

    async function claimsOn(
      source: EmbeddingSource,
      raster: PatchRaster,
      places = samplePlaces(raster, shape, radiusM),
      until = signal,
    ) {
      const used = headsFor(heads, subject, shape.inside, source.dataset.synthetic);
      const all = await probabilities(source, raster, used, places.positions, memory, until);
      const margins = highestMargins(all, used);
      return { ...places, heads: used, margins, raster, embeddings: source.dataset };
    }

    async function earlierClaims(
      source: EmbeddingSource,
      newest: Awaited<ReturnType<typeof claimsOn>>,
    ): Promise<HeadClaims | null> {
      const left = Math.ceil(Math.max(1, timeoutMs * PATIENCE - (performance.now() - begun)));
      const soon = AbortSignal.any([signal, AbortSignal.timeout(left)]);
      const place = await placeOfYear(source, ...shape.inside, newest.raster.year - 1, soon);
      if (place === null) return null;
      // Nearly always the grid of both years is the same, and with it the pixels.
      const places = isSameLattice(place.raster, newest.raster) ? newest : undefined;
      const claims = await claimsOn(source, place.raster, places, soon);
      return { ...claims, earlier: () => Promise.resolve(null) };
    }
  };
}

/** Part of the time of a check after which the year before is not waited for any longer. */
const PATIENCE = 0.7;

/** Ends the search: the source that has the place is not one whose answer is wanted. */
const NOT_COVERED = Symbol('not covered');

function isSameLattice(a: PatchRaster, b: PatchRaster): boolean {
  return a.crs === b.crs && a.transform.every((value, i) => value === b.transform[i]);
}

/** Of a local file nothing is kept on disk: it may be replaced, and is read as fast. */
function layerOf({ dataset }: EmbeddingSource, raster: PatchRaster, numbers: string): PixelLayer {
  const { url = null, version } = dataset;
  const place = [dataset.id, version, url, raster.id, raster.year, raster.crs, ...raster.transform];
  return { key: JSON.stringify(['head', numbers, ...place]), isOnDisk: url !== null };
}

/** The SHA-256 of all numbers of a head: one that is trained or installed again under its name is another one. */
function digestOf({ layers, calibration, edges, activation, ...first }: DetectionHead): string {
  const hash = createHash('sha256').update(activation);
  const { thresholds, slopes, intercepts } = calibration;
  const arrays = [...edges, first.binWeights, first.slopes, first.bias, thresholds, slopes, intercepts];
  for (const array of [...arrays, ...layers.flatMap(({ weights, bias }) => [weights, bias])])
    hash.update(`${array.length} `).update(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return hash.digest('base64url');
}

/** By how much a pixel exceeds the threshold of the head that claims it most. One without data has none for any head. */
function highestMargins(all: readonly Float32Array[], heads: readonly InstalledHead[]): Float64Array {
  const margins = new Float64Array(all[0].length).fill(-Infinity);
  all.forEach((values, i) => {
    const { threshold } = heads[i].about;
    for (let pixel = 0; pixel < margins.length; pixel++)
      margins[pixel] = Math.max(margins[pixel], Math.fround(values[pixel] - threshold));
  });
  return margins;
}

/** Codes of pixels, 64 a pixel, -128 for no data, read window by window. */
async function readCodes(raster: PatchRaster, positions: Int32Array, signal: AbortSignal): Promise<Int8Array> {
  const windows = windowsOf(positions);
  const codes = new Int8Array((positions.length / 2) * BANDS).fill(NODATA);
  for (let i = 0; i < windows.length; i += WINDOWS_AT_ONCE) {
    const some = windows.slice(i, i + WINDOWS_AT_ONCE);
    await Promise.all(some.map((window) => readInto(codes, raster, window, positions, signal)));
  }
  return codes;
}

async function readInto(
  codes: Int8Array,
  raster: PatchRaster,
  { left, top, right, bottom, pixels }: SampleWindow,
  positions: Int32Array,
  signal: AbortSignal,
): Promise<void> {
  const width = right - left;
  const window = await raster.window(left, top, width, bottom - top, signal);
  const row = new Int8Array(width * BANDS);
  let held = -1;
  for (const pixel of pixels) {
    const y = positions[2 * pixel + 1] - top;
    if (y !== held) window.copyRow(y, row);
    held = y;
    const from = (positions[2 * pixel] - left) * BANDS;
    codes.set(row.subarray(from, from + BANDS), pixel * BANDS);
  }
}
