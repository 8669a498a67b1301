import { readPoint } from '../../forest/read-point.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { UsageError } from '../command.ts';

/** The arguments LON and LAT as a place in degrees. */
export function readPointArgs([lonText = '', latText = '']: readonly string[]): LonLat {
  const [lon, lat] = [lonText, latText].map((text) => (/^\s*$/.test(text) ? Number.NaN : Number(text))) as [
    number,
    number,
  ];
  for (const [name, text, value] of [
    ['LON', lonText, lon],
    ['LAT', latText, lat],
  ] as const)
    if (!Number.isFinite(value)) throw new UsageError(`${name}: wanted degrees such as -62.21, got "${text}"`);
  const read = readPoint({ type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] } });
  if (read.point === null) throw new UsageError(read.fault);
  return read.point;
}
