import { type FeatureRows, groupsTouching, touches } from '../feature-rows.ts';
import { TILE_EXTENT, type TileId, tileBounds, tileUnits } from './tile-bounds.ts';

/** A feature of a tile. */
export interface ChosenRow {
  readonly row: number;
  /** How many features of its cell it stands for, itself among them. */
  readonly standsFor: number;
  /** Its box in units of the tile: left, top, right, bottom. */
  readonly box: readonly [number, number, number, number];
}

/** Features that lie together and are too many to look at one by one. */
interface ChosenGroup {
  readonly features: number;
  /** The middle of their box, in units of the tile. */
  readonly place: readonly [number, number];
}

/** What a tile draws. */
export interface Choice {
  readonly rows: readonly ChosenRow[];
  /** In place of rows, where there are too many. */
  readonly groups: readonly ChosenGroup[];
  /** Features whose box touches the tile; with groups, all of the groups that touch it. */
  readonly features: number;
}

/** Features of a tile that are drawn one by one whatever they are. */
export const MOST_DRAWN = 2_000;

/**
 * Chooses what a tile draws. Up to `MOST_DRAWN` features all of them; beyond, of each cell of a grid over the tile the feature
 * with the largest box, the first among equals, which says for how many it stands. A file with too many boxes to look at is
 * drawn by the groups of its index. Same rows, same choice.
 *
 * @param cells of the grid, each way.
 */
export async function chooseRows(rows: FeatureRows, tile: TileId, cells: number, signal: AbortSignal): Promise<Choice> {
  const box = tileBounds(tile);
  const groups = groupsTouching(await rows.groups(signal), [box]);
  const inGroups = groups.reduce((sum, { from, to }) => sum + to - from, 0);
  if (inGroups > rows.mostScanned) {
    const chosen = groups.map(({ from, to, box: [west, south, east, north] }) => ({
      features: to - from,
      place: tileUnits((west + east) / 2, (south + north) / 2, tile),
    }));
    return { rows: [], groups: chosen, features: inGroups };
  }
  const found: ChosenRow[] = [];
  for (const { from, to } of groups) {
    signal.throwIfAborted();
    const edges = await rows.boxes(from, to, signal);
    for (let i = 0; i < to - from; i++) {
      if (!touches(edges, i * 4, ...box)) continue;
      const [left, bottom] = tileUnits(edges[i * 4], edges[i * 4 + 1], tile);
      const [right, top] = tileUnits(edges[i * 4 + 2], edges[i * 4 + 3], tile);
      found.push({ row: from + i, standsFor: 1, box: [left, top, right, bottom] });
    }
  }
  const chosen = found.length <= MOST_DRAWN && cells >= FIRST_CELLS ? found : thin(found, cells);
  return { rows: chosen, groups: [], features: found.length };
}

/** Cells each way of the grid that a tile is first thinned by. */
export const FIRST_CELLS = 64;

function thin(found: readonly ChosenRow[], cells: number): readonly ChosenRow[] {
  const best = new Map<number, ChosenRow>();
  for (const row of found) {
    const key = cellOf((row.box[0] + row.box[2]) / 2, cells) * cells + cellOf((row.box[1] + row.box[3]) / 2, cells);
    const other = best.get(key);
    if (other === undefined) best.set(key, row);
    else {
      const larger = sizeOf(row) > sizeOf(other) ? row : other;
      best.set(key, { ...larger, standsFor: other.standsFor + 1 });
    }
  }
  return [...best.values()].toSorted((a, b) => a.row - b.row);
}

function cellOf(units: number, cells: number): number {
  return Math.max(0, Math.min(cells - 1, Math.floor((units / TILE_EXTENT) * cells)));
}

/** Half the way around its box. */
function sizeOf({ box: [left, top, right, bottom] }: ChosenRow): number {
  return right - left + (bottom - top);
}
