import { readFile } from 'node:fs/promises';
import type { Bbox, LonLat } from '../../geo/shapes/shape.ts';
import { UsageError } from '../command.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { readPoint } from '../../forest/read-point.ts';
import { type Crs, findCrs } from '../../geo/crs/find-crs.ts';

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

/** The polygons of the GeoJSON file that `--coverage` names; null without it. */
export async function readCoverage(path: string | undefined): Promise<readonly (readonly Float64Array[])[] | null> {
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`--coverage: ${error.message}`);
  });
  const result = toShape(geometryIn(parse(path, text)));
  if (result.shape === null) throw new UsageError(`--coverage: ${path}: ${result.fault.message}`);
  const { shape, ignored } = result;
  if (ignored.length > 0) throw new UsageError(`--coverage: ${path}: ${ignored[0].message}`);
  if (shape.polygons.length === 0) throw new UsageError(`--coverage: ${path}: wanted a Polygon or MultiPolygon`);
  return shape.polygons;
}

/** The geometry of a document: itself, that of its feature, or those of its features together. */
function geometryIn(document: unknown): unknown {
  const { type, geometry, features } = (document ?? {}) as Readonly<Record<string, unknown>>;
  if (type === 'Feature') return geometry;
  if (type !== 'FeatureCollection' || !Array.isArray(features)) return document;
  if (features.length === 0) throw new UsageError('--coverage: the FeatureCollection has no features');
  return { type: 'GeometryCollection', geometries: features.map(geometryIn) };
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--coverage: ${path}: ${(error as Error).message}`);
  }
}

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

/** The value of `--crs`; EPSG:4326 without it. */
export function readCrs(text: unknown): Crs {
  const crs = findCrs((text as string | undefined) ?? 'EPSG:4326');
  if ('refused' in crs) throw new UsageError(`--crs: ${crs.refused}`);
  return crs;
}
