import { readFile } from 'node:fs/promises';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { UsageError } from '../command.ts';

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
