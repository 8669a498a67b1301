import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GridRow, SourceFeature, SourceFile } from '../src/locations/source-table.ts';
import { openLocationFile } from '../src/readers/formats/tables/open-location-file.ts';

export interface ReadTable {
  readonly name: string | null;
  readonly rows: readonly (GridRow | SourceFeature)[];
}

export interface ReadFile {
  readonly format: string;
  readonly remarks: readonly string[];
  readonly tables: readonly ReadTable[];
}

/** Reads all of a file that is there. */
export async function readAll(path: string): Promise<ReadFile> {
  const file = await openLocationFile(path);
  if (!('tables' in file)) return { format: file.format, remarks: [], tables: [] };
  try {
    return { format: file.format, remarks: file.remarks, tables: await tablesOf(file) };
  } finally {
    await file.close();
  }
}

/** Writes the bytes to a file of no telling name, and reads all of it. */
export async function readBytes(content: string | Uint8Array): Promise<ReadFile> {
  return await withFile(content, readAll);
}

export async function withFile<T>(content: string | Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-file-'));
  try {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tablesOf(file: SourceFile): Promise<ReadTable[]> {
  const tables: ReadTable[] = [];
  for (const table of file.tables)
    tables.push({
      name: table.name,
      rows: await Array.fromAsync<GridRow | SourceFeature>(table.kind === 'grid' ? table.rows() : table.features()),
    });
  return tables;
}
