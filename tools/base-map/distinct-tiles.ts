import { MAX_ZOOM } from './world-units.ts';

type Tiles = ReadonlyMap<string, Uint8Array>;

/** The tiles that differ from the tile above them, or have one below that does; the others are all sea or all land like it. */
export function distinctTiles(tiles: Tiles): Map<string, Uint8Array> {
  const distinct = new Map<string, Uint8Array>();
  keep(0, 0, 0, null);
  return distinct;

  /** True when the tile and all below it are the same bytes as `above`. */
  function keep(zoom: number, x: number, y: number, above: Uint8Array | null): boolean {
    const own = tiles.get(`${zoom}/${x}/${y}`);
    if (own === undefined) throw new Error(`tile ${zoom}/${x}/${y} was not made`);
    let same = above !== null && Buffer.compare(own, above) === 0;
    if (zoom < MAX_ZOOM) for (const [dx, dy] of QUARTERS) same = keep(zoom + 1, 2 * x + dx, 2 * y + dy, own) && same;
    if (!same) distinct.set(`${zoom}/${x}/${y}`, own);
    return same;
  }
}

const QUARTERS = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;
