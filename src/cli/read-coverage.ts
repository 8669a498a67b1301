import { readFile } from 'node:fs/promises';
import { toShape } from '../geo/to-shape.ts';
import { UsageError } from './command.ts';

/** The polygons of the GeoJSON file that `--coverage` names; null without it. */
export async function readCoverage(path: string | undefined): Promise<readonly (readonly Float64Array[])[] | null> {
  if (path === undefined) return null;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`--coverage: ${error.message}`);
  });
  const document = parse(path, text) as { type?: unknown; geometry?: unknown } | null;
  const { shape, ...rest } = toShape(document?.type === 'Feature' ? document.geometry : document);
  const fault = 'fault' in rest ? rest.fault.message : 'wanted a Polygon or MultiPolygon';
  if (shape === null || shape.polygons.length === 0) throw new UsageError(`--coverage: ${path}: ${fault}`);
  return shape.polygons;
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--coverage: ${path}: ${(error as Error).message}`);
  }
}
