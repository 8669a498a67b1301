import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { latticeProjection } from '../../geo/outline/lattice.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { folderStore, type ZarrStore } from '../formats/zarr/zarr-store.ts';
import { openLabelStore } from './open-label-store.ts';
import type { StoreEntry } from './store-document.ts';
import { prepareLabelStore, writeLabelShard, type LabelChunk } from './write-label-store.ts';

const signal = new AbortController().signal;
const dataset = { id: 'test-labels', version: '1', licence: 'none', attribution: 'none', synthetic: true } as Dataset;
const [CHUNK, SHARD, SIDE] = [4, 8, 16];

function entryOf(changes: Partial<StoreEntry> = {}): StoreEntry {
  return {
    path: 'EPSG_32616/2024',
    raster: 'EPSG:32616',
    year: 2024,
    algorithm: 'test/1',
    datasetVersion: '1',
    lattice: { crs: 'EPSG:32616', originX: 10, originY: -10, cellWidth: 20, cellHeight: 20 },
    column: 25_000,
    row: -250_000,
    width: SIDE,
    height: SIDE,
    chunk: CHUNK,
    shard: SHARD,
    phase: { x: 0, y: 0 },
    coverage: [],
    ...changes,
  };
}

/** Writes 16 x 16 cells: `.` outside, `,` no data, `?` unresolved, a digit background, a letter forest. ` ` chunks are not built. */
async function writeCells(folder: string, rows: readonly string[], entry = entryOf()): Promise<void> {
  await prepareLabelStore(folder, dataset, [entry], 'test', signal);
  for (let shard = 0; shard < 4; shard++) {
    const place = { column: shard % 2, row: shard >> 1 };
    const chunks: LabelChunk[] = [];
    for (let i = 0; i < 4; i++) {
      const [column, row] = [place.column * 2 + (i % 2), place.row * 2 + (i >> 1)];
      const cells = Array.from({ length: 16 }, (_, c) => rows[row * 4 + (c >> 2)][column * 4 + (c % 4)]);
      if (cells[0] === ' ') continue;
      const labels = Uint32Array.from(cells, (cell) => (/\w/.test(cell) ? cell.charCodeAt(0) : 0));
      const status = Uint8Array.from(cells, (cell) =>
        /\d/.test(cell) ? 2 : /\w/.test(cell) ? 3 : '.,__?'.indexOf(cell),
      );
      chunks.push({ column, row, labels, status });
    }
    await writeLabelShard(folder, entry, place, () => chunks, signal);
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'label-store-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The middle of a cell of the arrays, in degrees. */
function placeOf(column: number, row: number, { lattice, column: left, row: top } = entryOf()): LonLat {
  const at = new Float64Array(2);
  const x = lattice.originX + (left + column + 0.5) * lattice.cellWidth;
  const y = lattice.originY - (top + row + 0.5) * lattice.cellHeight;
  latticeProjection(lattice.crs).toLonLat(x, y, at, 0);
  return [at[0], at[1]];
}

const blank = (): string[] => Array.from({ length: SIDE }, () => '0'.repeat(SIDE));

test('a place has the state of its cell', async (t) => {
  const folder = temporaryFolder(t);
  const rows = blank();
  rows[0] = '.,?1a00000000000';
  rows[8] = '00000000    0000';
  for (let row = 8; row < 12; row++) rows[row] = '00000000    0000';
  await writeCells(folder, rows);
  const store = openLabelStore(dataset, { store: folderStore(folder) });
  const stateAt = async (column: number, row: number) =>
    (await store.at(...placeOf(column, row), signal))?.status ?? null;
  assert.deepEqual(await Promise.all([0, 1, 2, 3, 4].map((column) => stateAt(column, 0))), [
    'outside',
    'nodata',
    'unresolved',
    'background',
    'forest',
  ]);
  assert.equal(await stateAt(9, 9), 'outside');
  assert.equal(await stateAt(-1, 0), null);
  assert.equal(await stateAt(SIDE, 0), null);
  assert.equal(await store.at(10, 50, signal), null);
});

test('a segment is outlined over the edges of chunks and shards, with its holes', async (t) => {
  const folder = temporaryFolder(t);
  const rows = blank();
  for (let row = 2; row < 14; row++) rows[row] = `00${'a'.repeat(12)}00`;
  rows[7] = '00aaaaa,aaaaaa00';
  await writeCells(folder, rows);
  const store = openLabelStore(dataset, { store: folderStore(folder) });
  for (const [column, row] of [
    [2, 2],
    [13, 13],
    [8, 8],
  ]) {
    const place = await store.at(...placeOf(column, row), signal);
    const segment = await place?.segment(signal);
    assert.equal(segment?.area, 12 * 12 - 1);
    const corners = [...(segment?.corners.coords ?? [])].map((value, i) => value - (i % 2 === 0 ? 25_000 : -250_000));
    assert.deepEqual(corners, [14, 2, 14, 14, 2, 14, 2, 2, 8, 8, 8, 7, 7, 7, 7, 8]);
    assert.deepEqual([...(segment?.corners.starts ?? [])], [0, 4, 8]);
  }
});

test('cells that touch at a corner only, at the corner of four chunks or shards, are apart', async (t) => {
  const folder = temporaryFolder(t);
  for (const corner of [4, 8]) {
    const rows = blank();
    const put = (row: number, column: number): void => {
      rows[row] = `${rows[row].slice(0, column)}a${rows[row].slice(column + 1)}`;
    };
    put(corner - 1, corner - 1);
    put(corner, corner);
    await writeCells(folder, rows);
    const store = openLabelStore(dataset, { store: folderStore(folder) });
    for (const at of [corner - 1, corner]) {
      const place = await store.at(...placeOf(at, at), signal);
      assert.equal((await place?.segment(signal))?.area, 1);
    }
    // Joined by a third cell they are one.
    put(corner - 1, corner);
    await writeCells(folder, rows);
    const again = await openLabelStore(dataset, { store: folderStore(folder) }).at(...placeOf(corner, corner), signal);
    assert.equal((await again?.segment(signal))?.area, 3);
  }
});

test('a segment that runs out of what was built is left to live lookups, until the rest is built', async (t) => {
  const folder = temporaryFolder(t);
  const rows = blank();
  for (let row = 4; row < 8; row++) rows[row] = '00aaaaaa    0000';
  await writeCells(folder, rows);
  const stateAt = async () => {
    const store = openLabelStore(dataset, { store: folderStore(folder) });
    return (await store.at(...placeOf(3, 5), signal))?.status;
  };
  assert.equal(await stateAt(), 'unresolved');
  for (let row = 4; row < 8; row++) rows[row] = '00aaaaaaa0000000';
  await writeCells(folder, rows);
  assert.equal(await stateAt(), 'forest');
});

test('a built chunk without labels ends a segment', async (t) => {
  const folder = temporaryFolder(t);
  const rows = blank();
  for (let row = 4; row < 8; row++) rows[row] = '00aaaaaa,,,,0000';
  await writeCells(folder, rows);
  const place = await openLabelStore(dataset, { store: folderStore(folder) }).at(...placeOf(3, 5), signal);
  assert.equal((await place?.segment(signal))?.area, 24);
});

test('any component is the one that a flood of the whole array finds', async (t) => {
  const random = seededRandom(11);
  const folder = temporaryFolder(t);
  for (let round = 0; round < 5; round++) {
    const share = 0.45 + 0.1 * round;
    const rows = blank().map((row) =>
      [...row].map(() => (random() < share ? 'a' : random() < 0.5 ? 'b' : '0')).join(''),
    );
    await writeCells(folder, rows);
    const store = openLabelStore(dataset, { store: folderStore(folder) });
    for (let i = 0; i < 12; i++) {
      const [column, row] = [Math.floor(random() * SIDE), Math.floor(random() * SIDE)];
      const place = await store.at(...placeOf(column, row), signal);
      if (rows[row][column] === '0') assert.equal(place?.status, 'background');
      else assert.equal((await place?.segment(signal))?.area, componentOf(rows, column, row));
    }
  }
});

function componentOf(rows: readonly string[], column: number, row: number): number {
  const seen = new Set([row * SIDE + column]);
  for (const cell of seen) {
    const [x, y] = [cell % SIDE, Math.floor(cell / SIDE)];
    for (const [dx, dy] of [
      [-1, 0],
      [1, 0],
      [0, -1],
      [0, 1],
    ])
      if (rows[y + dy]?.[x + dx] === rows[row][column]) seen.add((y + dy) * SIDE + x + dx);
  }
  return seen.size;
}

test('of two years the newer one answers where it was built', async (t) => {
  const folder = temporaryFolder(t);
  const old = entryOf({ path: 'EPSG_32616/2023', year: 2023 });
  await writeCells(folder, blank(), old);
  const rows = blank();
  for (let row = 0; row < 4; row++) rows[row] = '    000000000000';
  await writeCells(folder, rows);
  const store = openLabelStore(dataset, { store: folderStore(folder) });
  assert.equal((await store.at(...placeOf(9, 9), signal))?.year, 2024);
  assert.equal((await store.at(...placeOf(1, 1), signal))?.year, 2023);
});

test('of two zones the own one answers, and the other where the own one was not built', async (t) => {
  const folder = temporaryFolder(t);
  // The same place, on the edge of the zones 16 and 17, at the middle of both arrays.
  const at: LonLat = [-84.0001, 45];
  const entries = [16, 17].map((zone) => {
    const crs = `EPSG:326${zone}`;
    const xy = new Float64Array(2);
    latticeProjection(crs).toXY(...at, xy, 0);
    const column = Math.floor((xy[0] - 10) / 20) - 8;
    const row = Math.floor((-10 - xy[1]) / 20) - 8;
    const { lattice } = entryOf();
    return entryOf({ path: `EPSG_326${zone}/2024`, raster: crs, lattice: { ...lattice, crs }, column, row });
  });
  const rows = blank();
  await writeCells(folder, rows, entries[1]);
  await writeCells(folder, rows.fill(' '.repeat(16)), entries[0]);
  const zoneAt = async () =>
    (await openLabelStore(dataset, { store: folderStore(folder) }).at(...at, signal))?.lattice.crs;
  assert.equal(await zoneAt(), 'EPSG:32617');
  await writeCells(folder, blank(), entries[0]);
  assert.equal(await zoneAt(), 'EPSG:32616');
});

test('decoded chunks are read once while there is room for them', async (t) => {
  const folder = temporaryFolder(t);
  await writeCells(folder, blank().fill('a'.repeat(SIDE)));
  let reads = 0;
  const counted: ZarrStore = (key) => {
    if (key.includes('/c/')) reads++;
    return folderStore(folder)(key);
  };
  const store = openLabelStore(dataset, { store: counted });
  const look = async (): Promise<void> => void (await (await store.at(...placeOf(3, 3), signal))?.segment(signal));
  await look();
  const first = reads;
  assert.ok(first >= 17);
  await look();
  assert.equal(reads, first);
});

test('a store that is broken says what is wrong, and is read again when it has been mended', async (t) => {
  const folder = temporaryFolder(t);
  const store = openLabelStore(dataset, { store: folderStore(folder) });
  await assert.rejects(store.at(...placeOf(1, 1), signal), /test-labels: wanted a label store, got nothing/);
  await writeCells(folder, blank());
  const path = join(folder, 'zarr.json');
  const whole = await readFile(path, 'utf8');
  await writeFile(path, whole.replace('"chunk": 4', '"chunk": 8'));
  await assert.rejects(store.at(...placeOf(1, 1), signal), /wanted arrays of 16 x 16 in chunks of 8, got 16 x 16 in 4/);
  await writeFile(path, whole);
  const mended = openLabelStore(dataset, { store: folderStore(folder) });
  assert.equal((await mended.at(...placeOf(1, 1), signal))?.status, 'background');
});

test('a forest cell without a label is refused', async (t) => {
  const folder = temporaryFolder(t);
  await prepareLabelStore(folder, dataset, [entryOf()], 'test', signal);
  const chunk = { column: 0, row: 0, labels: new Uint32Array(16), status: new Uint8Array(16).fill(3) };
  chunk.labels[5] = 1;
  await writeLabelShard(folder, entryOf(), { column: 0, row: 0 }, () => [chunk], signal);
  const store = openLabelStore(dataset, { store: folderStore(folder) });
  await assert.rejects(store.at(...placeOf(0, 0), signal), /wanted a label at column 0, row 0, got none/);
});

test('arrays of another grid, algorithm or dataset are not written into', async (t) => {
  const folder = temporaryFolder(t);
  await writeCells(folder, blank());
  const prepare = (entry: StoreEntry, other = dataset) => prepareLabelStore(folder, other, [entry], 'test', signal);
  await assert.rejects(
    prepare(entryOf({ algorithm: 'test/2' })),
    /was built with algorithm "test\/1", wanted "test\/2"/,
  );
  await assert.rejects(prepare(entryOf({ phase: { x: 1, y: 0 } })), /was built with phase/);
  await assert.rejects(prepare(entryOf(), { ...dataset, id: 'other' }), /holds labels of the dataset test-labels/);
});
