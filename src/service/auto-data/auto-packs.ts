import { rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { OVERTURE_ATTRIBUTION, OVERTURE_LICENCE, OVERTURE_THEMES } from '../../readers/overture/overture-types.ts';
import {
  type InstalledPack,
  installedPackNames,
  packDatasets,
  PackError,
  readManifest,
  removePack,
} from '../../readers/packs/manifest.ts';
import { draftPack, type PackDraft } from '../../readers/packs/write-pack.ts';
import { ThemeMeasure } from '../../readers/themes/measure-themes.ts';
import { settlementsIn } from '../../readers/built-in/settlements-in.ts';
import { boxOf } from '../../geo/shapes/shape.ts';
import { blockOf, cellNamed, outlineOfCells, type Cell } from './cells.ts';

/** Begins the ids of the datasets that are fetched by themselves: one for each theme, however many packs hold it. */
export const AUTO_ID = 'overture-auto';

/** A pack of one cell or of several in one block. */
export interface AutoPack extends InstalledPack {
  readonly cells: readonly Cell[];
  /** Bytes of its files. */
  readonly bytes: number;
  /** When it was last used, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The folder of packs that were fetched by themselves. */
export function autoFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'auto-packs');
}

/** A pack by the name of its cell or block; null where none is, or none that can be used. */
export async function readAutoPack(config: Pick<Config, 'dataDir'>, name: string): Promise<AutoPack | null> {
  const folder = join(autoFolder(config), name);
  try {
    const [manifest, { mtimeMs }] = await Promise.all([readManifest(folder), stat(folder)]);
    const names = manifest.options?.['cells'];
    const cells = (Array.isArray(names) ? names : [])
      .map((one) => cellNamed(String(one)))
      .filter((cell) => cell !== null);
    const bytes = manifest.themes.reduce((sum, theme) => sum + theme.bytes, 0);
    return { folder, manifest, cells, bytes, usedAt: mtimeMs };
  } catch (error) {
    if (error instanceof PackError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The pack that holds a cell: its own, else that of its block. */
export async function packOfCell(config: Pick<Config, 'dataDir'>, cell: Cell): Promise<AutoPack | null> {
  const own = await readAutoPack(config, cell.name);
  if (own !== null) return own;
  const block = await readAutoPack(config, blockOf(cell));
  return block?.cells.some(({ name }) => name === cell.name) === true ? block : null;
}

/** All packs that can be used. */
export async function autoPacks(config: Pick<Config, 'dataDir'>): Promise<readonly AutoPack[]> {
  const names = await installedPackNames(autoFolder(config));
  const packs = await Promise.all(names.map((name) => readAutoPack(config, name)));
  return packs.filter((pack) => pack !== null);
}

/** The datasets of a pack. All packs of a release are parts of the same datasets. */
export function autoDatasets(pack: InstalledPack): readonly Dataset[] {
  return packDatasets(pack).map((dataset, i) => ({ ...dataset, id: `${AUTO_ID}-${pack.manifest.themes[i].theme}` }));
}

/** How a dataset that was fetched by itself is cited; null for another one. */
export function autoCitation(id: string, version: string) {
  if (!OVERTURE_THEMES.some((theme) => id === `${AUTO_ID}-${theme}`)) return null;
  return { id, version, synthetic: false, licence: OVERTURE_LICENCE, attribution: OVERTURE_ATTRIBUTION };
}

/** Notes that a pack is in use, so that others go first. */
export async function touchAutoPack({ folder }: InstalledPack): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now).catch(() => {});
}

/** Writes a pack of some cells of one release; nothing is seen of it before it is whole. */
export async function writeAutoPack(
  config: Pick<Config, 'dataDir'>,
  name: string,
  release: string,
  cells: readonly Cell[],
  bytes: number,
  fill: (sink: PackDraft['sink']) => Promise<void>,
): Promise<InstalledPack> {
  const measure = new ThemeMeasure();
  const draft = await draftPack(autoFolder(config), OVERTURE_THEMES, measure);
  try {
    await fill(draft.sink);
    const ground = outlineOfCells(cells);
    return await draft.publish({
      id: name,
      version: release,
      date: release.slice(0, 10),
      licence: OVERTURE_LICENCE,
      attribution: OVERTURE_ATTRIBUTION,
      synthetic: false,
      source: { kind: 'overture', name: release, bytes },
      coverage: ground,
      options: { cells: cells.map((cell) => cell.name) },
      mapped: measure.finish(ground, await settlementsIn(config, boxOf(ground))),
    });
  } finally {
    await draft.close();
  }
}

/** Removes packs that were not used for longest until the others fit; never the one named. Their number. */
export async function makeRoom(config: Pick<Config, 'dataDir' | 'autoDataMaxMb'>, kept: string): Promise<number> {
  const packs = [...(await autoPacks(config))].sort((a, b) => a.usedAt - b.usedAt);
  let bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  let removed = 0;
  for (const pack of packs) {
    if (bytes <= config.autoDataMaxMb * 1e6) break;
    if (pack.manifest.id === kept) continue;
    if (await removePack(autoFolder(config), pack.manifest.id)) removed++;
    bytes -= pack.bytes;
  }
  return removed;
}

/** Removes everything that was fetched; false when there was nothing. */
export async function removeAutoData(config: Pick<Config, 'dataDir'>): Promise<boolean> {
  const names = await installedPackNames(autoFolder(config));
  const removed = await Promise.all(names.map((name) => removePack(autoFolder(config), name)));
  await rm(join(autoFolder(config), '.release.json'), { force: true });
  return removed.some((found) => found);
}
