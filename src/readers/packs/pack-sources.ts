import type {
  Answer,
  BuildingsNearby,
  DatasetRef,
  Density,
  FacilitySources,
  MaybeAnswer,
  Nearby,
} from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shape.ts';
import { buildingsNear, builtUpNear, NO_BUILDINGS, type BuildingsFound } from './buildings-near.ts';
import { businessesNear } from './businesses-near.ts';
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
  const nearest = (from: readonly PackLayer[], shape: Shape, withinM: number, signal: AbortSignal) =>
    firstThatKnows<Nearby | null>(from, shape, withinM, (layer) =>
      after(nearestOf(layer, shape, withinM, signal), (found) => ({ value: found, found: found !== null })),
    );
  return {
    nearestRoad: (shape, withinM, signal) => nearest(roads, shape, withinM, signal),
    nearestWater: (shape, withinM, signal) => nearest(water, shape, withinM, signal),
    nearestPort: (shape, withinM, signal) => nearest(ports, shape, withinM, signal),
    businesses: (commodity, shape, withinM, signal) =>
      firstThatKnows(businesses, shape, withinM, (layer) =>
        after(businessesNear(layer, commodity, shape, withinM, signal), (value) => ({ value, found: value.count > 0 })),
      ),
    buildings: (shape, radiusM, signal) => buildingsAnswer(buildings, land, shape, radiusM, signal),
    density: (shape, signal) =>
      firstThatKnows(buildings, shape, density.radiusM, (layer) =>
        after(builtUpNear(layer, shape, density.radiusM, signal), ({ share, any }) => ({
          value: describeDensity(share, density),
          found: any && share > density.share,
        })),
      ),
  };
}

interface Looked<T> {
  readonly value: T;
  /** Whether it found something; nothing has a meaning only where the whole circle is known. */
  readonly found: boolean;
}

function firstThatKnows<T>(
  layers: readonly PackLayer[],
  shape: Shape,
  withinM: number,
  look: (layer: PackLayer) => MaybePromise<Looked<T>>,
  from = 0,
): MaybeAnswer<T> {
  const [lon, lat] = shape.inside;
  for (let i = from; i < layers.length; i++) {
    const layer = layers[i];
    if (!layer.ground.holds(lon, lat)) continue;
    const looked = look(layer);
    if (looked instanceof Promise)
      return looked.then(
        (later) => answerOf(layer, shape, withinM, later) ?? firstThatKnows(layers, shape, withinM, look, i + 1),
      );
    const answer = answerOf(layer, shape, withinM, looked);
    if (answer !== null) return answer;
  }
  return null;
}

function answerOf<T>(layer: PackLayer, shape: Shape, withinM: number, { value, found }: Looked<T>): Answer<T> | null {
  return found || layer.ground.holdsAround(shape, withinM) ? { dataset: layer.ref, value } : null;
}

/** Buildings and industrial land together; the dataset that decided is named. */
function buildingsAnswer(
  buildings: readonly PackLayer[],
  land: readonly PackLayer[],
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): MaybeAnswer<BuildingsNearby> {
  const standing = firstThatKnows(buildings, shape, radiusM, (layer) =>
    after(buildingsNear(layer, shape, radiusM, signal), (value) => ({ value, found: value.count > 0 })),
  );
  const used = firstThatKnows<Nearby | null>(land, shape, radiusM, (layer) =>
    after(nearestOf(layer, shape, radiusM, signal), (value) => ({ value, found: value !== null })),
  );
  return both(standing, used, (built, site) => {
    if (site === null || site.value === null)
      return built === null ? null : { ...built, value: withNearest(built.value) };
    const value = built?.value ?? NO_BUILDINGS;
    const dataset: DatasetRef = built !== null && built.value.industrial ? built.dataset : site.dataset;
    const industrialSite = site.value.name === null ? site.value.kind : `${site.value.name}, ${site.value.kind}`;
    const nearestM = Math.min(value.nearestM ?? Infinity, site.value.distanceM);
    return { dataset, value: { ...value, industrial: true, industrialSite, nearestM } };
  });
}

function withNearest({ nearestM, ...value }: BuildingsFound): BuildingsNearby {
  return nearestM === null ? value : { ...value, nearestM };
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
