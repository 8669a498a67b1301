import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SEGMENT_NUMBER_RULE } from '../../geo/segmentation/region/label-region.ts';
import { CELL_STATUS } from '../../geo/segmentation/region/label-region-cut.ts';
import { readZarrGroup } from '../formats/zarr/open-zarr.ts';
import { openZarrWriter, writeZarrArray, writeZarrGroup, type ZarrChunk } from '../formats/zarr/write-zarr.ts';
import { folderStore } from '../formats/zarr/zarr-store.ts';
import {
  entryAttributes,
  parseStoreDocument,
  storeAttributes,
  type StoreDocument,
  type StoreEntry,
} from './store-document.ts';

/** A chunk of both arrays. */
export interface LabelChunk {
  /** Column and row among the chunks of the arrays. */
  readonly column: number;
  readonly row: number;
  readonly labels: Uint32Array;
  readonly status: Uint8Array;
}

/** Level of zstd: above 9 labels get little smaller and much slower to write. */
const ZSTD_LEVEL = 9;

/** What the store in a folder says of itself; null when there is none. Throws when there is something else. */
export async function readStoreDocument(folder: string, signal: AbortSignal): Promise<StoreDocument | null> {
  const attributes = await readZarrGroup(folderStore(folder), '', signal);
  return attributes === null ? null : parseStoreDocument(folder, attributes);
}

/**
 * Makes the groups and arrays of entries where they are missing, and adds them to the store's document in one write.
 * Processes that prepare the same entries may do so at the same time in one folder: all of them write the same.
 * @param createdBy name and version of the program.
 * @throws Error when the folder holds labels of other embeddings, or of the same on another grid.
 */
export async function prepareLabelStore(
  folder: string,
  { id, version, licence, attribution, synthetic }: StoreDocument['dataset'],
  wanted: readonly StoreEntry[],
  createdBy: string,
  signal: AbortSignal,
): Promise<void> {
  const dataset = { id, version, licence, attribution, synthetic };
  const before = await readStoreDocument(folder, signal);
  if (before !== null && before.dataset.id !== id)
    throw new Error(`${folder} holds labels of the dataset ${before.dataset.id}, wanted ${id}: choose another folder`);
  const known = new Map(before?.entries.map((entry) => [entry.path, entry]));
  for (const entry of wanted) {
    const there = known.get(entry.path);
    if (there !== undefined) assertSame(folder, there, entry);
    else await makeArrays(join(folder, entry.path), dataset, entry, createdBy);
  }
  const added = wanted.filter(({ path }) => !known.has(path));
  if (before !== null && added.length === 0 && isDeepStrictEqual(before.dataset, dataset)) return;
  const entries = [...known.values(), ...added].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  await writeDocument(folder, { dataset, entries }, createdBy);
}

/**
 * Brings what the document says was built up to `coverageOf`, which looks at the records of tiles. Looks again after each
 * write until both agree, so of several processes that finish tiles at the same time the last to write has seen all.
 */
export async function writeCoverage(
  folder: string,
  coverageOf: (entry: StoreEntry) => Promise<StoreEntry['coverage']>,
  createdBy: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const document = await readStoreDocument(folder, signal);
    if (document === null) throw new Error(`${folder}: wanted a label store, got none`);
    const entries: StoreEntry[] = [];
    for (const entry of document.entries) entries.push({ ...entry, coverage: await coverageOf(entry) });
    if (isDeepStrictEqual(entries, document.entries)) return;
    await writeDocument(folder, { ...document, entries }, createdBy);
  }
}

/** Removes what a process that was killed left of a shard: files it had begun to write. Nobody else may write the shard. */
export async function removeDrafts(
  folder: string,
  { path }: StoreEntry,
  { column, row }: { readonly column: number; readonly row: number },
): Promise<void> {
  const places = [
    ...['labels', 'status'].map((name) => ({ at: join(folder, path, name, 'c', String(row)), name: `${column}.` })),
    { at: join(folder, path, 'built'), name: `${row}.${column}.json.` },
  ];
  for (const { at, name } of places) {
    const names = await readdir(at).catch(() => []);
    const drafts = names.filter((file) => file.startsWith(name) && file.endsWith('.tmp'));
    for (const file of drafts) await rm(join(at, file), { force: true });
  }
}

/**
 * Writes the chunks of one shard into both arrays and keeps those that it has besides. The labels come first: whoever sees
 * that a chunk was built finds its labels. `chunks` is gone through twice.
 */
export async function writeLabelShard(
  folder: string,
  entry: StoreEntry,
  shard: { readonly column: number; readonly row: number },
  chunks: () => Iterable<LabelChunk>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of ['labels', 'status'] as const) {
    const writer = await openZarrWriter(join(folder, entry.path, name), signal);
    if (writer === null) throw new Error(`${join(folder, entry.path)}: wanted the array ${name}, got none`);
    const values = function* (): Iterable<ZarrChunk> {
      for (const chunk of chunks()) yield { index: [chunk.row, chunk.column], values: chunk[name] };
    };
    await writer.writeShard([shard.row, shard.column], values(), { keep: true, signal });
  }
}

async function writeDocument(folder: string, document: StoreDocument, createdBy: string): Promise<void> {
  await writeZarrGroup(folder, { ...describe(createdBy), ...storeAttributes(document) });
}

function describe(createdBy: string) {
  return {
    title: 'Segments of satellite embeddings, and which of them are forest',
    created_by: createdBy,
    label_rule: SEGMENT_NUMBER_RULE,
    status_codes: CELL_STATUS,
  };
}

function assertSame(folder: string, known: StoreEntry, wanted: StoreEntry): void {
  for (const name of [
    'raster',
    'year',
    'algorithm',
    'datasetVersion',
    'column',
    'row',
    'width',
    'height',
    'chunk',
    'shard',
    'lattice',
    'phase',
  ] as const) {
    const [there, here] = [known, wanted].map((entry) => JSON.stringify(entry[name]));
    if (there !== here)
      throw new Error(
        `${join(folder, known.path)} was built with ${name} ${there}, wanted ${here}: choose another folder, or remove that one`,
      );
  }
}

/** The group, labels and status, and the coordinates of the cells' centres, by which other tools place the arrays. */
async function makeArrays(
  folder: string,
  dataset: StoreDocument['dataset'],
  entry: StoreEntry,
  createdBy: string,
): Promise<void> {
  const { lattice, column, row, width, height, chunk, shard } = entry;
  const west = lattice.originX + column * lattice.cellWidth;
  const north = lattice.originY - row * lattice.cellHeight;
  const georeference = {
    'proj:code': lattice.crs,
    'spatial:dimensions': ['y', 'x'],
    'spatial:transform': [lattice.cellWidth, 0, west, 0, -lattice.cellHeight, north],
    'spatial:shape': [height, width],
    _CRS: { url: `http://www.opengis.net/def/crs/EPSG/0/${lattice.crs.slice('EPSG:'.length)}` },
  };
  const about = { licence: dataset.licence, attribution: dataset.attribution, synthetic: dataset.synthetic };
  await writeZarrGroup(folder, { ...describe(createdBy), ...about, ...entryAttributes(entry), ...georeference });
  const grid = {
    shape: [height, width],
    chunkShape: [chunk, chunk],
    shardShape: [shard, shard],
    zstdLevel: ZSTD_LEVEL,
  };
  const dimensionNames = ['y', 'x'];
  await writeZarrArray(join(folder, 'labels'), {
    ...grid,
    dataType: 'uint32',
    fillValue: 0,
    dimensionNames,
    attributes: { ...georeference, long_name: 'segment', label_rule: SEGMENT_NUMBER_RULE },
  });
  await writeZarrArray(join(folder, 'status'), {
    ...grid,
    dataType: 'uint8',
    fillValue: CELL_STATUS.outside,
    dimensionNames,
    attributes: {
      ...georeference,
      long_name: 'state of the cell',
      flag_values: Object.values(CELL_STATUS),
      flag_meanings: Object.keys(CELL_STATUS).join(' '),
    },
  });
  const units = lattice.crs === 'EPSG:4326' ? 'degrees' : 'metres';
  await writeAxis(join(folder, 'x'), 'x', width, (i) => west + (i + 0.5) * lattice.cellWidth, units);
  await writeAxis(join(folder, 'y'), 'y', height, (i) => north - (i + 0.5) * lattice.cellHeight, units);
}

async function writeAxis(
  folder: string,
  name: string,
  length: number,
  at: (i: number) => number,
  units: string,
): Promise<void> {
  await writeZarrArray(folder, {
    shape: [length],
    chunkShape: [length],
    shardShape: null,
    dataType: 'float64',
    fillValue: 0,
    dimensionNames: [name],
    attributes: { long_name: `${name} of the middle of the cell`, units },
    zstdLevel: ZSTD_LEVEL,
  });
  const { signal } = new AbortController();
  const writer = await openZarrWriter(folder, signal);
  await writer?.writeShard([0], [{ index: [0], values: Float64Array.from({ length }, (_, i) => at(i)) }], { signal });
}
