import type { Bbox } from '../../../geo/shapes/shape.ts';
import { METRES_PER_DEGREE } from '../../../geo/ellipsoid.ts';

/** A rectangle on the page in points. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A map whose north is up and whose scale is true in the middle. */
export interface MapScale {
  /** Degrees that the frame shows. */
  readonly bounds: Bbox;
  readonly pointsPerMetre: number;
  toPage(lon: number, lat: number): readonly [x: number, y: number];
}

/** Share of the frame that is left free around the plot, on each side. */
const MARGIN = 0.16;
/** Metres that a map shows at least, whatever the size of the plot. */
const LEAST_M = 120;

/** The scale at which a box fills the frame, with room around it. Equirectangular, with the cosine of the middle latitude. */
export function scaleFor([west, south, east, north]: Bbox, frame: Frame): MapScale {
  const [lon, lat] = [(west + east) / 2, (south + north) / 2];
  const cos = Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  const wide = Math.max((east - west) * cos * METRES_PER_DEGREE, LEAST_M);
  const high = Math.max((north - south) * METRES_PER_DEGREE, LEAST_M * (frame.height / frame.width));
  const room = 1 - 2 * MARGIN;
  const pointsPerMetre = Math.min((frame.width * room) / wide, (frame.height * room) / high);
  const perLat = pointsPerMetre * METRES_PER_DEGREE;
  const perLon = perLat * cos;
  const [halfLon, halfLat] = [frame.width / 2 / perLon, frame.height / 2 / perLat];
  return {
    bounds: [lon - halfLon, lat - halfLat, lon + halfLon, lat + halfLat],
    pointsPerMetre,
    toPage: (x, y) => [frame.x + frame.width / 2 + (x - lon) * perLon, frame.y + frame.height / 2 - (y - lat) * perLat],
  };
}

/** The largest of 1, 2 and 5 times a power of ten that is not over the value. */
export function niceBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2].find((factor) => factor * power <= value) ?? 1) * power;
}

/** Graticule lines between two values, about `count` of them, and the decimals their labels need. */
export function graticule(
  from: number,
  to: number,
  count: number,
): { readonly at: readonly number[]; readonly decimals: number } {
  const step = niceBelow((to - from) / count);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return { at: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step), decimals };
}

/** A coordinate as people write it: `6.125° N`. */
export function degrees(value: number, decimals: number, [positive, negative]: readonly [string, string]): string {
  const text = Math.abs(value).toFixed(decimals);
  return `${text}°${Number(text) === 0 ? '' : ` ${value > 0 ? positive : negative}`}`;
}

/** Metres as people read them. */
export function metresText(metres: number): string {
  return metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
}
