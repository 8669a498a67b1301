import type { Bbox } from '../../geo/shapes/shape.ts';
import { UsageError } from '../command.ts';

/** The value of `--bbox`: west, south, east, north in degrees. `act` is what a box over the antimeridian has to be done with twice. */
export function readBbox(text: unknown, act: string): Bbox {
  if (text === undefined)
    throw new UsageError('--bbox is missing: west,south,east,north in degrees, such as 101,0.5,102,1.5');
  const parts = String(text)
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [west, south, east, north] = parts;
  const isBox =
    parts.length === 4 && west >= -180 && south >= -90 && east <= 180 && north <= 90 && west < east && south < north;
  if (isBox) return [west, south, east, north];
  throw new UsageError(
    `--bbox: wanted west,south,east,north in degrees, the smaller first, got "${String(text)}"; ${act} both sides of the antimeridian one after the other`,
  );
}
