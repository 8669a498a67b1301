import type { ColumnValue, FlatGeometry } from '../formats/flatgeobuf/encode-feature.ts';
import { type Column, GEOMETRY } from '../formats/flatgeobuf/layout.ts';
import type { DatasetRole } from '../catalogue/dataset.ts';

interface Theme {
  /** What facility checks use it for. */
  readonly role: DatasetRole;
  /** Number of a `GEOMETRY` type. */
  readonly geometryType: number;
  readonly columns: readonly Column[];
}

const SOURCE_ID: Column = { name: 'source_id', type: 'string' };
const CLASS: Column = { name: 'class', type: 'string' };
const NAME: Column = { name: 'name', type: 'string' };

/**
 * The layers of a pack, each a FlatGeobuf file. `source_id` is the object in the source, as `way/123`; `class` its kind in the
 * source's own word.
 */
export const THEMES = {
  roads: { role: 'roads', geometryType: GEOMETRY.unknown, columns: [SOURCE_ID, CLASS, NAME] },
  water: { role: 'water', geometryType: GEOMETRY.unknown, columns: [SOURCE_ID, CLASS, NAME] },
  buildings: {
    role: 'buildings',
    geometryType: GEOMETRY.unknown,
    // `industrial` is 1 for industrial, warehouse and mill use; `area_m2` is the geodesic footprint.
    columns: [SOURCE_ID, CLASS, NAME, { name: 'industrial', type: 'bool' }, { name: 'area_m2', type: 'double' }],
  },
  industrial: { role: 'industrial-land', geometryType: GEOMETRY.unknown, columns: [SOURCE_ID, CLASS, NAME] },
  businesses: {
    role: 'businesses',
    geometryType: GEOMETRY.point,
    // `kinds` are parted by spaces, `names` (all of them, operator and brand too) by semicolons.
    columns: [SOURCE_ID, CLASS, NAME, { name: 'kinds', type: 'string' }, { name: 'names', type: 'string' }],
  },
  ports: { role: 'ports', geometryType: GEOMETRY.unknown, columns: [SOURCE_ID, CLASS, NAME] },
  settlements: {
    role: 'settlements',
    geometryType: GEOMETRY.point,
    columns: [SOURCE_ID, CLASS, NAME, { name: 'population', type: 'int' }],
  },
  parcels: {
    role: 'parcels',
    geometryType: GEOMETRY.unknown,
    // `attributes` are all columns of the source as one JSON object.
    columns: [
      { name: 'parcel_id', type: 'string' },
      { name: 'attributes', type: 'json' },
    ],
  },
} as const satisfies Record<string, Theme>;

export type ThemeName = keyof typeof THEMES;

/** The layers of a pack of map data; parcels come in packs of their own. */
export const THEME_NAMES = (Object.keys(THEMES) as readonly ThemeName[]).filter((name) => name !== 'parcels');

/** A feature on its way into a pack; values stand in the order of the theme's columns. */
export interface ThemeFeature {
  readonly theme: ThemeName;
  readonly geometry: FlatGeometry;
  readonly values: readonly ColumnValue[];
}

/** Takes features in; wait for a promise before the next one. */
export type FeatureSink = (feature: ThemeFeature) => Promise<void> | undefined;

/**
 * Roads that a lorry or a tractor can use, in the words of OpenStreetMap's `highway` and of Overture. Paths, steps, footways
 * and cycleways are none.
 */
export const ROAD_CLASSES = [
  'motorway',
  'motorway_link',
  'trunk',
  'trunk_link',
  'primary',
  'primary_link',
  'secondary',
  'secondary_link',
  'tertiary',
  'tertiary_link',
  'unclassified',
  'residential',
  'living_street',
  'service',
  'road',
  'track',
] as const;

/** The same in packs: Overture has roads of class `unknown`, most of them from TomTom alone, which are roads and nothing more is known. */
export const PACK_ROAD_CLASSES = [...ROAD_CLASSES, 'unknown'] as const;
