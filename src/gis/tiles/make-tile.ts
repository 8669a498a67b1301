import { geoJSONToTile, type GeoJSONVTFeature } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Geometry } from '../../geo/geometry.ts';
import type { FeatureRows, MapFeature } from '../feature-rows.ts';
import { type ChosenRow, chooseRows, FIRST_CELLS, type Choice } from './choose-rows.ts';
import { TILE_BUFFER, TILE_EXTENT, type TileId, tilePlace } from './tile-bounds.ts';

/** Bytes of a tile before it is compressed; one that is larger is thinned further. */
export const MAX_TILE_BYTES = 500_000;
/** Units across which an area or line is drawn as a square: a pixel of a tile of 256. */
const SMALL = 16;
/** Units that an outline may be off. */
const TOLERANCE = 3;
/** A zoom beyond all that are made: the library drops no corners at the last one. */
const PRECISE_ZOOM = 24;
/** The layer that says what a tile leaves out; there only where it leaves something out. */
export const SUMMARY_LAYER = 'summary';

interface MadeTile {
  /** As Mapbox Vector Tile, version 2; of no bytes where nothing lies. */
  readonly bytes: Uint8Array;
  /** Features that touch it. */
  readonly features: number;
  /** Those of them that are not drawn; others of their cell stand for them. */
  readonly leftOut: number;
}

export interface TileLayer {
  readonly name: string;
  /** Properties that are kept; an item of the set has all of them. */
  readonly properties: readonly string[];
}

type Tags = Record<string, string | number | boolean>;
interface Drawn {
  readonly type: 'Feature';
  readonly id?: number;
  readonly geometry: Geometry;
  readonly properties: Tags;
}

/**
 * Makes a tile of a set. Bounded in bytes and in what is read: where features are too many, or too large together, some stand
 * for others and say so (`stands_for`), and the layer `summary` says `features_left_out`. An area or line of less than a
 * pixel is drawn as a square of one (`drawn_as` says `square`), so that it does not vanish.
 */
export async function makeTile(
  rows: FeatureRows,
  tile: TileId,
  layer: TileLayer,
  signal: AbortSignal,
): Promise<MadeTile> {
  for (let cells = FIRST_CELLS; ; cells /= 2) {
    const choice = await chooseRows(rows, tile, cells, signal);
    if (choice.features === 0) return { bytes: new Uint8Array(), features: 0, leftOut: 0 };
    const drawn =
      choice.groups.length > 0 ? drawGroups(choice, tile) : await drawRows(rows, choice, tile, layer, signal);
    const leftOut = choice.features - choice.rows.length;
    const bytes = encode(layer.name, drawn, leftOut > 0 ? summaryOf(choice, leftOut, tile) : null, tile);
    if (bytes.length <= MAX_TILE_BYTES || cells <= 2) return { bytes, features: choice.features, leftOut };
  }
}

function drawGroups({ groups }: Choice, tile: TileId): readonly Drawn[] {
  return groups.map(({ features, place: [u, v] }) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: tilePlace(u, v, tile) },
    properties: { stands_for: features, drawn_as: 'group' },
  }));
}

async function drawRows(
  rows: FeatureRows,
  { rows: chosen }: Choice,
  tile: TileId,
  { properties: kept }: TileLayer,
  signal: AbortSignal,
): Promise<readonly Drawn[]> {
  const features = await rows.read(
    chosen.map(({ row }) => row),
    signal,
  );
  return features.flatMap((feature, i) => {
    const { standsFor, ...row } = chosen[i];
    if (feature.geometry === null) return [];
    const isSmall = isTiny(feature.geometry, row);
    const properties: Tags = {
      ...tagsOf(feature, kept),
      ...(standsFor > 1 ? { stands_for: standsFor } : {}),
      ...(isSmall ? { drawn_as: 'square' } : {}),
    };
    const geometry = isSmall ? square(row, tile) : feature.geometry;
    return [{ type: 'Feature' as const, id: row.row, geometry, properties }];
  });
}

function tagsOf({ id, properties }: MapFeature, kept: readonly string[]): Tags {
  const tags: Tags = { id };
  for (const name of kept) {
    const value = properties[name];
    if (value !== null && value !== undefined) tags[name] = value;
  }
  return tags;
}

function isTiny({ type }: Geometry, { box: [left, top, right, bottom] }: Pick<ChosenRow, 'box'>): boolean {
  return !type.endsWith('Point') && right - left < SMALL && bottom - top < SMALL;
}

function square({ box: [left, top, right, bottom] }: Pick<ChosenRow, 'box'>, tile: TileId): Geometry {
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  const half = SMALL / 2;
  const corners = [
    [u - half, v + half],
    [u + half, v + half],
    [u + half, v - half],
    [u - half, v - half],
    [u - half, v + half],
  ];
  return { type: 'Polygon', coordinates: [corners.map(([cu, cv]) => tilePlace(cu, cv, tile))] };
}

function summaryOf({ features, rows }: Choice, leftOut: number, tile: TileId): Drawn {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: tilePlace(TILE_EXTENT / 2, TILE_EXTENT / 2, tile) },
    properties: { features, features_drawn: rows.length, features_left_out: leftOut },
  };
}

function encode(name: string, drawn: readonly Drawn[], summary: Drawn | null, tile: TileId): Uint8Array {
  const layer = cut(drawn, tile, TOLERANCE);
  // An area so thin that it lost all of its corners is drawn with all of them.
  const held = new Set(layer.features.map(({ id }: GeoJSONVTFeature) => id));
  const lost = drawn.filter(({ id }) => id !== undefined && !held.has(id));
  if (lost.length > 0) layer.features.push(...cut(lost, tile, 0).features);
  const layers = { [name]: layer, ...(summary === null ? {} : { [SUMMARY_LAYER]: cut([summary], tile, 0) }) };
  return fromGeojsonVt(layers, { version: 2, extent: TILE_EXTENT });
}

function cut(features: readonly Drawn[], { z, x, y }: TileId, tolerance: number) {
  const collection = { type: 'FeatureCollection', features: [...features] } as GeoJSON.FeatureCollection;
  const options = { extent: TILE_EXTENT, buffer: TILE_BUFFER, tolerance, maxZoom: PRECISE_ZOOM, clip: true };
  return geoJSONToTile(collection, z, x, y, options);
}
