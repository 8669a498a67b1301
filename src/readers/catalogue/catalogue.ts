import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pointInPolygon } from '../../geo/rings/point-in-polygon.ts';
import { parseDataset } from './entry.ts';
import type { Coverage, Dataset, DatasetRole } from './dataset.ts';

/** A catalogue that cannot be used: the message names the file, the entry and the field, what was wanted and what came. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
}

export interface Catalogue {
  /** Every dataset, the operator's before the built-in ones, in the order in which they are queried. */
  readonly datasets: readonly Dataset[];
  /** The first dataset of a role that covers a place in degrees, or null: nothing is known there. */
  first(role: DatasetRole, lon: number, lat: number): Dataset | null;
  /** Every dataset of a role, in order. */
  ofRole(role: DatasetRole): readonly Dataset[];
}

/** Largest catalogue file, in bytes; one that is larger is not a catalogue. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** The built-in datasets and those of the operator's file (`null`: none), or a `CatalogueError` that lists everything wrong with the file. */
export async function openCatalogue(builtIn: readonly Dataset[], path: string | null): Promise<Catalogue> {
  return createCatalogue(path === null ? builtIn : [...(await readDatasets(path, builtIn)), ...builtIn]);
}

/** A catalogue of datasets that are known to be right. */
function createCatalogue(datasets: readonly Dataset[]): Catalogue {
  const byRole = Map.groupBy(datasets, ({ role }) => role);
  const ofRole = (role: DatasetRole): readonly Dataset[] => byRole.get(role) ?? [];
  return {
    datasets,
    ofRole,
    first: (role, lon, lat) => ofRole(role).find(({ coverage }) => covers(coverage, lon, lat)) ?? null,
  };
}

/** Whether a place lies in a coverage; a point on the edge of a box does. */
export function covers(coverage: Coverage, lon: number, lat: number): boolean {
  if ('polygons' in coverage) return coverage.polygons.some((rings) => pointInPolygon(rings, lon, lat));
  const [west, south, east, north] = coverage.bbox;
  return lon >= west && lon <= east && lat >= south && lat <= north;
}

async function readDatasets(path: string, builtIn: readonly Dataset[]): Promise<Dataset[]> {
  let document: unknown;
  try {
    const text = await readFile(path, 'utf8');
    if (text.length > LARGEST_FILE) throw new Error(`wanted at most ${LARGEST_FILE} bytes, got ${text.length}`);
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CatalogueError(`${path}: ${(error as Error).message}`, { cause: error });
  }
  const datasets: Dataset[] = [];
  const faults: string[] = [];
  entriesOf(document, path).forEach((entry, index) => {
    const parsed = parseDataset(entry, dirname(path));
    const label = `entry ${index + 1}${typeof parsed.id === 'string' ? ` ("${parsed.id}")` : ''}`;
    faults.push(...parsed.faults.map((fault) => `${path}: ${label}: ${fault}`));
    if (parsed.dataset === null) return;
    const known = [...datasets, ...builtIn].some(({ id }) => id === parsed.dataset.id);
    if (known) faults.push(`${path}: ${label}: id: wanted one that no other dataset has`);
    datasets.push(parsed.dataset);
  });
  if (faults.length > 0) throw new CatalogueError(faults.join('\n'));
  return datasets;
}

/** The document is a list of entries, or an object that has one as `datasets`. */
function entriesOf(document: unknown, path: string): readonly unknown[] {
  const list = Array.isArray(document) ? document : (document as { datasets?: unknown } | null)?.datasets;
  if (!Array.isArray(list))
    throw new CatalogueError(`${path}: wanted a list of datasets, or an object with one as "datasets"`);
  return list;
}
