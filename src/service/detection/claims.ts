import type { DatasetRef } from '../../facilities/sources.ts';
import type { PatchRaster } from '../../forest/sources.ts';
import { createEvaluator, type Evaluator } from '../../geo/detection/evaluate.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { headNumbers, headsFor } from './heads.ts';
import type { InstalledHead } from '../models/installed-models.ts';
import { placeOfYear } from '../forest/place-of-year.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import { samplePlaces, type SampleWindow } from './places.ts';
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

/** Evaluates the heads of a subject; null where no embeddings cover the place, or none that the heads know. */
export type ClaimHeads = (
  subject: string,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
) => Promise<HeadClaims | null>;

/** Heads over the pixels of the first embeddings that cover a place; heads fitted on generated embeddings over those alone. */
export function createHeadClaims(
  heads: readonly InstalledHead[],
  embeddings: () => Promise<readonly EmbeddingSource[]>,
  timeoutMs: number,
): ClaimHeads {
  const evaluators = new Map<string, Promise<Evaluator>>();

  function evaluatorOf(head: InstalledHead): Promise<Evaluator> {
    const opened = evaluators.get(head.id) ?? headNumbers(head).then(createEvaluator);
    evaluators.set(head.id, opened);
    opened.catch(() => evaluators.delete(head.id));
    return opened;
  }

  return async (subject, shape, radiusM, signal) => {
    const isCovered = (synthetic: boolean): boolean => headsFor(heads, subject, shape.inside, synthetic).length > 0;
    if (!isCovered(true) && !isCovered(false)) return null;
    const begun = performance.now();
    const sampled = await sampleAt(await embeddings(), shape, radiusM, isCovered, signal);
    if (sampled === null) return null;
    const { source, ...newest } = sampled;
    const used = headsFor(heads, subject, shape.inside, newest.embeddings.synthetic);

    async function claimsOf(place: SampledPlace, earlier: HeadClaims['earlier']): Promise<HeadClaims> {
      const above = await Promise.all(
        used.map(async (head) =>
          (await evaluatorOf(head)).evaluate(place.codes).map((probability) => probability - head.about.threshold),
        ),
      );
      // A pixel without data has none for any head.
      const margins = Float64Array.from(above[0], (_, pixel) => Math.max(...above.map((own) => own[pixel])));
      return { ...place, heads: used, margins, earlier };
    }

    return claimsOf(newest, async () => {
      const left = Math.ceil(Math.max(1, timeoutMs * PATIENCE - (performance.now() - begun)));
      const soon = AbortSignal.any([signal, AbortSignal.timeout(left)]);
      const place = await placeOfYear(source, ...shape.inside, newest.raster.year - 1, soon);
      if (place === null) return null;
      const { raster } = place;
      const codes = await sampleCodes(raster, shape, radiusM, soon);
      return claimsOf({ ...codes, embeddings: newest.embeddings, raster }, () => Promise.resolve(null));
    });
  };
}

/** Part of the time of a check after which the year before is not waited for any longer. */
const PATIENCE = 0.7;

type SampledPlace = SampledCodes & Pick<HeadClaims, 'embeddings' | 'raster'>;

/** Queries the embeddings in their order; one that fails is passed over, and its failure stands when no later one answers. */
async function sampleAt(
  sources: readonly EmbeddingSource[],
  shape: Shape,
  radiusM: number,
  isCovered: (synthetic: boolean) => boolean,
  signal: AbortSignal,
): Promise<(SampledPlace & { readonly source: EmbeddingSource }) | null> {
  const found = await firstAnswerOrFailure(
    sources,
    async (source) => {
      const place = await source.at(shape.inside[0], shape.inside[1], signal);
      if (place === null) return null;
      if (!isCovered(source.dataset.synthetic)) return NOT_COVERED;
      const { raster } = place;
      return { ...(await sampleCodes(raster, shape, radiusM, signal)), embeddings: source.dataset, raster, source };
    },
    { signal },
  );
  return found === NOT_COVERED ? null : found;
}

/** Ends the search: the source that has the place is not one whose answer is wanted. */
const NOT_COVERED = Symbol('not covered');

/** Codes of sampled pixels, 64 a pixel, -128 for no data. */
interface SampledCodes {
  readonly codes: Int8Array;
  /** Column and row of each pixel. */
  readonly positions: Int32Array;
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

/** Draws pixels whose centres lie within the radius of a shape, and reads their codes window by window. */
async function sampleCodes(
  raster: PatchRaster,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): Promise<SampledCodes> {
  const { positions, windows, isComplete } = samplePlaces(raster, shape, radiusM);
  const codes = new Int8Array((positions.length / 2) * BANDS).fill(NODATA);
  for (let i = 0; i < windows.length; i += WINDOWS_AT_ONCE) {
    const some = windows.slice(i, i + WINDOWS_AT_ONCE);
    await Promise.all(some.map((window) => readInto(codes, raster, window, positions, signal)));
  }
  return { codes, positions, isComplete };
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
