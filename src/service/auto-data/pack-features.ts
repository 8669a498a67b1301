import { join } from 'node:path';
import { FeatureBuilder } from '../../geo/features/feature-builder.ts';
import { AREA, FEATURE_SCALE, POINT } from '../../geo/features/feature-set.ts';
import {
  decodeGeometry,
  decodePolygons,
  decodeValues,
  planColumns,
  type Values,
} from '../../readers/formats/flatgeobuf/decode-feature.ts';
import type { FlatGeometry } from '../../readers/formats/flatgeobuf/encode-feature.ts';
import { openFlatGeobuf } from '../../readers/formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../../readers/formats/flatgeobuf/page-memory.ts';
import { datasetFile } from '../../readers/packs/block-checksums.ts';
import type { InstalledPack } from '../../readers/packs/manifest.ts';
import { type ThemeFeature, THEMES } from '../../readers/themes/themes.ts';

/** Everything in some packs, what several of them have once. */
export async function* packFeatures(
  packs: readonly InstalledPack[],
  signal: AbortSignal,
): AsyncGenerator<ThemeFeature, void> {
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
