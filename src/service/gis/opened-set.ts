import type { Bbox } from '../../geo/shapes/shape.ts';
import type { FeatureRows, MapFeature } from '../../gis/feature-rows.ts';
import { type FeaturePage, type PageRequest, readPage } from '../../gis/read-page.ts';
import { MAX_ARCHIVE_TILES } from '../../gis/tiles/archive-tiles.ts';
import { makeTile, SUMMARY_LAYER, type TileLayer } from '../../gis/tiles/make-tile.ts';
import type { TileId } from '../../gis/tiles/tile-bounds.ts';

export type PropertyType = 'string' | 'number' | 'boolean';

/** A layer of tiles as TileJSON describes it. */
export interface VectorLayer {
  readonly id: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, 'String' | 'Number' | 'Boolean'>>;
  readonly minzoom?: number;
  readonly maxzoom?: number;
}

/** A set of features that is open: what its pages, items and tiles are made of. */
export interface OpenedSet {
  /** Around everything; null where nothing has a geometry. */
  readonly extent: Bbox | null;
  /** Features of the set; null where nobody has counted them. */
  readonly count: number | null;
  /** Tiles that one archive of it may have. */
  readonly archiveTiles: number;
  /** The properties of its features with their types. */
  properties(signal: AbortSignal): Promise<ReadonlyMap<string, PropertyType>>;
  page(request: PageRequest, signal: AbortSignal): Promise<FeaturePage>;
  /** Null where there is no feature of that id. */
  item(id: string, signal: AbortSignal): Promise<MapFeature | null>;
  /** As Mapbox Vector Tile; of no bytes where nothing lies. */
  tile(tile: TileId, signal: AbortSignal): Promise<Uint8Array>;
  tileLayers(signal: AbortSignal): Promise<readonly VectorLayer[]>;
}

/** The layer of the features, in tiles of every set. */
export const FEATURES_LAYER = 'features';

/** A set whose features are rows. `tileProperties` are those that tiles keep. */
export function openedRows(rows: FeatureRows, tileProperties: readonly string[]): OpenedSet {
  const layer: TileLayer = { name: FEATURES_LAYER, properties: tileProperties };
  return {
    extent: rows.extent,
    count: rows.count,
    archiveTiles: MAX_ARCHIVE_TILES,
    properties: (signal) => propertiesOf(rows, signal),
    page: (request, signal) => readPage(rows, request, signal),
    async item(id, signal) {
      const row = /^\d{1,12}$/.test(id) ? Number(id) : rows.count;
      return row < rows.count ? ((await rows.read([row], signal))[0] ?? null) : null;
    },
    tile: async (tile, signal) => (await makeTile(rows, tile, layer, signal)).bytes,
    tileLayers: async (signal) => [
      featuresLayer(await propertiesOf(rows, signal), tileProperties),
      SUMMARY_LAYER_DESCRIPTION,
    ],
  };
}

const FIELD_TYPES = { string: 'String', number: 'Number', boolean: 'Boolean' } as const;

/** What TileJSON says of the layer of the features. */
export function featuresLayer(types: ReadonlyMap<string, PropertyType>, kept: readonly string[]): VectorLayer {
  const fields = kept.flatMap((name) => {
    const type = types.get(name);
    return type === undefined ? [] : [[name, FIELD_TYPES[type]] as const];
  });
  return {
    id: FEATURES_LAYER,
    description: 'The features; with `stands_for` one that stands for others of its neighbourhood.',
    fields: { id: 'String', ...Object.fromEntries(fields), stands_for: 'Number', drawn_as: 'String' },
  };
}

export const SUMMARY_LAYER_DESCRIPTION: VectorLayer = {
  id: SUMMARY_LAYER,
  description: 'In tiles that leave features out: how many.',
  fields: { features: 'Number', features_drawn: 'Number', features_left_out: 'Number' },
};

/** Rows whose properties are looked at for the names there are. */
const MOST_NAMED = 256;

/** The properties of rows with their types, from its first, middle and last rows; null and missing values say nothing of a type. */
async function propertiesOf(rows: FeatureRows, signal: AbortSignal): Promise<ReadonlyMap<string, PropertyType>> {
  const step = Math.max(1, Math.floor(rows.count / MOST_NAMED));
  const numbers: number[] = [];
  for (let row = 0; row < rows.count && numbers.length < MOST_NAMED; row += step) numbers.push(row);
  const types = new Map<string, PropertyType | null>();
  for (const { properties } of await rows.read(numbers, signal)) addTypes(properties, types);
  return new Map([...types].map(([name, type]) => [name, type ?? 'string']));
}

function addTypes(properties: MapFeature['properties'], types: Map<string, PropertyType | null>): void {
  for (const [name, value] of Object.entries(properties)) {
    const type = value === null ? null : (typeof value as PropertyType);
    const known = types.get(name) ?? null;
    types.set(name, known === null || known === type ? (type ?? known) : type === null ? known : 'string');
  }
}
