import type { Answer, BuildingsNearby, BusinessesNearby, MaybeAnswer, Nearby } from '../../../facilities/sources.ts';
import { windowsAround } from '../../../geo/shapes/reach.ts';
import type { Bbox, Shape } from '../../../geo/shapes/shape.ts';
import { nearestOf, type PackLayer, unreadable } from '../layer/pack-layer.ts';
import type { Commodity } from '../../../facilities/commodity/commodities.ts';
import { buildingsNear } from './buildings-near.ts';
import { businessesNear } from './businesses-near.ts';
import { COMMODITIES_IN_ORDER } from '../layer/layer-plan.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';

/** Said with every find: what the layer lacks around the place may be nearer. */
const NOTE = 'The place lies outside the coverage of this dataset, so that something nearer may be missing.';

/**
 * What layers find whose ground does not hold a place, and `null` when they find nothing: the nearest of them, or for questions that count
 * the first. A layer is searched only where the box round its ground comes within so many metres of the shape.
 */
export function findBeyond<T>(
  question: Question<T>,
  layers: readonly PackLayer[],
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybeAnswer<T> {
  const [lon, lat] = shape.inside;
  let windows: readonly Bbox[] | null = null;
  let near: PackLayer[] | null = null;
  for (const layer of layers) {
    if (layer.ground.holds(lon, lat)) continue;
    windows ??= windowsAround(shape.bbox, withinM);
    if (layer.ground.boxTouches(windows)) (near ??= []).push(layer);
  }
  if (near === null) return null;
  if (near.some(({ memory }) => memory === null)) return findOnDisk(question, near, shape, withinM, signal);
  let best: Answer<T> | null = null;
  for (const layer of near) {
    best = better(question, best, layer, question.look(layer, shape, limitOf(question, best, withinM), signal) as T);
    if (isSettled(question, best)) return best;
  }
  return best;
}

/** The same where layers are read from disk. One that cannot be read is passed over where another finds something. */
async function findOnDisk<T>(
  question: Question<T>,
  near: readonly PackLayer[],
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<Answer<T> | null> {
  let best: Answer<T> | null = null;
  let failure: { readonly error: unknown } | null = null;
  for (const layer of near) {
    try {
      const value = await question.look(layer, shape, limitOf(question, best, withinM), signal);
      best = better(question, best, layer, value);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= { error: unreadable(layer, error) };
    }
    if (isSettled(question, best)) return best;
  }
  if (best === null && failure !== null) throw failure.error;
  return best;
}

/** Metres within which a further layer has to find something. */
function limitOf<T>({ distanceM }: Question<T>, best: Answer<T> | null, withinM: number): number {
  return best === null || distanceM === undefined ? withinM : distanceM(best.value);
}

/** The layer queried before, among equals. */
function better<T>(question: Question<T>, best: Answer<T> | null, layer: PackLayer, value: T): Answer<T> | null {
  if (!question.found(value)) return best;
  if (best !== null && !((question.distanceM?.(value) ?? 0) < limitOf(question, best, 0))) return best;
  return { dataset: { ...layer.ref, note: NOTE, notes: [{ code: 'note.beyond_ground', message: NOTE }] }, value };
}

function isSettled<T>({ distanceM }: Question<T>, best: Answer<T> | null): boolean {
  return best !== null && (distanceM === undefined || distanceM(best.value) === 0);
}

/** What is queried of each layer in turn. */
export interface Question<T> {
  look(layer: PackLayer, shape: Shape, withinM: number, signal: AbortSignal): MaybePromise<T>;
  /** Whether enough was found to answer; less has a meaning only where the whole circle is known. */
  found(value: T): boolean;
  /** Metres to what was found, where the nearer of two finds is the better one. */
  distanceM?(value: T): number;
}

export const NEAREST: Question<Nearby | null> = {
  look: nearestOf,
  found: (value) => value !== null,
  distanceM: (value) => value?.distanceM ?? Infinity,
};

export const BUILDINGS: Question<BuildingsNearby> = { look: buildingsNear, found: ({ count }) => count > 0 };

export const BUSINESSES = Object.fromEntries(
  COMMODITIES_IN_ORDER.map((commodity) => {
    const question: Question<BusinessesNearby> = {
      look: (layer, shape, withinM, signal) => businessesNear(layer, commodity, shape, withinM, signal),
      found: ({ count }) => count > 0,
    };
    return [commodity ?? 'none', question];
  }),
) as Readonly<Record<Commodity | 'none', Question<BusinessesNearby>>>;
