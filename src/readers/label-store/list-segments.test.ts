import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { latticeProjection } from '../../geo/outline/lattice.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { segmentNumber } from '../../geo/segmentation/region/label-region.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { folderStore } from '../formats/zarr/zarr-store.ts';
import { degreesOf, indexLabels, type LabelIndex, placeOf } from './label-index.ts';
import { type ListedStep, listSegments, segmentById } from './list-segments.ts';
import { type LabelSource, openLabelStore } from './open-label-store.ts';
import type { CellBox, StoreEntry } from './store-document.ts';
import { type LabelChunk, prepareLabelStore, writeLabelShard } from './write-label-store.ts';

const { signal } = new AbortController();
const dataset = { id: 'test-labels', version: '1', licence: 'none', attribution: 'none', synthetic: true } as Dataset;
const [CHUNK, SHARD, SIDE] = [4, 8, 24];
const [OUTSIDE, BACKGROUND, FOREST] = [0, 2, 3];

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

/** Cells of an array: `state` of each, and `kind`, which neighbouring cells of one segment share. */
interface Cells {
  readonly state: Uint8Array;
  readonly kind: Uint8Array;
}

/** What a flood that knows nothing of chunks finds: by cell the number of its segment, and the marker of each. */
interface Expected {
  readonly labels: Uint32Array;
  readonly whole: ReadonlyMap<string, readonly number[]>;
  readonly cut: number;
}

/** Chunks that are not built stay `OUTSIDE` and have no labels. */
function randomCells(random: () => number, built: (cx: number, cy: number) => boolean): Cells {
  const [state, kind] = [new Uint8Array(SIDE * SIDE), new Uint8Array(SIDE * SIDE)];
  for (let cell = 0; cell < state.length; cell++) {
    const [x, y] = [cell % SIDE, Math.floor(cell / SIDE)];
    kind[cell] = Math.floor(random() * 3);
    if (built(Math.floor(x / CHUNK), Math.floor(y / CHUNK))) state[cell] = kind[cell] === 0 ? BACKGROUND : FOREST;
  }
  return { state, kind };
}

function expectedOf({ state, kind }: Cells, random: () => number, path = 'EPSG_32616:2024'): Expected {
  const labels = new Uint32Array(state.length);
  const whole = new Map<string, number[]>();
  let cut = 0;
  for (let start = 0; start < labels.length; start++) {
    if (labels[start] !== 0 || state[start] === OUTSIDE) continue;
    const cells = new Set([start]);
    let isCut = false;
    for (const cell of cells)
      for (const [dx, dy] of [
        [-1, 0],
        [1, 0],
        [0, -1],
        [0, 1],
      ]) {
        const [x, y] = [(cell % SIDE) + dx, Math.floor(cell / SIDE) + dy];
        if (x < 0 || y < 0 || x >= SIDE || y >= SIDE) continue;
        const next = y * SIDE + x;
        if (state[next] === OUTSIDE) isCut = true;
        else if (kind[next] === kind[cell]) cells.add(next);
      }
    const members = [...cells];
    const marker = members[Math.floor(random() * members.length)];
    const [x, y] = [marker % SIDE, Math.floor(marker / SIDE)];
    for (const cell of cells) labels[cell] = segmentNumber(x, y);
    if (state[start] !== FOREST) continue;
    if (isCut) cut++;
    else whole.set(`${path}:${y}:${x}`, members);
  }
  return { labels, whole, cut };
}

async function writeCells(folder: string, { state }: Cells, { labels }: Expected, entry = entryOf()): Promise<void> {
  await prepareLabelStore(folder, dataset, [entry], 'test', signal);
  const [shards, chunks] = [SIDE / SHARD, SHARD / CHUNK];
  for (let shard = 0; shard < shards ** 2; shard++) {
    const place = { column: shard % shards, row: Math.floor(shard / shards) };
    const found: LabelChunk[] = [];
    for (let i = 0; i < chunks ** 2; i++) {
      const [column, row] = [place.column * chunks + (i % chunks), place.row * chunks + Math.floor(i / chunks)];
      const at = Array.from(
        { length: CHUNK ** 2 },
        (_, c) => (row * CHUNK + Math.floor(c / CHUNK)) * SIDE + column * CHUNK + (c % CHUNK),
      );
      if (at.every((cell) => state[cell] === OUTSIDE)) continue;
      found.push({
        column,
        row,
        labels: Uint32Array.from(at, (c) => labels[c]),
        status: Uint8Array.from(at, (c) => state[c]),
      });
    }
    await writeLabelShard(folder, entry, place, () => found, signal);
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'list-segments-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The store of a folder with what of its chunks is built, as a service knows it. */
async function openIndexed(folder: string, built: readonly (readonly CellBox[])[]): Promise<[LabelSource, LabelIndex]> {
  const source = openLabelStore(dataset, { store: folderStore(folder) });
  return [source, indexLabels(await source.layers(), built)];
}

function boxesOf(built: (cx: number, cy: number) => boolean): CellBox[] {
  const boxes: CellBox[] = [];
  for (let cy = 0; cy < SIDE / CHUNK; cy++)
    for (let cx = 0; cx < SIDE / CHUNK; cx++) if (built(cx, cy)) boxes.push([cx * CHUNK, cy * CHUNK, CHUNK, CHUNK]);
  return boxes;
}

/** All steps, begun again after so many of them. */
async function stepsOf(
  source: LabelSource,
  index: LabelIndex,
  boxes: readonly Bbox[] | null,
  most = Infinity,
): Promise<ListedStep[]> {
  const all: ListedStep[] = [];
  for (let after: number | null = null; ;) {
    const begin: number = after ?? -1;
    let steps = 0;
    for await (const step of listSegments(source, index, { boxes, after, isWanted: null }, signal)) {
      assert.ok(step.position > begin && step.position >= (after ?? -1));
      all.push(step);
      after = step.position;
      if (++steps === most) break;
    }
    if (steps < most) return all;
  }
}

const idsOf = (steps: readonly ListedStep[]): string[] =>
  steps.flatMap((step) => (step.kind === 'segment' ? [step.segment.id] : []));
const cutsOf = (steps: readonly ListedStep[]): number => steps.filter(({ kind }) => kind === 'left_out').length;

describe('the segments of a label store', () => {
  test('are those of a flood of the whole array, each once, wherever a page begins', async (t) => {
    const random = seededRandom(7);
    for (let round = 0; round < 4; round++) {
      const folder = temporaryFolder(t);
      const missing = new Set([Math.floor(random() * 36), Math.floor(random() * 36)]);
      const built = (cx: number, cy: number): boolean => round === 0 || !missing.has(cy * 6 + cx);
      const cells = randomCells(random, built);
      const expected = expectedOf(cells, random);
      await writeCells(folder, cells, expected);
      const [source, index] = await openIndexed(folder, [boxesOf(built)]);
      const all = await stepsOf(source, index, null);
      assert.deepEqual(idsOf(all).toSorted(), [...expected.whole.keys()].toSorted());
      assert.equal(cutsOf(all), expected.cut);
      assert.ok(round === 0 ? expected.cut === 0 : expected.cut > 0);
      for (const most of [round === 0 ? 1 : 4, 50]) {
        const again = await stepsOf(source, index, null, most);
        assert.deepEqual([idsOf(again), cutsOf(again)], [idsOf(all), cutsOf(all)]);
      }
      for (const id of expected.whole.keys()) assert.equal((await segmentById(source, index, id, signal))?.id, id);
    }
  });

  test('of a box are all those that reach into it, each once', async (t) => {
    const random = seededRandom(8);
    const folder = temporaryFolder(t);
    const cells = randomCells(random, () => true);
    const expected = expectedOf(cells, random);
    await writeCells(folder, cells, expected);
    const [source, index] = await openIndexed(folder, [boxesOf(() => true)]);
    const [layer] = index.layers;
    for (let round = 0; round < 20; round++) {
      const [x, y] = [random() * SIDE, random() * SIDE];
      const [x2, y2] = [x + random() * 8, y + random() * 8];
      const [west, north] = placeOf(layer, x, y);
      const [east, south] = placeOf(layer, x2, y2);
      const steps = await stepsOf(source, index, [[west, south, east, north]], round % 2 === 0 ? 2 : Infinity);
      const ids = idsOf(steps);
      assert.equal(new Set(ids).size, ids.length);
      for (const [id, members] of expected.whole) {
        const isIn = members.some((cell) => {
          const [column, row] = [cell % SIDE, Math.floor(cell / SIDE)];
          return column < x2 && column + 1 > x && row < y2 && row + 1 > y;
        });
        if (isIn) assert.ok(ids.includes(id), id);
      }
      for (const id of ids) assert.ok(expected.whole.has(id), id);
    }
  });

  test('over the antimeridian are found from both of its sides', async (t) => {
    const folder = temporaryFolder(t);
    // The middle of the array lies on longitude 180.
    const crs = 'EPSG:32660';
    const xy = new Float64Array(2);
    latticeProjection(crs).toXY(180, -0 + 10, xy, 0);
    const [column, row] = [Math.floor((xy[0] - 10) / 20) - SIDE / 2, Math.floor((-10 - xy[1]) / 20) - SIDE / 2];
    const lattice = { ...entryOf().lattice, crs };
    const entry = entryOf({ path: 'EPSG_32660/2024', raster: crs, lattice, column, row });
    const cells: Cells = { state: new Uint8Array(SIDE * SIDE).fill(FOREST), kind: new Uint8Array(SIDE * SIDE) };
    const expected = expectedOf(cells, () => 0.99, 'EPSG_32660:2024');
    await writeCells(folder, cells, expected, entry);
    const [source, index] = await openIndexed(folder, [boxesOf(() => true)]);
    for (const box of [
      [179.9, 9, 180, 11],
      [-180, 9, -179.9, 11],
    ] as const)
      assert.deepEqual(idsOf(await stepsOf(source, index, [box])), [...expected.whole.keys()]);
    assert.deepEqual(
      idsOf(
        await stepsOf(source, index, [
          [179.9, 9, 180, 11],
          [-180, 9, -179.9, 11],
        ]),
      ),
      [...expected.whole.keys()],
    );
    const step = (await stepsOf(source, index, null)).find(({ kind }) => kind === 'segment');
    assert.ok(step?.kind === 'segment' && step.segment.marker[0] < -179.9);
    assert.equal((await source.at(...step.segment.marker, signal))?.status, 'forest');
    assert.equal(degreesOf(index.layers[0], [0, 0, SIDE, SIDE])[2] > 180, true);
  });

  test('of two zones, and of two years, are there once for a place: those that the place is answered with', async (t) => {
    const random = seededRandom(9);
    for (const isYears of [true, false]) {
      const folder = temporaryFolder(t);
      const places = [16, isYears ? 16 : 17].map((zone, i) => {
        const crs = `EPSG:326${zone}`;
        const xy = new Float64Array(2);
        // On the edge of the zones.
        latticeProjection(crs).toXY(-84, 45, xy, 0);
        const [column, row] = [Math.floor((xy[0] - 10) / 20) - SIDE / 2, Math.floor((-10 - xy[1]) / 20) - SIDE / 2];
        const year = isYears && i === 1 ? 2023 : 2024;
        const lattice = { ...entryOf().lattice, crs };
        return entryOf({ path: `EPSG_326${zone}/${year}`, raster: crs, year, lattice, column, row });
      });
      // The western half of the one, all of the other.
      const built = [(cx: number) => !isYears || cx < 3, () => true];
      const expected: Expected[] = [];
      for (const [i, entry] of places.entries()) {
        const cells = randomCells(random, built[i]);
        expected.push(expectedOf(cells, random, entry.path.replace('/', ':')));
        await writeCells(folder, cells, expected[i], entry);
      }
      const source = openLabelStore(dataset, { store: folderStore(folder) });
      const layers = await source.layers();
      const index = indexLabels(
        layers,
        layers.map(({ entry }) => boxesOf(built[places.findIndex(({ path }) => path === entry.path)])),
      );
      const ids = idsOf(await stepsOf(source, index, null));
      assert.equal(new Set(ids).size, ids.length);
      const wanted: string[] = [];
      for (const id of expected.flatMap(({ whole }) => [...whole.keys()])) {
        const [zone, year, row, column] = id.split(':');
        const layer = layers.find(({ entry }) => entry.path === `${zone}/${year}`)!;
        const place = await source.at(...placeOf(layer, Number(column) + 0.5, Number(row) + 0.5), signal);
        if (place?.status === 'forest' && place.path === layer.entry.path) wanted.push(id);
        assert.equal((await segmentById(source, index, id, signal)) !== null, wanted.at(-1) === id);
      }
      assert.deepEqual(ids.toSorted(), wanted.toSorted());
      for (const { whole } of expected) {
        const there = [...whole.keys()].filter((id) => ids.includes(id)).length;
        assert.ok(there > 0, 'both have some');
      }
      assert.ok(wanted.length < expected[0].whole.size + expected[1].whole.size);
    }
  });

  test('have ids that name nothing else', async (t) => {
    const folder = temporaryFolder(t);
    const random = seededRandom(10);
    const cells = randomCells(random, () => true);
    const expected = expectedOf(cells, random);
    await writeCells(folder, cells, expected);
    const [source, index] = await openIndexed(folder, [boxesOf(() => true)]);
    const known = new Set(expected.whole.keys());
    for (let cell = 0; cell < SIDE * SIDE; cell++) {
      const id = `EPSG_32616:2024:${Math.floor(cell / SIDE)}:${cell % SIDE}`;
      assert.equal((await segmentById(source, index, id, signal))?.id ?? null, known.has(id) ? id : null);
    }
    for (const id of ['', '0', ':', 'EPSG_32616:2024', 'EPSG_32616:2024:24:0', 'EPSG_32616:2024:0:-1', '../x:1:2'])
      assert.equal(await segmentById(source, index, id, signal), null);
  });
});
