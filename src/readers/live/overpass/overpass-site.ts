import type { BuildingsNearby, BusinessesNearby, Nearby } from '../../../facilities/sources.ts';
import type { Commodity } from '../../../facilities/commodity/commodities.ts';
import { createProbe } from '../../../geo/features/create-probe.ts';
import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { businessReach, hasBusinessTag, reachM, type BusinessReach } from '../../themes/business-kinds.ts';
import { ROAD_CLASSES } from '../../themes/themes.ts';
import type { OverpassElement } from './overpass-document.ts';
import { WATER_TAGS } from './overpass-query.ts';
import { addShape, shapeOf, type Line } from './overpass-shapes.ts';

type Tags = OverpassElement['tags'];

const ROADS: ReadonlySet<string> = new Set(ROAD_CLASSES);
/** Values of `building` that are works, stores or mills. */
const INDUSTRIAL: ReadonlySet<string> = new Set([
  'industrial',
  'warehouse',
  'factory',
  'manufacture',
  'works',
  'mill',
  'silo',
  'sawmill',
  'storage_tank',
]);
const ROAD_WORDS: Readonly<Record<string, string>> = {
  unclassified: 'minor road',
  living_street: 'residential road',
  track: 'track',
  motorway: 'motorway',
  road: 'road',
};

/** The nearest road, or null. */
export function nearestRoad(elements: readonly OverpassElement[], shape: Shape, withinM: number): Nearby | null {
  return nearestOf(elements, shape, withinM, {
    picks: ({ highway }) => ROADS.has(highway ?? ''),
    isArea: () => false,
    kindOf: ({ highway }) => ROAD_WORDS[highway] ?? `${highway.replace('_link', '')} road`,
  });
}

/** The nearest water, or null. */
export function nearestWater(elements: readonly OverpassElement[], shape: Shape, withinM: number): Nearby | null {
  return nearestOf(elements, shape, withinM, {
    picks: (tags) =>
      Object.entries(WATER_TAGS).some(([key, values]) => (values as readonly string[]).includes(tags[key])),
    isArea: ({ natural, waterway }) => natural !== 'coastline' && (waterway === undefined || waterway === 'riverbank'),
    kindOf: ({ natural, waterway, landuse, water }) => {
      if (natural === 'coastline' || natural === 'bay' || natural === 'strait') return 'sea';
      if (waterway === 'riverbank' || water === 'river') return 'river';
      return waterway ?? water ?? (landuse === 'reservoir' ? 'reservoir' : 'water body');
    },
  });
}

/** Footprints and use of the buildings within the radius. */
export function buildingsNear(elements: readonly OverpassElement[], shape: Shape, radiusM: number): BuildingsNearby {
  let count = 0;
  let largestM2 = 0;
  let togetherM2 = 0;
  let industrial = false;
  const buildings = elements.filter(({ tags }) => tags['building'] !== undefined && tags['building'] !== 'no');
  for (const { element } of within(buildings, shape, radiusM, () => true)) {
    const areaM2 = footprint(element);
    count++;
    largestM2 = Math.max(largestM2, areaM2);
    togetherM2 += areaM2;
    const { building, man_made: manMade, industrial: industry } = element.tags;
    industrial ||= INDUSTRIAL.has(building) || manMade === 'works' || industry !== undefined;
  }
  return { count, largestM2, togetherM2, industrial };
}

/** The relevant businesses within the radius. */
export function businessesNear(
  elements: readonly OverpassElement[],
  commodity: Commodity | null,
  shape: Shape,
  withinM: number,
): BusinessesNearby {
  const reaches = Map.groupBy(elements, ({ tags }): BusinessReach =>
    hasBusinessTag(tags) ? businessReach(commodity, kindsOf(tags), namesOf(tags)) : 'none',
  );
  const found = (['chain', 'general'] as const).flatMap((reach) =>
    within(reaches.get(reach) ?? [], shape, reachM(reach, withinM), () => true),
  );
  const [first] = found.toSorted((a, b) => a.distanceM - b.distanceM);
  if (first === undefined) return { count: 0, nearest: null };
  const { element, distanceM } = first;
  return { count: found.length, nearest: { distanceM, name: nameOf(element.tags), kind: businessKind(element.tags) } };
}

interface NearestRules {
  readonly picks: (tags: Tags) => boolean;
  readonly isArea: (tags: Tags) => boolean;
  readonly kindOf: (tags: Tags) => string;
}

function nearestOf(
  elements: readonly OverpassElement[],
  shape: Shape,
  withinM: number,
  { picks, isArea, kindOf }: NearestRules,
): Nearby | null {
  const picked = elements.filter(({ tags }) => picks(tags));
  let best: { readonly element: OverpassElement; readonly distanceM: number } | null = null;
  for (const found of within(picked, shape, withinM, isArea))
    if (best === null || found.distanceM < best.distanceM) best = found;
  if (best === null) return null;
  const { tags } = best.element;
  return { distanceM: best.distanceM, name: nameOf(tags), kind: kindOf(tags) };
}

/** The elements within so many metres, with the distance of their nearest part. */
function within(
  elements: readonly OverpassElement[],
  shape: Shape,
  withinM: number,
  isArea: (tags: Tags) => boolean,
): { readonly element: OverpassElement; readonly distanceM: number }[] {
  const builder = new FeatureBuilder(elements.length + 1);
  const owners: OverpassElement[] = [];
  for (const element of elements) addShape(builder, shapeOf(element, isArea(element.tags)), () => owners.push(element));
  const probe = createProbe(shape);
  const nearest = new Map<OverpassElement, number>();
  for (let id = 0; id < builder.count; id++) {
    const distanceM = probe.distanceM(builder, id, withinM);
    if (distanceM <= withinM && distanceM < (nearest.get(owners[id]) ?? Infinity)) nearest.set(owners[id], distanceM);
  }
  return Array.from(nearest, ([element, distanceM]) => ({ element, distanceM }));
}

/** Square metres on the ground: the outer rings less the inner ones. */
function footprint(element: OverpassElement): number {
  const { outers, inners } = shapeOf(element, true);
  const sum = (rings: readonly Line[]): number =>
    rings.reduce((total, ring) => total + polygonArea([Float64Array.from(ring)]).area, 0);
  return Math.max(0, sum(outers) - sum(inners));
}

function kindsOf(tags: Tags): string[] {
  return Object.entries(tags).map(([key, value]) => `${key}=${value}`);
}

const NAME_KEYS = /^(name|official_name|alt_name|operator|brand|owner)(:|$)/;

function namesOf(tags: Tags): string[] {
  return Object.entries(tags).flatMap(([key, value]) => (NAME_KEYS.test(key) ? [String(value)] : []));
}

function nameOf(tags: Tags): string | null {
  const name = tags['name'] ?? tags['name:en'] ?? tags['ref'] ?? tags['operator'];
  return typeof name === 'string' ? name.slice(0, 200) : null;
}

const KIND_KEYS = ['industrial', 'craft', 'shop', 'office', 'man_made', 'amenity', 'landuse', 'building'] as const;

function businessKind(tags: Tags): string {
  const key = KIND_KEYS.find((candidate) => tags[candidate] !== undefined && tags[candidate] !== 'yes');
  return key === undefined ? 'business' : tags[key].replaceAll('_', ' ');
}
