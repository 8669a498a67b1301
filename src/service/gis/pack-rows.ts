import { Problem } from '../../errors.ts';
import { FeatureBuilder } from '../../geo/features/feature-builder.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { FeatureRows, MapFeature, RowGroup } from '../../gis/feature-rows.ts';
import { mapProperties } from '../../gis/map-properties.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import {
  decodeGeometry,
  decodePolygons,
  decodeValues,
  planColumns,
  type Values,
} from '../../readers/formats/flatgeobuf/decode-feature.ts';
import { Leaves } from '../../readers/formats/flatgeobuf/leaves.ts';
import { type FlatGeobufFile } from '../../readers/formats/flatgeobuf/open-flatgeobuf.ts';
import { indexLevels } from '../../readers/formats/flatgeobuf/layout.ts';
import { featureGeometry } from '../../readers/packs/layer/read-features.ts';
import { flatAttributes } from '../../readers/parcels/flatgeobuf-parcels.ts';

/** Entries of the index that are kept as groups, at most; each stands for 16, 256 or 4,096 features. */
const MOST_GROUPS = 8_192;
/** Boxes that are read of one file for one tile, 40 bytes each. */
const MOST_SCANNED = 131_072;

/** The features of a FlatGeobuf file as rows, read in place: a level of its index says where they lie. */
export function packRows(dataset: Dataset, file: FlatGeobufFile): FeatureRows {
  const { header } = file;
  const { count, nodeSize, columns, geometryType, envelope } = header;
  if (count > 0 && nodeSize === 0)
    throw new Problem('dependency_unavailable', `The file of ${dataset.id} has no index; wanted one with an index.`);
  const names = columns.map(({ name }) => name);
  const plan = planColumns(columns, names);
  const isParcels = dataset.role === 'parcels';
  let groups: Promise<readonly RowGroup[]> | null = null;

  async function readGroups(signal: AbortSignal): Promise<readonly RowGroup[]> {
    const levels = indexLevels(count, nodeSize);
    if (levels.length === 0) return [];
    const sizes = levels.map(([first, end]) => end - first);
    // One level above the features, or higher where that has too many entries.
    const level = Math.max(
      0,
      Math.min(
        levels.length - 2,
        sizes.findLastIndex((size) => size <= MOST_GROUPS),
      ),
    );
    const each = nodeSize ** (levels.length - 1 - level);
    const found: RowGroup[] = [];
    for await (const { box } of file.level(level, signal)) {
      const from = found.length * each;
      found.push({ from, to: Math.min(count, from + each), box });
    }
    return found;
  }

  return {
    count,
    extent: envelope ?? extentOf(dataset),
    mostScanned: MOST_SCANNED,
    groups(signal) {
      groups ??= readGroups(signal).catch((error: unknown) => {
        groups = null;
        throw error;
      });
      return groups;
    },
    async boxes(from, to, signal) {
      const { boxes } = await file.entries(from, to, signal);
      return boxes.subarray(0, (to - from) * 4);
    },
    async read(rows, signal) {
      const leaves = await leavesOf(file, rows, signal);
      const found: MapFeature[] = [];
      const values: Values = names.map(() => null);
      const builder = new FeatureBuilder(4);
      await file.read(leaves, signal, (view, at, index) => {
        let geometry: Geometry | null = null;
        if (isParcels) geometry = polygonsGeometry(decodePolygons(view, at, geometryType));
        else {
          builder.clear();
          if (decodeGeometry(view, at, geometryType, builder)) geometry = featureGeometry(builder, 0);
        }
        decodeValues(view, at, columns, plan, values);
        found.push({
          id: String(leaves.numbers[index]),
          geometry,
          properties: {
            ...mapProperties(flatAttributes(columns, values)),
            dataset: dataset.id,
            dataset_version: dataset.version,
            synthetic: dataset.synthetic,
          },
        });
      });
      return found;
    },
  };
}

/** Rows that are read with one request for their entries of the index. */
const NEAR_ROWS = 1_024;

async function leavesOf(file: FlatGeobufFile, rows: readonly number[], signal: AbortSignal): Promise<Leaves> {
  const leaves = new Leaves();
  for (let i = 0; i < rows.length;) {
    const from = rows[i];
    let end = i;
    while (end < rows.length && rows[end] < from + NEAR_ROWS) end++;
    const entries = await file.entries(from, rows[end - 1] + 1, signal);
    for (; i < end; i++) leaves.addFrom(entries, rows[i] - from);
  }
  return leaves;
}

function polygonsGeometry(polygons: readonly (readonly Float64Array[])[]): Geometry | null {
  const positions = (ring: Float64Array): number[][] =>
    Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
  const parts = polygons.map((rings) => rings.map(positions));
  if (parts.length === 0) return null;
  return parts.length === 1 ? { type: 'Polygon', coordinates: parts[0] } : { type: 'MultiPolygon', coordinates: parts };
}

function extentOf({ coverage }: Dataset): Bbox | null {
  return 'bbox' in coverage ? (coverage.bbox as Bbox) : null;
}
