import type { Geometry } from '../../src/geo/geometry.ts';
import { groundOfGeometry } from '../../src/geo/shapes/shapes-intersect.ts';
import type { FeatureRows, MapFeature } from '../../src/gis/feature-rows.ts';

export interface MemoryRows extends FeatureRows {
  /** How many rows were read. */
  readonly wereRead: () => number;
}

/** Rows in memory, in groups of `group`. */
export function memoryRows(
  features: readonly { readonly geometry: Geometry | null; readonly properties?: MapFeature['properties'] }[],
  { group = 16, mostScanned = Infinity }: { group?: number; mostScanned?: number } = {},
): MemoryRows {
  let wereRead = 0;
  const none = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const boxes = features.map(({ geometry }) => (geometry === null ? none : [...groundOfGeometry(geometry)!.bbox]));
  const around = (from: number, to: number): readonly [number, number, number, number] => {
    const held = boxes.slice(from, to).filter(([west]) => !Number.isNaN(west));
    const least = (i: number): number => Math.min(...held.map((box) => box[i]));
    const most = (i: number): number => Math.max(...held.map((box) => box[i]));
    return [least(0), least(1), most(2), most(3)];
  };
  const starts = Array.from({ length: Math.ceil(features.length / group) }, (_, i) => i * group);
  return {
    wereRead: () => wereRead,
    count: features.length,
    extent: features.length === 0 ? null : around(0, features.length),
    mostScanned,
    groups: () =>
      Promise.resolve(
        starts.map((from) => {
          const to = Math.min(features.length, from + group);
          return { from, to, box: around(from, to) };
        }),
      ),
    boxes: (from, to) => Promise.resolve(Float64Array.from(boxes.slice(from, to).flat())),
    read: (rows) => {
      wereRead += rows.length;
      const found = rows.map((row) => {
        const { geometry, properties = {} } = features[row];
        return { id: String(row), geometry, properties };
      });
      return Promise.resolve(found);
    },
  };
}

export function point(lon: number, lat: number): Geometry {
  return { type: 'Point', coordinates: [lon, lat] };
}

export function box(west: number, south: number, east: number, north: number): Geometry {
  return {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ],
    ],
  };
}
