import type { Position } from '../../geo/geometry.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { LabelLayer } from './open-label-store.ts';
import type { CellBox } from './store-document.ts';

/** Where the cells of a store that were built lie, so that those of a box are found without reading any. */
export interface LabelIndex {
  readonly layers: readonly LabelLayer[];
  /** What was built of each layer, in cells of its arrays. */
  readonly coverage: readonly (readonly CellBox[])[];
  /** The shards that hold anything, layer by layer, from the north and the west. */
  readonly tiles: readonly IndexedTile[];
  /** The shard of a layer; undefined where nothing was built. */
  tileAt(layer: number, column: number, row: number): IndexedTile | undefined;
}

export interface IndexedTile {
  /** Its place among `tiles`. */
  readonly number: number;
  /** Its layer's place among `layers`. */
  readonly layer: number;
  /** Column and row among the shards. */
  readonly column: number;
  readonly row: number;
  /** For each of its chunks, row by row: 1 where it was built. */
  readonly chunks: Uint8Array;
  /** The number of its first cell: cells are numbered tile by tile, in each chunk by chunk, in each row by row. */
  readonly base: number;
}

/** Points on each side of cells that are taken to degrees: the sides are curves there. */
const SIDE_POINTS = 8;
/** Cells around a shard that make up for its sides being curves between those points. */
const TILE_PAD = 16;
/** The same of a chunk; smoothing moves a corner of an outline by less than this too. */
const CHUNK_PAD = 4;

/** Chunks of one layer that an index holds: a store of all land in one zone has a hundredth of them. */
const MAX_CHUNKS = 16_777_216;

/**
 * @param coverage what was built of each layer, in the order of the layers; what lies beyond its arrays is left out.
 * @throws Error for a layer that says to hold more chunks than an index takes.
 */
export function indexLabels(layers: readonly LabelLayer[], coverage: readonly (readonly CellBox[])[]): LabelIndex {
  const tiles: IndexedTile[] = [];
  const byPlace = new Map<string, IndexedTile>();
  let base = 0;
  for (const [layer, { entry }] of layers.entries()) {
    const masks = masksOf(entry, coverage[layer]);
    const places = [...masks.keys()].toSorted((a, b) => a - b);
    for (const place of places) {
      const across = Math.ceil(entry.width / entry.shard);
      const [column, row] = [place % across, Math.floor(place / across)];
      const tile = { number: tiles.length, layer, column, row, chunks: masks.get(place)!, base };
      tiles.push(tile);
      byPlace.set(`${layer} ${column} ${row}`, tile);
      base += entry.shard ** 2;
    }
  }
  return { layers, coverage, tiles, tileAt: (layer, column, row) => byPlace.get(`${layer} ${column} ${row}`) };
}

/** The chunks that were built, by the number of their shard. */
function masksOf(
  { path, chunk, shard, width, height }: LabelLayer['entry'],
  boxes: readonly CellBox[],
): Map<number, Uint8Array> {
  const side = shard / chunk;
  const across = Math.ceil(width / shard);
  const masks = new Map<number, Uint8Array>();
  let chunks = 0;
  for (const [column, row, wide, high] of boxes) {
    const [left, top] = [Math.max(0, Math.floor(column / chunk)), Math.max(0, Math.floor(row / chunk))];
    const right = Math.ceil(Math.min(column + wide, width) / chunk);
    const bottom = Math.ceil(Math.min(row + high, height) / chunk);
    if (right <= left || bottom <= top) continue;
    chunks += (right - left) * (bottom - top);
    if (chunks > MAX_CHUNKS) throw new Error(`${path}: wanted coverage of at most ${MAX_CHUNKS} chunks, got more`);
    for (let cy = top; cy < bottom; cy++)
      for (let cx = left; cx < right; cx++) {
        const place = Math.floor(cy / side) * across + Math.floor(cx / side);
        const mask = masks.get(place) ?? new Uint8Array(side * side);
        mask[(cy % side) * side + (cx % side)] = 1;
        masks.set(place, mask);
      }
  }
  return masks;
}

/** Whether a shard may reach into one of the boxes in degrees; always where there are none. */
export function tileTouches(
  { layers }: LabelIndex,
  { layer, column, row }: IndexedTile,
  boxes: readonly Bbox[] | null,
): boolean {
  if (boxes === null) return true;
  const { shard } = layers[layer].entry;
  return touchesAround(degreesOf(layers[layer], [column * shard, row * shard, shard, shard], TILE_PAD), boxes);
}

/** Whether the cells of a layer, with what an outline may reach over them, touch one of the boxes in degrees. */
export function cellsTouch(layer: LabelLayer, cells: CellBox, boxes: readonly Bbox[] | null): boolean {
  return boxes === null || touchesAround(degreesOf(layer, cells, CHUNK_PAD), boxes);
}

/** The box of cells of the arrays in degrees, with so many cells around. Its longitudes run on over the antimeridian. */
export function degreesOf(layer: LabelLayer, [column, row, width, height]: CellBox, pad = CHUNK_PAD): Bbox {
  const out: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of ringOf(layer, [column - pad, row - pad, width + 2 * pad, height + 2 * pad])) {
    out[0] = Math.min(out[0], lon);
    out[1] = Math.min(out[1], lat);
    out[2] = Math.max(out[2], lon);
    out[3] = Math.max(out[3], lat);
  }
  return out;
}

/** The closed ring around cells of the arrays, in degrees, counterclockwise. Its longitudes run on over the antimeridian. */
export function ringOf(layer: LabelLayer, [column, row, width, height]: CellBox, points = SIDE_POINTS): Position[] {
  const [east, south] = [column + width, row + height];
  const sides = [
    [column, row, column, south],
    [column, south, east, south],
    [east, south, east, row],
    [east, row, column, row],
  ];
  const ring = sides.flatMap(([fromX, fromY, toX, toY]) =>
    Array.from({ length: points }, (_, i) => {
      const along = i / points;
      return placeOf(layer, fromX + (toX - fromX) * along, fromY + (toY - fromY) * along);
    }),
  );
  return [...ring, ring[0]];
}

/** A corner of the arrays in degrees; with halves a middle of a cell. */
export function placeOf({ entry, projection }: LabelLayer, column: number, row: number): [lon: number, lat: number] {
  const { lattice } = entry;
  const at = new Float64Array(2);
  const x = lattice.originX + (entry.column + column) * lattice.cellWidth;
  const y = lattice.originY - (entry.row + row) * lattice.cellHeight;
  projection.toLonLat(x, y, at, 0);
  return [at[0], at[1]];
}

/** Whether a box touches others once or more around the world. */
export function touchesAround([west, south, east, north]: Bbox, boxes: readonly Bbox[]): boolean {
  return boxes.some((box) =>
    [-360, 0, 360].some((turn) => west + turn <= box[2] && east + turn >= box[0] && south <= box[3] && north >= box[1]),
  );
}
