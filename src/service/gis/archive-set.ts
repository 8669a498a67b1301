import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../errors.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { archiveTiles } from '../../gis/tiles/archive-tiles.ts';
import type { TileId } from '../../gis/tiles/tile-bounds.ts';
import { openFairSlots } from '../../jobs/fair-slots.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import type { MapSet } from './map-sets.ts';

/** The deepest zoom of an archive that nothing is said of. */
export const DEFAULT_ARCHIVE_ZOOM = 12;
/** Archives that may wait for the one that is made. */
const MAX_WAITING = 20;

/** A PMTiles archive in a temporary folder, until it is disposed of. */
interface SetArchive extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
  readonly tiles: number;
  readonly maxZoom: number;
}

/** What of a set an archive has. */
export interface ArchivePart {
  /** The deepest zoom that is wanted. */
  readonly maxZoom: number;
  /** Tiles that touch one of these; null: all. */
  readonly boxes: readonly Bbox[] | null;
}

/** Makes archives one after the other, in turn between users. */
export interface SetArchiver {
  /** Throws `Problem('not_found')` where no feature has a geometry, or none is near the boxes. */
  archive(set: MapSet, userId: string, part: ArchivePart, signal: AbortSignal): Promise<SetArchive>;
  close(): void;
}

export function openSetArchiver(): SetArchiver {
  const slots = openFairSlots({ slots: 1, maxWaiting: MAX_WAITING });
  return {
    async archive(set, userId, part, signal) {
      const leave = await slots.take(userId, signal);
      try {
        return await archiveSet(set, part, signal);
      } finally {
        leave();
      }
    },
    close: () => slots.close(),
  };
}

async function archiveSet(set: MapSet, part: ArchivePart, signal: AbortSignal): Promise<SetArchive> {
  const folder = await temporaryFolder('map');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'tiles');
    const opened = await set.open(signal);
    const { title: name, description, attribution } = set;
    const layers = await opened.tileLayers(signal);
    const metadata = {
      name,
      description,
      ...(attribution === null ? {} : { attribution }),
      type: 'overlay',
      vector_layers: layers,
      ...(opened.count === null ? {} : { features_in_set: opened.count }),
    };
    await using file = await open(path, 'w');
    let written = 0;
    const write = async (bytes: Uint8Array): Promise<void> => {
      await file.write(bytes);
      written += bytes.length;
    };
    const { extent, archiveTiles: maxTiles } = opened;
    const tile = (id: TileId, leave: AbortSignal): Promise<Uint8Array> => opened.tile(id, leave);
    const made = await archiveTiles({ ...part, extent, tile, maxTiles, metadata }, write, signal);
    if (made === null) {
      const where = part.boxes === null ? '' : ' in the box';
      throw new Problem('not_found', `${set.id} has no feature with a geometry${where}, so there is nothing to draw.`);
    }
    const { head, tiles, maxZoom: reached } = made;
    return {
      bytes: joined(head, path),
      size: head.length + written,
      tiles,
      maxZoom: reached,
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function* joined(head: Uint8Array, path: string): AsyncGenerator<Uint8Array, void> {
  yield head;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) yield chunk as Uint8Array;
}
