import { readBuiltTiles, type BuiltTile } from '../../readers/label-store/built-tiles.ts';
import type { CellBox, StoreEntry } from '../../readers/label-store/store-document.ts';

/** What was built of an entry of the store in a folder, by the records of its tiles; of others than `entries` what is said. */
export function builtCoverage(folder: string, entries: readonly StoreEntry[]) {
  const paths = new Set(entries.map(({ path }) => path));
  return async (entry: StoreEntry): Promise<readonly CellBox[]> =>
    paths.has(entry.path) ? coverageOf(entry, await readBuiltTiles(folder, entry)) : entry.coverage;
}

/** The built chunks as few rectangles of cells, from the north and the west: runs of rows that are alike are joined. */
export function coverageOf(
  { chunk, shard }: Pick<StoreEntry, 'chunk' | 'shard'>,
  tiles: readonly BuiltTile[],
): CellBox[] {
  const perShard = shard / chunk;
  const rows = new Map<number, Set<number>>();
  for (const { column, row, chunks } of tiles) {
    for (let i = 0; i < chunks.length; i++) {
      if (chunks[i] === 0) continue;
      const cy = row * perShard + Math.floor(i / perShard);
      const cx = column * perShard + (i % perShard);
      rows.set(cy, (rows.get(cy) ?? new Set()).add(cx));
    }
  }
  const boxes: CellBox[] = [];
  /** Boxes that end with the row before, by their columns. */
  let above = new Map<string, number>();
  for (const cy of [...rows.keys()].toSorted((a, b) => a - b)) {
    const here = new Map<string, number>();
    for (const [from, to] of runsOf([...(rows.get(cy) ?? [])])) {
      const key = `${from}-${to}`;
      const box = rows.has(cy - 1) ? above.get(key) : undefined;
      if (box === undefined) {
        here.set(key, boxes.push([from * chunk, cy * chunk, (to - from) * chunk, chunk]) - 1);
        continue;
      }
      const [column, row, width, height] = boxes[box];
      boxes[box] = [column, row, width, height + chunk];
      here.set(key, box);
    }
    above = here;
  }
  return boxes;
}

/** Whole numbers as runs, each from its first up to the one after its last. */
function runsOf(values: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === value) last[1] = value + 1;
    else runs.push([value, value + 1]);
  }
  return runs;
}
