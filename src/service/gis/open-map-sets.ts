import type { CollectionReader } from '../../collections/collection.ts';
import type { Config } from '../../config/settings.ts';
import type { Tasks } from '../../jobs/task.ts';
import type { ForestService } from '../forest/forest.ts';
import type { FileWork } from '../files/file-work.ts';
import type { World } from '../world/world.ts';
import { openSetArchiver, type SetArchiver } from './archive-set.ts';
import { keepCollectionRows } from './collection-rows.ts';
import { createMapSets, type MapSets } from './map-sets.ts';
import { openLabelSets } from './label-sets.ts';
import { openPackFiles } from './pack-files.ts';
import { keepResultRows } from './result-rows.ts';

interface MapSetsParts {
  readonly collections: CollectionReader;
  readonly tasks: Pick<Tasks, 'get' | 'list' | 'results'>;
  readonly files: Pick<FileWork, 'run'>;
  readonly data: Pick<World, 'refresh' | 'catalogue'>;
  /** Who outlines the segments of label stores; null where no map program reads them. */
  readonly forest: Pick<ForestService, 'lookUp'> | null;
  readonly config: Parameters<typeof openLabelSets>[0]['config'] & Pick<Config, 'cacheMaxMb' | 'publicUrl'>;
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
export function openMapSets({ collections, tasks, files, data, forest, config }: MapSetsParts): OpenedMapSets {
  const rows = keepCollectionRows({ collections, files });
  const results = keepResultRows({ tasks, files });
  const packs = openPackFiles(async () => {
    await data.refresh();
    return data.catalogue;
  }, config);
  const labels = openLabelSets({ forest, config });
  const archiver = openSetArchiver();
  return {
    archiver,
    sets: createMapSets({ collections, rows, results, packs, labels }),
    publicUrl: config.publicUrl,
    forget: (id) => rows.forget(id),
    async close() {
      archiver.close();
      await Promise.all([rows.close(), results.close(), packs.close(), labels.close()]);
    },
  };
}
