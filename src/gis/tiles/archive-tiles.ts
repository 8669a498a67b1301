import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FeatureRows } from '../feature-rows.ts';
import { makeTile, type TileLayer } from './make-tile.ts';
import { archiveHead, type ArchivedTile, archiveNumber } from './pmtiles.ts';
import type { TileId } from './tile-bounds.ts';

const compress = promisify(gzip);

/** Tiles of one archive: the zoom that would take more is left out, and those nearer. */
export const MAX_ARCHIVE_TILES = 10_000;

interface ArchivePlan {
  readonly rows: FeatureRows;
  readonly layer: TileLayer;
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
  { rows, layer, maxZoom, metadata, maxTiles = MAX_ARCHIVE_TILES }: ArchivePlan,
  write: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<TileArchive | null> {
  const { extent } = rows;
  if (extent === null) return null;
  const tiles: ArchivedTile[] = [];
  let candidates: readonly TileId[] = [{ z: 0, x: 0, y: 0 }];
  let reached = 0;
  for (let z = 0; z <= maxZoom && candidates.length > 0; z++) {
    // A tile lies in one that holds something, so a zoom has no more tiles than candidates.
    if (z > 0 && tiles.length + candidates.length > maxTiles) break;
    const held: TileId[] = [];
    for (const tile of candidates.toSorted((a, b) => archiveNumber(a) - archiveNumber(b))) {
      signal.throwIfAborted();
      const { bytes } = await makeTile(rows, tile, layer, signal);
      // Other requests have their turn between two tiles.
      await setImmediate();
      if (bytes.length === 0) continue;
      const packed = await compress(bytes);
      await write(packed);
      tiles.push({ number: archiveNumber(tile), length: packed.length });
      held.push(tile);
    }
    reached = z;
    candidates = held.flatMap(childrenOf);
  }
  const about = { ...metadata, features_in_set: rows.count, max_zoom_wanted: maxZoom };
  const head = await archiveHead({ tiles, minZoom: 0, maxZoom: reached, bounds: extent, metadata: about });
  return { head, tiles: tiles.length, maxZoom: reached };
}

function childrenOf({ z, x, y }: TileId): readonly TileId[] {
  return [0, 1, 2, 3].map((i) => ({ z: z + 1, x: 2 * x + (i % 2), y: 2 * y + Math.floor(i / 2) }));
}
