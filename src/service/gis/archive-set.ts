import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../errors.ts';
import { archiveTiles } from '../../gis/tiles/archive-tiles.ts';
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

/** Makes archives one after the other, in turn between users. */
export interface SetArchiver {
  /** Throws `Problem('not_found')` for a set without any geometry. */
  archive(set: MapSet, userId: string, maxZoom: number, signal: AbortSignal): Promise<SetArchive>;
  close(): void;
}

export function openSetArchiver(): SetArchiver {
  const slots = openFairSlots({ slots: 1, maxWaiting: MAX_WAITING });
  return {
    async archive(set, userId, maxZoom, signal) {
      const leave = await slots.take(userId, signal);
      try {
        return await archiveSet(set, maxZoom, signal);
      } finally {
        leave();
      }
    },
    close: () => slots.close(),
  };
}

async function archiveSet(set: MapSet, maxZoom: number, signal: AbortSignal): Promise<SetArchive> {
  const folder = await temporaryFolder('map');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, 'tiles');
    const opened = await set.open(signal);
    if (opened.archived === null) throw noArchive(set.id);
    const { title: name, description, attribution } = set;
    const layers = await opened.tileLayers(signal);
    const metadata = {
      name,
      description,
      ...(attribution === null ? {} : { attribution }),
      type: 'overlay',
      vector_layers: layers,
    };
    await using file = await open(path, 'w');
    let written = 0;
    const write = async (bytes: Uint8Array): Promise<void> => {
      await file.write(bytes);
      written += bytes.length;
    };
    const made = await archiveTiles({ ...opened.archived, maxZoom, metadata }, write, signal);
    if (made === null)
      throw new Problem('not_found', `${set.id} has no feature with a geometry, so there is nothing to draw.`);
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

function noArchive(id: string): Problem {
  const detail = `There is no archive of ${id}: a label store may be as large as a continent and is not gone through as a whole`;
  return new Problem('not_found', `${detail}. Read its tiles one by one, or its items in a box.`);
}

async function* joined(head: Uint8Array, path: string): AsyncGenerator<Uint8Array, void> {
  yield head;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) yield chunk as Uint8Array;
}
