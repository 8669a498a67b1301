import type { FeatureCollection } from 'geojson';
import type { Look } from './colours.ts';

/** More points than this are `crowded`. */
const CROWD = 2_000;
/** Zoom from which a crowd is shown as marks, too. */
export const CROWD_ZOOM = 10;

interface MarkPoint {
  readonly index: number;
  /** How it is drawn: a level or a year of loss. */
  readonly look: Look | (string & {});
  /** Degrees. */
  readonly lon: number;
  readonly lat: number;
}

/**
 * Points as `markLayers` draws them. Of a crowd, each is drawn from the zoom on at which no other one with the same look covers it:
 * without a graphics card a frame with 50,000 dots holds up the page for a fifth of a second.
 */
export function markPoints(points: readonly MarkPoint[]): FeatureCollection {
  const crowded = points.length > CROWD;
  const from = crowded ? visibleFrom(points) : null;
  return {
    type: 'FeatureCollection',
    features: points.map(({ index, look, lon, lat }, i) => ({
      type: 'Feature',
      properties: { index, look, crowded, from: from?.[i] ?? 0 },
      geometry: { type: 'Point', coordinates: [lon, lat] },
    })),
  };
}

/** Pixels of the page: points of one look in the same square of this side are one dot, which is three times as wide. */
const SQUARE = 3;
const TILE = 512;

/**
 * The zoom from which each point is drawn: the first at which none before it, or drawn already from farther away, lies in its square;
 * at most `CROWD_ZOOM`.
 */
export function visibleFrom(points: readonly MarkPoint[]): Uint8Array {
  const finest = CROWD_ZOOM - 1;
  const squares = (TILE * 2 ** finest) / SQUARE;
  const [xs, ys] = [new Int32Array(points.length), new Int32Array(points.length)];
  const looks = new Int32Array(points.length);
  const numbers = new Map<string, number>();
  points.forEach(({ lon, lat, look }, i) => {
    const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
    xs[i] = (lon / 360 + 0.5) * squares;
    ys[i] = (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * squares;
    if (!numbers.has(look)) numbers.set(look, numbers.size);
    looks[i] = numbers.get(look)!;
  });

  // Open addressing: the number of a point, from 1, in the place of its square.
  const mask = 2 ** Math.ceil(Math.log2(Math.max(2, points.length * 2))) - 1;
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

  const from = new Uint8Array(points.length).fill(CROWD_ZOOM);
  for (let zoom = 0; zoom <= finest; zoom++) {
    table.fill(0);
    for (let i = 0; i < points.length; i++) if (from[i]! < zoom) isFirst(i, finest - zoom);
    for (let i = 0; i < points.length; i++) if (from[i] === CROWD_ZOOM && isFirst(i, finest - zoom)) from[i] = zoom;
  }
  return from;
}
