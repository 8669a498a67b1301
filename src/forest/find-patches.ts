import type { LonLat } from '../geo/shapes/shape.ts';
import { findPatch, type FindPatchOptions } from './find-patch.ts';
import { writePatch, type WrittenPatch } from './feature-text.ts';
import { noPatch } from './patch.ts';
import { readPoint } from './read-point.ts';
import { createSharedWork } from './shared-work.ts';
import type { PatchSources } from './sources.ts';
import { forestWarning } from './warnings.ts';

/** What is looked up for one input feature: a place, or why there is none. */
export type PointQuestion =
  | { readonly point: LonLat; readonly refused: null }
  | { readonly point: null; readonly refused: WrittenPatch };

/** The question of an input feature; one without a usable point has its answer already. */
export function questionOf(feature: unknown): PointQuestion {
  const read = readPoint(feature);
  if (read.point !== null) return { point: read.point, refused: null };
  const warning = forestWarning('invalid_point', { reason: read.fault });
  return { point: null, refused: writePatch(noPatch(read.input, warning)) };
}

/** What is reported while the patches of a batch are found. */
interface FindPatchesEvents {
  /** Called after each feature with how many are done. */
  readonly onDone?: (done: number) => void;
  /** Called with each answer and the seconds it took. */
  readonly onFound?: (patch: WrittenPatch, seconds: number) => void;
}

/** Lookups at work at the same time: enough to compute while others wait for bytes. */
const IN_FLIGHT = 4;

/**
 * The patches of a whole batch in this thread, in the order of the features, neighbouring points after one another so
 * that each block is read once; those in one segment share what was found of it.
 *
 * @throws the reason of `options.signal` when it aborts.
 */
export async function findPatches(
  features: readonly unknown[],
  sources: PatchSources,
  options: FindPatchOptions,
  { onDone = () => {}, onFound = () => {} }: FindPatchesEvents = {},
): Promise<WrittenPatch[]> {
  const questions = features.map(questionOf);
  const shared = createSharedWork();
  const patches = questions.map(({ refused }) => refused);
  const waiting = workOrder(questions.map(({ point }) => point)).flat();
  for (const patch of patches) if (patch !== null) onFound(patch, 0);
  let done = features.length - waiting.length;
  onDone(done);
  const work = async (): Promise<void> => {
    for (let i = waiting.shift(); i !== undefined; i = waiting.shift()) {
      const { point } = questions[i]!;
      if (point === null) continue;
      options.signal.throwIfAborted();
      const begun = performance.now();
      const patch = writePatch(await findPatch(point, sources, { ...options, shared }));
      patches[i] = patch;
      onFound(patch, (performance.now() - begun) / 1000);
      onDone(++done);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return patches as WrittenPatch[];
}

/** Side of a square of neighbouring points, in degrees: about a block of 256 pixels of 10 m. */
const SQUARE = 0.025;

/** Points that lie in one square, by their places in the batch. */
type Neighbours = readonly number[];

/**
 * Places of the points of a batch, grouped so that a worker which takes group after group reads each block of embeddings
 * about once: neighbouring points together, squares row by row, every other row backwards. Null stands for no point and
 * is left out.
 */
export function workOrder(points: readonly (LonLat | null)[]): readonly Neighbours[] {
  const squares = new Map<string, { readonly column: number; readonly row: number; readonly members: number[] }>();
  for (const [i, point] of points.entries()) {
    if (point === null) continue;
    const column = Math.floor(point[0] / SQUARE);
    const row = Math.floor(point[1] / SQUARE);
    const key = `${column} ${row}`;
    const square = squares.get(key);
    if (square === undefined) squares.set(key, { column, row, members: [i] });
    else square.members.push(i);
  }
  const backwards = (row: number): 1 | -1 => (row % 2 === 0 ? 1 : -1);
  return [...squares.values()]
    .toSorted((a, b) => a.row - b.row || backwards(a.row) * (a.column - b.column))
    .map(({ members }) => members);
}
