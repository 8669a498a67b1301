import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { importOsm, type OsmImport } from '../../readers/formats/osm/import-osm.ts';
import type { Polygons } from '../../readers/formats/osm/assemble-rings.ts';
import type { InstalledPack } from '../../readers/packs/manifest.ts';
import { ThemeMeasure } from '../../readers/themes/measure-themes.ts';
import { THEME_NAMES } from '../../readers/themes/themes.ts';
import { draftPack, hashFile } from '../../readers/packs/write-pack.ts';
import { settlementsIn } from '../../readers/built-in/settlements-in.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { packsFolder } from './pack-folder.ts';

interface OsmPackRequest {
  /** The `.osm.pbf` file. */
  readonly path: string;
  readonly id: string;
  /** The ground the file knows; null takes the outline of what is in it. */
  readonly coverage: Polygons | null;
  /** Bytes read of all that will be. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface ImportedPack {
  readonly pack: InstalledPack;
  readonly read: OsmImport;
}

/** Makes a pack of an extract of OpenStreetMap. An import that fails or is stopped leaves everything as it was. */
export async function importOsmPack(
  config: Pick<Config, 'dataDir'>,
  { path, id, coverage, onProgress }: OsmPackRequest,
  signal: AbortSignal,
): Promise<ImportedPack> {
  const { size } = await stat(path);
  prepareDataFolder(config);
  const measure = new ThemeMeasure();
  const draft = await draftPack(packsFolder(config), THEME_NAMES, measure);
  try {
    let done = 0;
    const read = await importOsm(path, {
      scratch: draft.scratch,
      sink: draft.sink,
      onProgress: (bytes) => onProgress((done += bytes), size * 2),
      signal,
    });
    const ground = coverage ?? draft.outline.polygons(read.bbox);
    if (ground === null) throw new Error(`${path}: there is nothing in the file that a pack could hold`);
    const date = new Date(read.changedAt * 1000).toISOString().slice(0, 10);
    const sha256 = await hashFile(path);
    signal.throwIfAborted();
    const pack = await draft.publish({
      id,
      version: `${date}-${sha256.slice(0, 8)}`,
      date,
      licence: 'ODbL-1.0',
      attribution: '© OpenStreetMap contributors',
      synthetic: false,
      source: { kind: 'osm', name: basename(path), bytes: size },
      coverage: ground,
      mapped: measure.finish(ground, measure.box === null ? [] : await settlementsIn(config, measure.box)),
    });
    return { pack, read };
  } finally {
    await draft.close();
  }
}
