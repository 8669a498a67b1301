import { Problem } from '../../errors.ts';
import type { Commodity } from '../../facilities/commodities.ts';
import type {
  BuildingsNearby,
  BusinessesNearby,
  DatasetRef,
  Density,
  FacilitySources,
  MaybeAnswer,
  Nearby,
} from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shape.ts';
import { buildingsNear, builtUpNear, NO_BUILDINGS } from './buildings-near.ts';
import { businessesNear } from './businesses-near.ts';
import { COMMODITIES_IN_ORDER } from './commodity-bits.ts';
import type { LayerRole } from './layer-plan.ts';
import { nearestOf, type MaybePromise, type PackLayer } from './pack-layer.ts';

/** The questions of the facility checks that regional packs answer. */
export type PackSources = Pick<
  FacilitySources,
  'nearestRoad' | 'nearestWater' | 'nearestPort' | 'buildings' | 'businesses' | 'density'
>;

/** What decides whether a place is dense; the caller's thresholds. */
export interface DensityRule {
  /** Metres around the place. */
  readonly radiusM: number;
  /** Built-up share above which it is dense. */
  readonly share: number;
}

/**
 * Answers from layers, for each role in their order. The first that knows the place answers with what it finds; where it finds nothing, it
 * answers only if it knows the whole circle, else the next is asked: what nobody looked at is unknown, not absent.
 */
export function packSources(layers: readonly PackLayer[], density: DensityRule): PackSources {
  const ofRole = (role: LayerRole): readonly PackLayer[] => layers.filter((layer) => layer.role === role);
  const [roads, water, ports] = [ofRole('roads'), ofRole('water'), ofRole('ports')];
  const [buildings, land, businesses] = [ofRole('buildings'), ofRole('industrial-land'), ofRole('businesses')];
  const dense: Question<Density> = {
    look: (layer, shape, radiusM, signal) =>
      after(builtUpNear(layer, shape, radiusM, signal), (share) => describeDensity(share, density)),
    found: (value) => value.dense,
  };
  return {
    nearestRoad: (shape, withinM, signal) => firstThatKnows(NEAREST, roads, shape, withinM, signal),
    nearestWater: (shape, withinM, signal) => firstThatKnows(NEAREST, water, shape, withinM, signal),
    nearestPort: (shape, withinM, signal) => firstThatKnows(NEAREST, ports, shape, withinM, signal),
    businesses: (commodity, shape, withinM, signal) =>
      firstThatKnows(BUSINESSES[commodity ?? 'none'], businesses, shape, withinM, signal),
    buildings: (shape, radiusM, signal) => buildingsAnswer(buildings, land, shape, radiusM, signal),
    density: (shape, signal) => firstThatKnows(dense, buildings, shape, density.radiusM, signal),
  };
}

/** What is asked of each layer in turn. */
interface Question<T> {
  look(layer: PackLayer, shape: Shape, withinM: number, signal: AbortSignal): MaybePromise<T>;
  /** Whether something was found; nothing has a meaning only where the whole circle is known. */
  found(value: T): boolean;
}

const NEAREST: Question<Nearby | null> = { look: nearestOf, found: (value) => value !== null };
const BUILDINGS: Question<BuildingsNearby> = { look: buildingsNear, found: ({ count }) => count > 0 };
const BUSINESSES = Object.fromEntries(
  COMMODITIES_IN_ORDER.map((commodity) => {
    const question: Question<BusinessesNearby> = {
      look: (layer, shape, withinM, signal) => businessesNear(layer, commodity, shape, withinM, signal),
      found: ({ count }) => count > 0,
    };
    return [commodity ?? 'none', question];
  }),
) as Readonly<Record<Commodity | 'none', Question<BusinessesNearby>>>;

function firstThatKnows<T>(
  question: Question<T>,
  layers: readonly PackLayer[],
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
  from = 0,
): MaybeAnswer<T> {
  const [lon, lat] = shape.inside;
  for (let i = from; i < layers.length; i++) {
    const layer = layers[i];
    if (!layer.ground.holds(lon, lat)) continue;
    const value = question.look(layer, shape, withinM, signal);
    if (value instanceof Promise)
      return value.then(
        (later) =>
          isKnown(question, layer, shape, withinM, later)
            ? { dataset: layer.ref, value: later }
            : firstThatKnows(question, layers, shape, withinM, signal, i + 1),
        (error: unknown) => Promise.reject(unreadable(layer, error)),
      );
    if (isKnown(question, layer, shape, withinM, value)) return { dataset: layer.ref, value };
  }
  return null;
}

/** The failure of a file in words for clients, who are not shown its path; the log has the cause. */
function unreadable(layer: PackLayer, cause: unknown): unknown {
  if (cause instanceof Problem) return cause;
  return new Problem('dependency_unavailable', `The dataset ${layer.ref.id} cannot be read`, { cause });
}

function isKnown<T>(question: Question<T>, { ground }: PackLayer, shape: Shape, withinM: number, value: T): boolean {
  return question.found(value) || ground.holdsAround(shape, withinM);
}

/** Buildings and industrial land together; the dataset that decided is named. */
function buildingsAnswer(
  buildings: readonly PackLayer[],
  land: readonly PackLayer[],
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): MaybeAnswer<BuildingsNearby> {
  const standing = firstThatKnows(BUILDINGS, buildings, shape, radiusM, signal);
  const used = firstThatKnows(NEAREST, land, shape, radiusM, signal);
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
  return {
    dense,
    detail: `${percent(share)} of the ground within ${rule.radiusM} m is built up, ${dense ? 'more than' : 'not more than'} the ${percent(rule.share)} of dense ground.`,
  };
}

function after<T, R>(value: MaybePromise<T>, follow: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(follow) : follow(value);
}

function both<A, B, R>(a: MaybePromise<A>, b: MaybePromise<B>, join: (a: A, b: B) => R): MaybePromise<R> {
  if (!(a instanceof Promise) && !(b instanceof Promise)) return join(a, b);
  return Promise.all([a, b]).then(([first, second]) => join(first, second));
}
