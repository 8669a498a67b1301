import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Look } from '../colours.ts';

/** More points than this are a crowd. */
const CROWD = 2_000;
/** Zoom from which a crowd is shown as marks, too. */
export const CROWD_ZOOM = 10;
/** Layers of a tile: dots of a crowd seen from afar, and marks. Properties of both are `index` and `look`. */
export const DOTS = 'dots';
export const MARKS = 'marks';
/** The deepest zoom of the tiles; a unit of theirs is 2 cm. */
export const MARKS_ZOOM = 18;
const EXTENT = 8_192;

/** Whether so many marks are shown as dots from afar. */
export function isCrowd(marks: number): boolean {
  return marks > CROWD;
}

export interface MarkPoint {
  readonly index: number;
  /** How it is drawn: a level or a year of loss. */
  readonly look: Look | (string & {});
  /** Degrees. */
  readonly lon: number;
  readonly lat: number;
}

/** Points as arrays, which reach a worker without being copied; what stands at one place of each belongs together. */
export interface PackedPoints {
  readonly indices: Uint32Array<ArrayBuffer>;
  /** Degrees. */
  readonly lons: Float64Array<ArrayBuffer>;
  readonly lats: Float64Array<ArrayBuffer>;
  /** Places in `names`. */
  readonly looks: Uint16Array<ArrayBuffer>;
  readonly names: readonly string[];
}

export function packPoints(points: readonly MarkPoint[]): PackedPoints {
  const numbers = new Map<string, number>();
  const looks = Uint16Array.from(points, ({ look }) => {
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    return numbers.get(look)!;
  });
  return {
    indices: Uint32Array.from(points, ({ index }) => index),
    lons: Float64Array.from(points, ({ lon }) => lon),
    lats: Float64Array.from(points, ({ lat }) => lat),
    looks,
    names: [...numbers.keys()],
  };
}

/**
 * Makes the vector tiles of points. Of a crowd, each is drawn from the zoom on at which no other one with the same look covers it:
 * without a graphics card a frame with 50,000 dots holds up the page for a fifth of a second.
 */
export function markTiles(points: PackedPoints): (z: number, x: number, y: number) => Uint8Array {
  const { indices, looks, names } = points;
  const [us, vs] = worldPlaces(points);
  const from = isCrowd(indices.length) ? visibleFrom(points) : null;
  return (z, x, y) => {
    const isDots = from !== null && z < CROWD_ZOOM;
    const side = 2 ** z;
    const features = [];
    for (let i = 0; i < indices.length; i++) {
      if (isDots && from[i]! > z) continue;
      const [u, v] = [us[i]! * side - x, vs[i]! * side - y];
      if (u < 0 || u >= 1 || v < 0 || v >= 1) continue;
      features.push({
        type: 1 as const,
        geometry: [[Math.floor(u * EXTENT), Math.floor(v * EXTENT)] as [number, number]],
        tags: { index: indices[i]!, look: names[looks[i]!]! },
      });
    }
    if (features.length === 0) return new Uint8Array();
    return fromGeojsonVt({ [isDots ? DOTS : MARKS]: { features } as never }, { version: 2, extent: EXTENT });
  };
}

/** Web Mercator: the world from 0 to 1, to the east and to the south. Its end is within the last tile. */
function worldPlaces({ lons, lats }: PackedPoints): readonly [Float64Array, Float64Array] {
  const inside = (value: number): number => Math.max(0, Math.min(1 - Number.EPSILON, value));
  return [
    lons.map((lon) => inside(lon / 360 + 0.5)),
    lats.map((lat) => {
      const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
      return inside(0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI));
    }),
  ];
}

/** Pixels of the page: points of one look in the same square of this side are one dot, which is three times as wide. */
const SQUARE = 3;
const TILE = 512;

/**
 * The zoom from which each point is drawn: the first at which none before it, or drawn already from farther away, lies in its square;
 * at most `CROWD_ZOOM`.
 */
export function visibleFrom(points: PackedPoints): Uint8Array {
  const { looks } = points;
  const count = looks.length;
  const finest = CROWD_ZOOM - 1;
  const squares = (TILE * 2 ** finest) / SQUARE;
  const [xs, ys] = worldPlaces(points).map((places) => Int32Array.from(places, (place) => place * squares)) as [
    Int32Array,
    Int32Array,
  ];

  // Open addressing: the number of a point, from 1, in the place of its square.
  const mask = 2 ** Math.ceil(Math.log2(Math.max(2, count * 2))) - 1;
  const table = new Int32Array(mask + 1);
  const isFirst = (i: number, shift: number): boolean => {
    const [x, y] = [xs[i]! >> shift, ys[i]! >> shift];
    let at = (Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(looks[i]!, 83_492_791)) & mask;
    for (let other = table[at]!; other !== 0; other = table[(at = (at + 1) & mask)]!) {
      const j = other - 1;
      if (xs[j]! >> shift === x && ys[j]! >> shift === y && looks[j] === looks[i]) return false;
    }
    table[at] = i + 1;
    return true;
  };

  const from = new Uint8Array(count).fill(CROWD_ZOOM);
  for (let zoom = 0; zoom <= finest; zoom++) {
    table.fill(0);
    for (let i = 0; i < count; i++) if (from[i]! < zoom) isFirst(i, finest - zoom);
    for (let i = 0; i < count; i++) if (from[i] === CROWD_ZOOM && isFirst(i, finest - zoom)) from[i] = zoom;
  }
  return from;
}
