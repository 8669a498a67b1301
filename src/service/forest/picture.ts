import type { EdgeImage } from '../../geo/segmentation/kernels/edge-kernel.ts';
import type { CellVectors } from '../../geo/segmentation/pool-cells.ts';
import type { RgbImage } from './png.ts';

/** A line through places of the edge image, in cells: column, row pairs; closed. */
export type CellRing = readonly (readonly [column: number, row: number])[];

/** A rectangle of cells. */
interface CellView {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

interface PictureParts {
  /** Cells in a row of what is painted. */
  readonly width: number;
  /** The cells to show. */
  readonly around: CellView;
  /** The colour of the cell `row * width + column`. */
  readonly colourOf: (cell: number) => Colour;
  /** The rings of the segment along its cells. */
  readonly raw: readonly CellRing[];
  readonly smooth: readonly CellRing[];
  readonly point: readonly [column: number, row: number];
}

type Colour = readonly [red: number, green: number, blue: number];
const NODATA_COLOUR: Colour = [70, 60, 90];
const RAW_COLOUR: Colour = [255, 150, 40];
const SMOOTH_COLOUR: Colour = [60, 220, 255];
const POINT_COLOUR: Colour = [255, 60, 60];

/** Pixels of the longer side, about; cells of context around the segment. */
const SIDE = 900;
const MARGIN = 16;

/** The cells, the outline along them in orange, the smooth one in blue, the point as a red cross. */
export function drawCut({ width, around: view, colourOf, raw, smooth, point }: PictureParts): RgbImage {
  const scale = Math.max(1, Math.floor(SIDE / Math.max(view.width, view.height)));
  const image = { width: view.width * scale, height: view.height * scale };
  const rgb = new Uint8Array(3 * image.width * image.height);
  for (let y = 0; y < image.height; y++)
    for (let x = 0; x < image.width; x++) {
      const column = view.column + Math.floor(x / scale);
      const row = view.row + Math.floor(y / scale);
      rgb.set(colourOf(row * width + column), 3 * (y * image.width + x));
    }
  const canvas = { ...image, rgb };
  const place = ([column, row]: readonly [number, number]): readonly [number, number] => [
    (column - view.column) * scale,
    (row - view.row) * scale,
  ];
  for (const ring of raw) drawRing(canvas, ring.map(place), RAW_COLOUR);
  for (const ring of smooth) drawRing(canvas, ring.map(place), SMOOTH_COLOUR);
  drawCross(canvas, place(point));
  return canvas;
}

/** Edge strength in grey: bright is strong, violet is nodata. */
export function edgeColours({ values }: EdgeImage): (cell: number) => Colour {
  const brightest = percentile(values, 0.98);
  return (cell) => {
    const strength = values[cell] ?? Number.NaN;
    const grey = 255 * Math.sqrt(Math.min(1, strength / brightest));
    return Number.isNaN(strength) ? NODATA_COLOUR : [grey, grey, grey];
  };
}

/** A colour for each label, neighbours distinguished by chance; cells without a label are violet. */
export function labelColours(labels: Int32Array): (cell: number) => Colour {
  return (cell) => {
    const label = labels[cell] ?? 0;
    if (label === 0) return NODATA_COLOUR;
    // Knuth's multiplicative hash: labels that follow each other get colours far apart.
    const hash = Math.imul(label, 0x9e3779b1) >>> 0;
    return [64 + (hash & 0x7f), 64 + ((hash >>> 8) & 0x7f), 64 + ((hash >>> 16) & 0x7f)];
  };
}

/** The three bands that vary most, as red, green and blue, each stretched from its 2nd to its 98th percentile. */
export function embeddingColours({ width, height, units, valid }: CellVectors): (cell: number) => Colour {
  const cells = Array.from({ length: width * height }, (_, cell) => cell).filter((cell) => valid[cell] === 1);
  const bands = units.length / (width * height);
  const stretched = Array.from({ length: bands }, (_, band) => {
    const sorted = Int16Array.from(cells, (cell) => units[cell * bands + band] ?? 0).toSorted();
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { band, low: at(0.02), range: at(0.98) - at(0.02) };
  });
  const [red, green, blue] = stretched.toSorted((a, b) => b.range - a.range);
  const channel = (cell: number, { band, low, range } = { band: 0, low: 0, range: 0 }): number =>
    Math.min(255, Math.max(0, (255 * ((units[cell * bands + band] ?? 0) - low)) / (range || 1)));
  return (cell) =>
    valid[cell] === 1 ? [channel(cell, red), channel(cell, green), channel(cell, blue)] : NODATA_COLOUR;
}

/** The cells that hold the places and some more around them. */
export function viewAround(
  places: readonly (readonly [number, number])[],
  { width, height }: { readonly width: number; readonly height: number },
): CellView {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (const [column, row] of places) {
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
  }
  const column = Math.max(0, Math.floor(left) - MARGIN);
  const row = Math.max(0, Math.floor(top) - MARGIN);
  return {
    column,
    row,
    width: Math.min(width, Math.ceil(right) + MARGIN) - column,
    height: Math.min(height, Math.ceil(bottom) + MARGIN) - row,
  };
}

/** The strength that so many cells stay below; 1 where there is nothing but nodata or zeros. */
function percentile(values: Float32Array, share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted();
  return sorted[Math.floor(share * (sorted.length - 1))] || 1;
}

function drawRing(canvas: RgbImage, ring: readonly (readonly [number, number])[], colour: Colour): void {
  for (let v = 0; v < ring.length; v++) {
    const [x0, y0] = ring[v]!;
    const [x1, y1] = ring[(v + 1) % ring.length]!;
    const steps = Math.max(1, Math.ceil(2 * Math.hypot(x1 - x0, y1 - y0)));
    for (let step = 0; step <= steps; step++)
      dot(canvas, x0 + ((x1 - x0) * step) / steps, y0 + ((y1 - y0) * step) / steps, colour);
  }
}

function drawCross(canvas: RgbImage, [x, y]: readonly [number, number]): void {
  for (let d = -9; d <= 9; d++) {
    dot(canvas, x + d, y, POINT_COLOUR);
    dot(canvas, x, y + d, POINT_COLOUR);
  }
}

/** Two pixels wide, so that a line is seen on a large picture. */
function dot({ width, height, rgb }: RgbImage, x: number, y: number, colour: Colour): void {
  for (let dy = -1; dy <= 0; dy++)
    for (let dx = -1; dx <= 0; dx++) {
      const [px, py] = [Math.round(x) + dx, Math.round(y) + dy];
      if (px >= 0 && py >= 0 && px < width && py < height) rgb.set(colour, 3 * (py * width + px));
    }
}
