import { join } from 'node:path';
import { FeatureBuilder } from '../../geo/features/feature-builder.ts';
import { AREA, FEATURE_SCALE, POINT } from '../../geo/features/feature-set.ts';
import type { Config } from '../../config/settings.ts';
import {
  decodeGeometry,
  decodeValues,
  planColumns,
  type Values,
} from '../../readers/formats/flatgeobuf/decode-feature.ts';
import { decodePolygons } from '../../readers/formats/flatgeobuf/decode-polygons.ts';
import type { FlatGeometry } from '../../readers/formats/flatgeobuf/encode-feature.ts';
import { openFlatGeobuf } from '../../readers/formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../../readers/formats/flatgeobuf/page-memory.ts';
import { datasetFile } from '../../readers/packs/block-checksums.ts';
import { removePack } from '../../readers/packs/installed-packs.ts';
import { THEMES, type ThemeFeature } from '../../readers/themes/themes.ts';
import { autoFolder, autoPacks, readAutoPack, writeAutoPack, type AutoPack } from './auto-packs.ts';
import { blockOf, cellNamed, type Cell } from './cells.ts';

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
    for await (const feature of featuresOf(parts, signal)) await sink(feature);
  });
  for (const { manifest } of singles) await removePack(autoFolder(config), manifest.id);
  return cells;
}

/** Everything in some packs, what several of them have once. */
async function* featuresOf(packs: readonly AutoPack[], signal: AbortSignal): AsyncGenerator<ThemeFeature, void> {
  const seen = new Set<string>();
  for (const { folder, manifest } of packs)
    for (const { theme, file: name, checksums } of manifest.themes) {
      await using source = datasetFile({ options: { checksums } }, join(folder, name));
      const file = await openFlatGeobuf(source, createPageMemory(1 << 16, 1 << 20), signal);
      if (file.header.count === 0) continue;
      const { columns, geometryType } = file.header;
      const own = THEMES[theme].columns;
      const plan = planColumns(
        columns,
        own.map((column) => column.name),
      );
      for await (const { view, starts } of file.scan(signal))
        for (const at of starts) {
          const values: Values = own.map(() => null);
          decodeValues(view, at, columns, plan, values);
          const key = `${theme} ${String(values[0])}`;
          if (values[0] !== null && seen.has(key)) continue;
          seen.add(key);
          const geometry = geometryAt(view, at, geometryType);
          if (geometry !== null) yield { theme, geometry, values };
        }
    }
}

const builder = new FeatureBuilder(1);

/** The geometry of an encoded feature, as it was written: places of packs are whole units of 1e-7 degrees. */
function geometryAt(view: DataView, at: number, headerType: number): FlatGeometry | null {
  builder.clear();
  if (!decodeGeometry(view, at, headerType, builder)) return null;
  const { types, parts, features, xy } = builder;
  if (types[0] === AREA) {
    const polygons = decodePolygons(view, at, headerType);
    return polygons.length === 1 ? { type: 'polygon', rings: polygons[0] } : { type: 'multiPolygon', polygons };
  }
  if (types[0] === POINT) return { type: 'point', lon: xy[0] / FEATURE_SCALE, lat: xy[1] / FEATURE_SCALE };
  const lines = Array.from({ length: features[1] }, (_, part) =>
    Float64Array.from(xy.subarray(parts[part] * 2, parts[part + 1] * 2), (units) => units / FEATURE_SCALE),
  );
  return lines.length === 1 ? { type: 'lineString', line: lines[0] } : { type: 'multiLineString', lines };
}
