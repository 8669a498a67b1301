import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { archiveHead, type ArchivedTile, archiveNumber } from './pmtiles.ts';
import { tileBounds, type TileId } from './tile-bounds.ts';

const compress = promisify(gzip);

/** Tiles of one archive: the zoom that would take more is left out, and those nearer. */
export const MAX_ARCHIVE_TILES = 10_000;

interface ArchivePlan {
  /** Around all features; null where nothing lies. */
  readonly extent: Bbox | null;
  /** Only tiles that touch one of these are taken, whole; null: all. */
  readonly boxes: readonly Bbox[] | null;
  /** A tile as it is served; of no bytes where nothing lies. */
  readonly tile: (tile: TileId, signal: AbortSignal) => Promise<Uint8Array>;
  /** The deepest zoom that is wanted. */
  readonly maxZoom: number;
  /** Of the archive itself: name, attribution, layers. */
  readonly metadata: object;
  /** Default `MAX_ARCHIVE_TILES`. */
  readonly maxTiles?: number;
}

interface TileArchive {
  /** What goes in front of the tiles that were written. */
  readonly head: Uint8Array;
  readonly tiles: number;
  /** The deepest zoom it has, which may be less than was wanted. */
  readonly maxZoom: number;
}

/**
 * Makes the tiles of a set for a PMTiles archive, zoom by zoom, and writes them one after the other in the order of the
 * archive; every tile that holds anything down to a zoom is there, or none of that zoom. Null for a set that lies nowhere.
 */
export async function archiveTiles(
  { extent, boxes, tile: make, maxZoom, metadata, maxTiles = MAX_ARCHIVE_TILES }: ArchivePlan,
  write: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<TileArchive | null> {
  const grounds = boxes ?? (extent === null ? [] : [extent]);
  if (extent === null || !grounds.some((box) => meet(box, extent))) return null;
  const tiles: ArchivedTile[] = [];
  let candidates: readonly TileId[] = [{ z: 0, x: 0, y: 0 }];
  let reached = 0;
  for (let z = 0; z <= maxZoom && candidates.length > 0; z++) {
    // A tile lies in one that holds something, so a zoom has no more tiles than candidates.
    if (z > 0 && tiles.length + candidates.length > maxTiles) break;
    const held: TileId[] = [];
    for (const tile of candidates.toSorted((a, b) => archiveNumber(a) - archiveNumber(b))) {
      signal.throwIfAborted();
      const bytes = await make(tile, signal);
      // Other requests have their turn between two tiles.
      await setImmediate();
      if (bytes.length === 0) continue;
      const packed = await compress(bytes);
      await write(packed);
      tiles.push({ number: archiveNumber(tile), length: packed.length });
      held.push(tile);
    }
    reached = z;
    candidates = held
      .flatMap(childrenOf)
      .filter((tile) => boxes === null || boxes.some((box) => meet(box, tileBounds(tile, 0))));
  }
  const about = { ...metadata, max_zoom_wanted: maxZoom };
  const bounds = boxes === null ? extent : around(boxes);
  const head = await archiveHead({ tiles, minZoom: 0, maxZoom: reached, bounds, metadata: about });
  return { head, tiles: tiles.length, maxZoom: reached };
}

function childrenOf({ z, x, y }: TileId): readonly TileId[] {
  return [0, 1, 2, 3].map((i) => ({ z: z + 1, x: 2 * x + (i % 2), y: 2 * y + Math.floor(i / 2) }));
}

function meet([west, south, east, north]: Bbox, [left, bottom, right, top]: Bbox): boolean {
  return west <= right && east >= left && south <= top && north >= bottom;
}

function around(boxes: readonly Bbox[]): Bbox {
  const side = (pick: (...values: number[]) => number, i: 0 | 1 | 2 | 3): number => pick(...boxes.map((box) => box[i]));
  return [side(Math.min, 0), side(Math.min, 1), side(Math.max, 2), side(Math.max, 3)];
}
