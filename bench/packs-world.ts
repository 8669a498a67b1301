import { seededRandom } from '../src/geo/seeded-random.ts';

/** A made-up land of clusters of buildings, for benchmarks: flat coordinates in degrees. */
export interface PacksWorld {
  /** Lines of 5 vertices. */
  readonly roads: Float64Array;
  /** Lines of 12 vertices. */
  readonly rivers: Float64Array;
  /** Corners of quadrangles, 4 each. */
  readonly buildings: Float64Array;
  readonly businesses: Float64Array;
  readonly ports: Float64Array;
  readonly facilities: Float64Array;
}

export const ROAD_VERTICES = 5;
export const RIVER_VERTICES = 12;

const KM = 1 / 111.2;
/** Buildings in a square kilometre at the middle of a cluster. */
const DENSITY = 1_500;

/** A world of `size` times 1 M roads, 2 M buildings, 200 k businesses, 60 k rivers and 300 ports, always equally dense. */
export function packsWorld(size: number, facilities: number): PacksWorld {
  const random = seededRandom(42);
  const gauss = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const side = 3 * Math.sqrt(size);
  const anywhere = (): [number, number] => [101 + random() * side, 1 + random() * side];
  const clusters = clustersOf(2e6 * size, random, anywhere);
  const ends = clusters.map(({ count }) => count);
  for (let i = 1; i < ends.length; i++) ends[i] += ends[i - 1];
  const inCluster = (): [number, number] => {
    const { lon, lat, spread } = clusters[indexOf(ends, random() * ends[ends.length - 1])];
    return [lon + gauss() * spread, lat + gauss() * spread];
  };
  const mixed = (share: number): [number, number] => (random() < share ? inCluster() : anywhere());
  const walks = (count: number, vertices: number, step: number, share: number): Float64Array => {
    const flat = new Float64Array(count * vertices * 2);
    for (let i = 0, at = 0; i < count; i++) {
      let [x, y] = mixed(share);
      let heading = random() * 2 * Math.PI;
      for (let v = 0; v < vertices; v++) {
        flat[at++] = rounded(x);
        flat[at++] = rounded(y);
        heading += gauss() * 0.4;
        x += Math.cos(heading) * step;
        y += Math.sin(heading) * step;
      }
    }
    return flat;
  };
  const scattered = (count: number, share: number): Float64Array => {
    const flat = new Float64Array(count * 2);
    for (let i = 0; i < count; i++) flat.set(mixed(share).map(rounded), i * 2);
    return flat;
  };
  return {
    roads: walks(1e6 * size, ROAD_VERTICES, 0.06 * KM, 0.7),
    rivers: walks(6e4 * size, RIVER_VERTICES, 0.25 * KM, 0),
    buildings: houses(clusters, random, gauss),
    businesses: scattered(2e5 * size, 0.9),
    ports: scattered(Math.ceil(300 * size), 0),
    facilities: scattered(facilities, 0.75),
  };
}

interface Cluster {
  readonly lon: number;
  readonly lat: number;
  readonly count: number;
  /** Degrees. */
  readonly spread: number;
}

/** Few large clusters and many small ones, as places are. */
function clustersOf(buildings: number, random: () => number, anywhere: () => [number, number]): Cluster[] {
  const clusters: Cluster[] = [];
  for (let left = buildings; left > 0;) {
    const count = Math.min(left, Math.round(40 * (1 - random()) ** (-1 / 1.1)), 200_000);
    const [lon, lat] = anywhere();
    clusters.push({ lon, lat, count, spread: Math.sqrt(count / (2 * Math.PI * DENSITY)) * KM });
    left -= count;
  }
  return clusters;
}

function houses(clusters: readonly Cluster[], random: () => number, gauss: () => number): Float64Array {
  const total = clusters.reduce((sum, { count }) => sum + count, 0);
  const flat = new Float64Array(total * 8);
  let at = 0;
  for (const { lon, lat, count, spread } of clusters)
    for (let i = 0; i < count; i++) {
      const [x, y] = [lon + gauss() * spread, lat + gauss() * spread];
      const width = (0.004 + 0.008 * random()) * KM;
      const depth = (random() < 0.01 ? 0.06 : 0.004 + 0.008 * random()) * KM;
      const turn = random() * Math.PI;
      for (const [u, v] of [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ]) {
        flat[at++] = rounded(x + u * width * Math.cos(turn) - v * depth * Math.sin(turn));
        flat[at++] = rounded(y + u * width * Math.sin(turn) + v * depth * Math.cos(turn));
      }
    }
  return flat;
}

function indexOf(ends: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}
