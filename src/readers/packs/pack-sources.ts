import type {
  Answer,
  BuildingsNearby,
  DatasetRef,
  Density,
  FacilitySources,
  MaybeAnswer,
} from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { BUILDINGS, BUSINESSES, findBeyond, NEAREST, type Question } from './answers/beyond-ground.ts';
import { builtUpNear, NO_BUILDINGS } from './answers/buildings-near.ts';
import type { LayerRole } from './layer/layer-plan.ts';
import { type PackLayer, unreadable } from './layer/pack-layer.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';
import { firstAnswer } from '../../first-answer.ts';

/** The questions of the facility checks that regional packs answer. */
export type PackSources = Pick<
  FacilitySources,
  'nearestRoad' | 'nearestWater' | 'nearestPort' | 'buildings' | 'businesses' | 'density'
>;

/** The same questions of packs whose ground does not hold the place, without density: a share needs the whole circle. */
export type BeyondSources = Omit<PackSources, 'density'>;

/** What decides whether a place is dense; the caller's thresholds. */
interface DensityRule {
  /** Metres around the place. */
  readonly radiusM: number;
  /** Built-up share above which it is dense. */
  readonly share: number;
}

export interface PackRules {
  readonly density: DensityRule;
  /** Whether buildings are enough for a facility; small ones alone would say that there are no others. */
  readonly isSizeable: (found: BuildingsNearby) => boolean;
}

/**
 * Answers from layers, for each role in their order. The first that knows the place answers with what it finds; where it finds nothing, it
 * answers only if it knows the whole circle and holds the theme there, else the next is queried: what nobody looked at is unknown, not absent.
 */
export function packSources(layers: readonly PackLayer[], { density, isSizeable }: PackRules): PackSources {
  const ofRole = (role: LayerRole): readonly PackLayer[] => layers.filter((layer) => layer.role === role);
  const [roads, water, ports] = [ofRole('roads'), ofRole('water'), ofRole('ports')];
  const [buildings, land, businesses] = [ofRole('buildings'), ofRole('industrial-land'), ofRole('businesses')];
  const dense: Question<Density> = {
    look: (layer, shape, radiusM, signal) =>
      whenReady(builtUpNear(layer, shape, radiusM, signal), (share) => describeDensity(share, density)),
    found: (value) => value.dense,
  };
  const sizeable: Question<BuildingsNearby> = { ...BUILDINGS, found: isSizeable };
  return {
    nearestRoad: (shape, withinM, signal) => firstThatKnows(NEAREST, roads, shape, withinM, signal),
    nearestWater: (shape, withinM, signal) => firstThatKnows(NEAREST, water, shape, withinM, signal),
    nearestPort: (shape, withinM, signal) => firstThatKnows(NEAREST, ports, shape, withinM, signal),
    businesses: (commodity, shape, withinM, signal) =>
      firstThatKnows(BUSINESSES[commodity ?? 'none'], businesses, shape, withinM, signal),
    buildings: (shape, radiusM, signal) =>
      buildingsAnswer(firstThatKnows, sizeable, buildings, land, shape, radiusM, signal),
    density: (shape, signal) => firstThatKnows(dense, buildings, shape, density.radiusM, signal),
  };
}

function firstThatKnows<T>(
  question: Question<T>,
  layers: readonly PackLayer[],
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybeAnswer<T> {
  const [lon, lat] = shape.inside;
  return firstAnswer(layers, (layer): MaybeAnswer<T> => {
    if (!layer.ground.holds(lon, lat)) return null;
    const value = question.look(layer, shape, withinM, signal);
    if (!(value instanceof Promise)) return ifKnown(question, layer, shape, withinM, value);
    return value.then(
      (later) => ifKnown(question, layer, shape, withinM, later),
      (error: unknown) => Promise.reject(unreadable(layer, error)),
    );
  });
}

function ifKnown<T>(
  question: Question<T>,
  layer: PackLayer,
  shape: Shape,
  withinM: number,
  value: T,
): Answer<T> | null {
  return question.found(value) || layer.knowsAround(shape, withinM) ? { dataset: layer.ref, value } : null;
}

/**
 * Answers from layers whose ground does not hold the place, with what they find and never with nothing: a thing that is there is evidence
 * wherever the place lies. Synthetic layers say nothing of places beyond theirs.
 */
export function beyondSources(layers: readonly PackLayer[]): BeyondSources {
  const ofRole = (role: LayerRole): readonly PackLayer[] =>
    layers.filter((layer) => layer.role === role && !layer.ref.synthetic);
  const [roads, water, ports] = [ofRole('roads'), ofRole('water'), ofRole('ports')];
  const [buildings, land, businesses] = [ofRole('buildings'), ofRole('industrial-land'), ofRole('businesses')];
  return {
    nearestRoad: (shape, withinM, signal) => findBeyond(NEAREST, roads, shape, withinM, signal),
    nearestWater: (shape, withinM, signal) => findBeyond(NEAREST, water, shape, withinM, signal),
    nearestPort: (shape, withinM, signal) => findBeyond(NEAREST, ports, shape, withinM, signal),
    businesses: (commodity, shape, withinM, signal) =>
      findBeyond(BUSINESSES[commodity ?? 'none'], businesses, shape, withinM, signal),
    buildings: (shape, radiusM, signal) =>
      buildingsAnswer(findBeyond, BUILDINGS, buildings, land, shape, radiusM, signal),
  };
}

/** Buildings and industrial land together; the dataset that decided is named. */
function buildingsAnswer(
  query: typeof findBeyond,
  question: Question<BuildingsNearby>,
  buildings: readonly PackLayer[],
  land: readonly PackLayer[],
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): MaybeAnswer<BuildingsNearby> {
  const standing = query(question, buildings, shape, radiusM, signal);
  const used = query(NEAREST, land, shape, radiusM, signal);
  return both(standing, used, (built, site) => {
    if (site === null || site.value === null) return built;
    const value = built?.value ?? NO_BUILDINGS;
    const dataset: DatasetRef = built !== null && built.value.industrial ? built.dataset : site.dataset;
    const industrialSite = site.value.name === null ? site.value.kind : `${site.value.name}, ${site.value.kind}`;
    const nearestM = Math.min(value.nearestM ?? Infinity, site.value.distanceM);
    return { dataset, value: { ...value, industrial: true, industrialSite, nearestM } };
  });
}

function describeDensity(share: number, rule: DensityRule): Density {
  const dense = share > rule.share;
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  const built = `${percent(share)} of the ground within ${rule.radiusM} m is built up`;
  const detail = [
    `${built}, ${dense ? 'more than' : 'not more than'} the`,
    `${percent(rule.share)} of dense ground.`,
  ].join(' ');
  const params = { built_share: share, radius_m: rule.radiusM, dense: dense ? 'yes' : 'no', dense_share: rule.share };
  return { dense, detail, said: { code: 'built_up', params, message: detail } };
}

function both<A, B, R>(a: MaybePromise<A>, b: MaybePromise<B>, join: (a: A, b: B) => R): MaybePromise<R> {
  if (!(a instanceof Promise) && !(b instanceof Promise)) return join(a, b);
  return Promise.all([a, b]).then(([first, second]) => join(first, second));
}
