import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Principal } from '../auth/principal.ts';
import { SCOPES } from '../auth/scopes.ts';
import type { ArchivePart } from '../service/gis/archive-set.ts';
import type { OpenedMapSets } from '../service/gis/open-map-sets.ts';

/** What the command line does with maps. */
export interface MapExport {
  /** Writes the tiles of a set to a PMTiles file of this machine. Throws `Problem` as `GET /tiles/{set}/archive.pmtiles` does. */
  exportMap(request: {
    readonly userId: string;
    readonly set: string;
    readonly part: ArchivePart;
    readonly path: string;
  }): Promise<{ readonly bytes: number; readonly tiles: number; readonly maxZoom: number }>;
}

/** What a service does for `firstmile export map`. */
export function createMapExport({ sets, archiver }: Pick<OpenedMapSets, 'sets' | 'archiver'>): MapExport {
  return {
    async exportMap({ userId, set: id, part, path }) {
      const { signal } = new AbortController();
      const set = await sets.find(operatorAs(userId), id);
      await using archive = await archiver.archive(set, userId, part, signal);
      const unfinished = `${path}.part`;
      try {
        await pipeline(archive.bytes, createWriteStream(unfinished));
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      return { bytes: archive.size, tiles: archive.tiles, maxZoom: archive.maxZoom };
    },
  };
}

/** The operator at the command line, who may do what the user may. */
function operatorAs(userId: string): Principal {
  return { userId, scopes: SCOPES, email: null, kind: 'internal', key: 'command line' };
}
