import type { Config } from '../../config/settings.ts';
import { removePack } from '../../readers/packs/manifest.ts';
import { autoFolder, autoPacks, readAutoPack, writeAutoPack } from './auto-packs.ts';
import { blockOf, cellNamed, type Cell } from './cells.ts';
import { packFeatures } from './pack-features.ts';

/** Packs of single cells in a block from which they become one pack. */
const MOST_SINGLE = 25;

/**
 * Joins the packs of a cell's block into one when there are more than 25; the packs of another release stay as they are. The
 * cells of what was made, none when nothing was.
 */
export async function mergeBlock(
  config: Pick<Config, 'dataDir'>,
  cell: Cell,
  release: string,
  signal: AbortSignal,
): Promise<readonly Cell[]> {
  const block = blockOf(cell);
  const singles = (await autoPacks(config)).filter(
    ({ manifest, cells }) =>
      manifest.version === release && cellNamed(manifest.id) !== null && cells.every((one) => blockOf(one) === block),
  );
  if (singles.length <= MOST_SINGLE) return [];
  const before = await readAutoPack(config, block);
  const parts = before?.manifest.version === release ? [...singles, before] : singles;
  const cells = [...new Map(parts.flatMap((part) => part.cells).map((one) => [one.name, one])).values()];
  const bytes = parts.reduce((sum, { manifest }) => sum + manifest.source.bytes, 0);
  await writeAutoPack(config, block, release, cells, bytes, async (sink) => {
    for await (const feature of packFeatures(parts, signal)) await sink(feature);
  });
  for (const { manifest } of singles) await removePack(autoFolder(config), manifest.id);
  return cells;
}
