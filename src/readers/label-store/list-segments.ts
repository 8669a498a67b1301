import { setImmediate } from 'node:timers/promises';
import type { Bbox, LonLat } from '../../geo/shapes/shape.ts';
import { CELL_STATUS } from '../../geo/segmentation/region/label-region-cut.ts';
import { segmentNumber } from '../../geo/segmentation/region/label-region.ts';
import { floodChunks } from './flood-chunks.ts';
import type { LabelChunks } from './label-chunks.ts';
import { cellsTouch, degreesOf, type IndexedTile, type LabelIndex, placeOf, tileTouches } from './label-index.ts';
import type { LabelLayer, LabelSource } from './open-label-store.ts';

/** A forest segment of a store, by its marker: the cell it was grown from, which lies in no other segment. */
export interface ListedSegment {
  /** The same as long as the segment is in the store. */
  readonly id: string;
  /** The middle of the marker in degrees. */
  readonly marker: LonLat;
  /** Around its outline, in degrees; longitudes run on over the antimeridian. */
  readonly box: Bbox;
}

/** One step through a store. Positions never fall, and no two segments have the same. */
export type ListedStep =
  | { readonly kind: 'segment'; readonly position: number; readonly segment: ListedSegment }
  /** A segment that goes on where nothing was built, so that the store does not know the whole of it. */
  | { readonly kind: 'left_out'; readonly position: number }
  /** A chunk has been looked at. */
  | { readonly kind: 'chunk'; readonly position: number };

interface ListRequest {
  /** Segments that may reach into one of them; null: all. */
  readonly boxes: readonly Bbox[] | null;
  /** The last position that was looked at before; null begins at the first. */
  readonly after: number | null;
  /** Years that are wanted; null: all. */
  readonly isWanted: ((year: number) => boolean) | null;
}

type Flooded = NonNullable<Awaited<ReturnType<typeof floodChunks>>>;
type Source = Pick<LabelSource, 'at'>;

/** Milliseconds of work after which others have their turn. */
const SLICE_MS = 10;

/**
 * The forest segments of a store, each once and in an order that stays: by the first of the chunks looked at that it touches.
 * Those whose marker the store answers from other arrays, of a newer year or of the place's own zone, are not there: a lookup
 * does not give them. Reads the chunks that the boxes touch and those that their segments reach.
 *
 * @throws as `LabelSource.at` does.
 */
export async function* listSegments(
  source: Source,
  index: LabelIndex,
  request: ListRequest,
  signal: AbortSignal,
): AsyncGenerator<ListedStep, void> {
  const { boxes, isWanted } = request;
  const after = request.after ?? -1;
  const turn = createTurns();
  for (const tile of index.tiles) {
    const layer = index.layers[tile.layer];
    const { chunk, shard, year } = layer.entry;
    if (tile.base + shard ** 2 <= after || (isWanted !== null && !isWanted(year))) continue;
    if (!tileTouches(index, tile, boxes)) continue;
    const window: ChunkWindow = { index, layer, boxes, side: shard / chunk };
    for (let i = 0; i < tile.chunks.length; i++) {
      const first = tile.base + i * chunk ** 2;
      const last = first + chunk ** 2 - 1;
      if (last <= after || !hasChunk(window, tile, i)) continue;
      signal.throwIfAborted();
      for await (const step of segmentsOfChunk(source, window, tile, i, turn, signal))
        if (step.position > after) yield step;
      yield { kind: 'chunk', position: last };
    }
  }
}

/** The chunks that are looked at. */
interface ChunkWindow {
  readonly index: LabelIndex;
  readonly layer: LabelLayer;
  readonly boxes: readonly Bbox[] | null;
  /** Chunks a side of a shard. */
  readonly side: number;
}

function hasChunk({ layer, boxes, side }: ChunkWindow, tile: IndexedTile, i: number): boolean {
  const { chunk } = layer.entry;
  const [cx, cy] = chunkPlace(tile, i, side);
  return tile.chunks[i] === 1 && cellsTouch(layer, [cx * chunk, cy * chunk, chunk, chunk], boxes);
}

/** Column and row of a shard's chunk among those of the arrays. */
function chunkPlace({ column, row }: IndexedTile, i: number, side: number): readonly [number, number] {
  return [column * side + (i % side), row * side + Math.floor(i / side)];
}

async function* segmentsOfChunk(
  source: Source,
  window: ChunkWindow,
  tile: IndexedTile,
  i: number,
  turn: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Exclude<ListedStep, { kind: 'chunk' }>, void> {
  const { layer, boxes, side } = window;
  const [cx, cy] = chunkPlace(tile, i, side);
  const chunks = await layer.chunks();
  const { size } = chunks;
  const [labels, states] = await Promise.all([chunks.labels(cx, cy, signal), chunks.status(cx, cy, signal)]);
  if (labels === null || states === null) return;
  const seen = new Uint8Array(size * size);
  for (let cell = 0; cell < seen.length; cell++) {
    if (states[cell] !== CELL_STATUS.forest || seen[cell] !== 0) continue;
    await turn();
    signal.throwIfAborted();
    const position = tile.base + i * size ** 2 + cell;
    const flooded = await floodChunks(chunks, cx * size + (cell % size), cy * size + Math.floor(cell / size), signal);
    if (flooded === null) {
      if (fillPiece(labels, seen, cell, chunks, cx, cy)) yield { kind: 'left_out', position };
      continue;
    }
    see(flooded, seen, size, cx, cy);
    const cells = [flooded.column, flooded.row, flooded.width, flooded.height] as const;
    if (!cellsTouch(layer, cells, boxes) || wasMetBefore(flooded, window, tile, i, size)) continue;
    const marker = markerOf(flooded, labels[cell]);
    if (marker === null) yield { kind: 'left_out', position };
    else {
      const segment = segmentOf(layer, marker, cells);
      if (await isAnswered(source, window.index, layer, segment, signal)) yield { kind: 'segment', position, segment };
    }
  }
}

/** Marks the cells of the segment within a chunk. */
function see(
  { column, row, width, height, mask }: Flooded,
  seen: Uint8Array,
  size: number,
  cx: number,
  cy: number,
): void {
  const [left, top] = [cx * size, cy * size];
  for (let y = Math.max(row, top); y < Math.min(row + height, top + size); y++)
    for (let x = Math.max(column, left); x < Math.min(column + width, left + size); x++)
      if (mask[(y - row) * width + x - column] !== 0) seen[(y - top) * size + x - left] = 1;
}

/** Whether another chunk of the window that comes before has cells of the segment. */
function wasMetBefore(flooded: Flooded, window: ChunkWindow, tile: IndexedTile, i: number, size: number): boolean {
  const { column, row, width, height } = flooded;
  const { side, index } = window;
  for (let cy = Math.floor(row / size); cy * size < row + height; cy++)
    for (let cx = Math.floor(column / size); cx * size < column + width; cx++) {
      const other = index.tileAt(tile.layer, Math.floor(cx / side), Math.floor(cy / side));
      if (other === undefined || other.number > tile.number) continue;
      const place = (cy % side) * side + (cx % side);
      if (other.number === tile.number && place >= i) continue;
      if (holdsCell(flooded, cx, cy, size) && tileTouches(index, other, window.boxes) && hasChunk(window, other, place))
        return true;
    }
  return false;
}

function holdsCell({ column, row, width, height, mask }: Flooded, cx: number, cy: number, size: number): boolean {
  const east = Math.min(column + width, (cx + 1) * size);
  for (let y = Math.max(row, cy * size); y < Math.min(row + height, (cy + 1) * size); y++)
    for (let x = Math.max(column, cx * size); x < east; x++)
      if (mask[(y - row) * width + x - column] !== 0) return true;
  return false;
}

/** Column and row of the cell that its label names; null where it has no such cell. */
function markerOf({ column, row, width, height, mask }: Flooded, label: number): readonly [number, number] | null {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (mask[y * width + x] !== 0 && segmentNumber(column + x, row + y) === label) return [column + x, row + y];
  return null;
}

/**
 * Marks the cells of a segment that can be reached within the chunk, for one that is not whole. Says whether its marker is
 * among them, so that it is counted once.
 */
function fillPiece(
  labels: Uint32Array,
  seen: Uint8Array,
  cell: number,
  { size }: LabelChunks,
  cx: number,
  cy: number,
): boolean {
  const label = labels[cell];
  const stack = [cell];
  seen[cell] = 1;
  let hasMarker = false;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const [x, y] = [at % size, Math.floor(at / size)];
    hasMarker ||= segmentNumber(cx * size + x, cy * size + y) === label;
    const around = [x > 0 ? at - 1 : -1, x < size - 1 ? at + 1 : -1, at - size, at + size];
    for (const next of around)
      if (next >= 0 && next < seen.length && labels[next] === label && seen[next] === 0) {
        seen[next] = 1;
        stack.push(next);
      }
  }
  return hasMarker;
}

function segmentOf(
  layer: LabelLayer,
  [column, row]: readonly [number, number],
  cells: readonly [number, number, number, number],
): ListedSegment {
  const [lon, lat] = placeOf(layer, column + 0.5, row + 0.5);
  // Longitudes of places are those of people: 180.1 is -179.9.
  const marker: LonLat = [lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon, lat];
  return { id: `${layer.entry.path.replaceAll('/', ':')}:${row}:${column}`, marker, box: degreesOf(layer, cells) };
}

/** Whether the store answers the marker from these arrays. */
async function isAnswered(
  source: Source,
  { layers }: LabelIndex,
  { entry }: LabelLayer,
  { marker }: ListedSegment,
  signal: AbortSignal,
): Promise<boolean> {
  if (layers.length === 1) return true;
  const place = await source.at(marker[0], marker[1], signal);
  return place?.status === 'forest' && place.path === entry.path;
}

const ID = /^(.+):(\d{1,10}):(\d{1,10})$/;

/** The segment of an id; null where the store has none, or answers its place with another. */
export async function segmentById(
  source: Source,
  index: LabelIndex,
  id: string,
  signal: AbortSignal,
): Promise<ListedSegment | null> {
  const [, path, rowText, columnText] = ID.exec(id) ?? [];
  const layer = index.layers.find(({ entry }) => entry.path.replaceAll('/', ':') === path);
  if (layer === undefined) return null;
  const [row, column] = [Number(rowText), Number(columnText)];
  const { entry } = layer;
  if (row >= entry.height || column >= entry.width) return null;
  const chunks = await layer.chunks();
  const { size } = chunks;
  const [cx, cy] = [Math.floor(column / size), Math.floor(row / size)];
  const cell = (row % size) * size + (column % size);
  const [labels, states] = await Promise.all([chunks.labels(cx, cy, signal), chunks.status(cx, cy, signal)]);
  if (states?.[cell] !== CELL_STATUS.forest || labels?.[cell] !== segmentNumber(column, row)) return null;
  const flooded = await floodChunks(chunks, column, row, signal);
  if (flooded === null) return null;
  const segment = segmentOf(layer, [column, row], [flooded.column, flooded.row, flooded.width, flooded.height]);
  // A leading zero would be another name of the same segment.
  return segment.id === id && (await isAnswered(source, index, layer, segment, signal)) ? segment : null;
}

/** Lets others have their turn now and then: a page of segments is long work for a thread that serves requests. */
function createTurns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE_MS) return;
    await setImmediate();
    begun = performance.now();
  };
}
