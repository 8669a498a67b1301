import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreEntry } from './store-document.ts';

/** What has been built of a shard: a small file next to the arrays, written after them. */
export interface BuiltTile {
  /** Column and row of the shard. */
  readonly column: number;
  readonly row: number;
  /** Chunks of the shard, row by row: 1 where it was built. */
  readonly chunks: Uint8Array;
  /** Cells of the built chunks by their state. */
  readonly cells: Readonly<Record<'outside' | 'nodata' | 'background' | 'forest' | 'unresolved', number>>;
  /** Segments whose marker lies in what was built. */
  readonly segments: number;
  /** Seconds the latest build of the shard took. */
  readonly seconds: number;
  /** When, as ISO 8601. */
  readonly builtAt: string;
}

/** What the labels of a shard depend on. A record of anything else counts as not built. */
type Identity = Pick<StoreEntry, 'algorithm' | 'datasetVersion' | 'year'>;

/** Tiles that have been built, in order of row and column. Files that are not such records are passed over. */
export async function readBuiltTiles(folder: string, entry: StoreEntry): Promise<readonly BuiltTile[]> {
  const names = await readdir(join(folder, entry.path, 'built')).catch(() => []);
  const tiles: BuiltTile[] = [];
  for (const name of names) {
    const place = /^(\d+)\.(\d+)\.json$/.exec(name);
    const tile = place && (await readBuiltTile(folder, entry, Number(place[2]), Number(place[1])));
    if (tile) tiles.push(tile);
  }
  return tiles.toSorted((a, b) => a.row - b.row || a.column - b.column);
}

/** What has been built of one shard; null when nothing was, or of other embeddings or by another algorithm. */
export async function readBuiltTile(
  folder: string,
  entry: StoreEntry,
  column: number,
  row: number,
): Promise<BuiltTile | null> {
  const text = await readFile(pathOf(folder, entry, column, row), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const json = JSON.parse(text) as Partial<BuiltTile & Identity & { chunks: string }>;
    const isSame =
      json.algorithm === entry.algorithm && json.datasetVersion === entry.datasetVersion && json.year === entry.year;
    const count = (entry.shard / entry.chunk) ** 2;
    const chunks = Uint8Array.from(String(json.chunks), Number);
    if (!isSame || chunks.length !== count) return null;
    const { cells, segments = 0, seconds = 0, builtAt = '' } = json;
    return { column, row, chunks, cells: cells as BuiltTile['cells'], segments, seconds, builtAt };
  } catch {
    return null;
  }
}

/** Records what has been built. Readers see the old file or the new one. */
export async function writeBuiltTile(folder: string, entry: StoreEntry, tile: BuiltTile): Promise<void> {
  const { algorithm, datasetVersion, year } = entry;
  const path = pathOf(folder, entry, tile.column, tile.row);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(join(folder, entry.path, 'built'), { recursive: true });
  const json = { algorithm, datasetVersion, year, ...tile, chunks: tile.chunks.join('') };
  await writeFile(temporary, `${JSON.stringify(json)}\n`);
  await rename(temporary, path);
}

function pathOf(folder: string, { path }: StoreEntry, column: number, row: number): string {
  return join(folder, path, 'built', `${row}.${column}.json`);
}
