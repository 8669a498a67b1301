import type { CollectionReader } from '../../collections/collection.ts';
import type { Config } from '../../config/settings.ts';
import type { FileWork } from '../files/file-work.ts';
import type { World } from '../world/world.ts';
import { openSetArchiver, type SetArchiver } from './archive-set.ts';
import { keepCollectionRows } from './collection-rows.ts';
import { createMapSets, type MapSets } from './map-sets.ts';
import { openPackFiles } from './pack-files.ts';

interface MapSetsParts {
  readonly collections: CollectionReader;
  readonly files: Pick<FileWork, 'run'>;
  readonly data: Pick<World, 'refresh' | 'catalogue'>;
  readonly config: Pick<Config, 'dataDir' | 'cacheMaxMb' | 'publicUrl'>;
}

export interface OpenedMapSets {
  readonly sets: MapSets;
  readonly archiver: SetArchiver;
  /** Where clients reach the service; null: as their requests say. */
  readonly publicUrl: string | null;
  /** Removes what is kept of a collection that was deleted. */
  forget(collectionId: string): Promise<void>;
  close(): Promise<void>;
}

/** The sets that map programs read; nothing of them is read yet. */
export function openMapSets({ collections, files, data, config }: MapSetsParts): OpenedMapSets {
  const rows = keepCollectionRows({ collections, files });
  const packs = openPackFiles(async () => {
    await data.refresh();
    return data.catalogue;
  }, config);
  const archiver = openSetArchiver();
  return {
    archiver,
    sets: createMapSets({ collections, rows, packs }),
    publicUrl: config.publicUrl,
    forget: (id) => rows.forget(id),
    async close() {
      archiver.close();
      await Promise.all([rows.close(), packs.close()]);
    },
  };
}
