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
const EDGE_COLOUR: Colour = [20, 20, 30];

/** A place of the picture: pixels from its upper left corner. */
type Place = readonly [x: number, y: number];
type Line = readonly [from: Place, to: Place];

interface Pen {
  readonly colour: Colour;
  /** Pixels. */
  readonly width: number;
}

/** Pixels from the middle of the cross to its ends. */
const CROSS = 9;

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
  const place = ([column, row]: Place): Place => [(column - view.column) * scale, (row - view.row) * scale];
  const placed = (rings: readonly CellRing[]): readonly Line[] => linesOf(rings.map((ring) => ring.map(place)));
  drawLine(canvas, placed(raw), { colour: RAW_COLOUR, width: 1.5 });
  drawEdged(canvas, placed(smooth), { colour: SMOOTH_COLOUR, width: 2.5 });
  drawEdged(canvas, crossAt(place(point)), { colour: POINT_COLOUR, width: 2 });
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

/** A line as a pen draws it: round at its ends and corners, in between the colours where it covers a pixel in part. */
function drawLine(canvas: RgbImage, lines: readonly Line[], { colour, width }: Pen): void {
  const { width: columns, height: rows, rgb } = canvas;
  const covered = new Float32Array(columns * rows);
  const reach = width / 2 + 0.5;
  for (const [[x0, y0], [x1, y1]] of lines) {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const length2 = dx * dx + dy * dy;
    const right = Math.min(columns - 1, Math.floor(Math.max(x0, x1) + reach));
    const bottom = Math.min(rows - 1, Math.floor(Math.max(y0, y1) + reach));
    for (let y = Math.max(0, Math.floor(Math.min(y0, y1) - reach)); y <= bottom; y++)
      for (let x = Math.max(0, Math.floor(Math.min(x0, x1) - reach)); x <= right; x++) {
        // From the middle of the pixel to the nearest place of the line.
        const [px, py] = [x + 0.5 - x0, y + 0.5 - y0];
        const along = length2 === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / length2));
        const share = Math.min(1, reach - Math.hypot(px - along * dx, py - along * dy));
        const at = y * columns + x;
        if (share > covered[at]!) covered[at] = share;
      }
  }
  for (const [at, share] of covered.entries())
    if (share > 0)
      for (let channel = 0; channel < 3; channel++) {
        const below = rgb[3 * at + channel]!;
        rgb[3 * at + channel] = Math.round(below + share * (colour[channel]! - below));
      }
}

/** A line with an edge of dark, so that it is seen on bright ground as well. */
function drawEdged(canvas: RgbImage, lines: readonly Line[], pen: Pen): void {
  drawLine(canvas, lines, { colour: EDGE_COLOUR, width: pen.width + 2 });
  drawLine(canvas, lines, pen);
}

function linesOf(rings: readonly (readonly Place[])[]): readonly Line[] {
  return rings.flatMap((ring) => ring.map((place, v) => [place, ring[(v + 1) % ring.length]!] as const));
}

function crossAt([x, y]: Place): readonly Line[] {
  return [
    [
      [x - CROSS, y],
      [x + CROSS, y],
    ],
    [
      [x, y - CROSS],
      [x, y + CROSS],
    ],
  ];
}
