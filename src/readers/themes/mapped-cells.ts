import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { windowsAround } from '../../geo/shapes/reach.ts';
import { ringsOf, traceLabels } from '../../geo/outline/trace-labels.ts';
import type { Bbox, Shape } from '../../geo/shapes/shape.ts';
import { round } from '../../geo/round.ts';

/** Where a theme is mapped on the ground of a pack, in cells of about 1 km, as a manifest keeps it. */
export interface MappedCells {
  /** Degrees of a cell each way. */
  readonly cell: number;
  /** Column and row of the first cell, counted from 180 W, 90 S. */
  readonly west: number;
  readonly south: number;
  readonly width: number;
  readonly height: number;
  /** Cells on the ground of the pack, and those of them where the theme is mapped. */
  readonly cells: number;
  readonly mapped: number;
  /** A bit for each cell, row by row from the south-west, deflated, in base64. */
  readonly bits: string;
}

/**
 * What a manifest says of a theme: where it is mapped; `whole` for data that is complete by the way it was made; null where nobody has
 * measured it, which is not known to be mapped anywhere.
 */
export type Mapped = MappedCells | 'whole' | null;

/** Share of what is searched that has to be mapped before nothing found means that there is nothing. */
const LEAST_MAPPED_SHARE = 0.95;

/** Says whether a theme is mapped around a place. */
interface MappedGround {
  /** Whether it is on 95 % or more of the ground within so many metres of a shape. */
  holdsAround(shape: Shape, withinM: number): boolean;
}

const WHOLE: MappedGround = { holdsAround: () => true };
const NOWHERE: MappedGround = { holdsAround: () => false };

/** Opens what a manifest says; the cells are unpacked by the first question. */
export function openMapped(mapped: Mapped): MappedGround {
  if (mapped === 'whole') return WHOLE;
  if (mapped === null || mapped.mapped === 0) return NOWHERE;
  let flags: Uint8Array | null = null;
  return {
    holdsAround(shape, withinM) {
      flags ??= unpackBits(mapped);
      const windows = windowsAround(shape.bbox, withinM);
      const box = inCells(shape.bbox, mapped.cell);
      const sums = { held: 0, searched: 0 };
      for (const window of windows)
        addWindow(mapped, flags, inCells(window, mapped.cell), windows.length === 1 ? box : null, sums);
      return sums.searched > 0
        ? sums.held >= sums.searched * LEAST_MAPPED_SHARE
        : holdsPoint(mapped, flags, shape.bbox);
    },
  };
}

/** A box on earth in cells from 180 W, 90 S. */
function inCells([west, south, east, north]: Bbox, cell: number): Bbox {
  return [
    (Math.max(-180, west) + 180) / cell,
    (Math.max(-90, south) + 90) / cell,
    (Math.min(180, east) + 180) / cell,
    (Math.min(90, north) + 90) / cell,
  ];
}

/** Strips that a window is looked at in. */
const STRIPS = 32;

/**
 * Adds what of a window is searched, and what of that is mapped, in cells. Only the ground within reach of the box in its middle is
 * searched, not the corners of the window; without one, for a window that is cut at the antimeridian, all of it.
 */
function addWindow(
  { west, south, width, height }: MappedCells,
  flags: Uint8Array,
  [left, low, right, high]: Bbox,
  middle: Bbox | null,
  out: { held: number; searched: number },
): void {
  const tall = (high - low) / STRIPS;
  for (let strip = 0; strip < STRIPS; strip++) {
    const y = low + (strip + 0.5) * tall;
    const cut = middle === null ? 0 : cornerAt(y, [left, low, right, high], middle);
    const [from, to] = [left + cut, right - cut];
    out.searched += (to - from) * tall;
    const row = Math.floor(y) - south;
    if (row < 0 || row >= height) continue;
    const last = Math.min(width, Math.ceil(to) - west);
    for (let column = Math.max(0, Math.floor(from) - west); column < last; column++)
      if (flags[row * width + column] === 1)
        out.held += (Math.min(to, west + column + 1) - Math.max(from, west + column)) * tall;
  }
}

/** How far the edge of what is within reach stands in from the side of the window, at a height. */
function cornerAt(y: number, [left, low, , high]: Bbox, [west, south, , north]: Bbox): number {
  const [reachX, reachY] = [west - left, y < south ? south - low : high - north];
  const away = y < south ? south - y : y > north ? y - north : 0;
  return away === 0 || reachY <= 0 ? 0 : reachX * (1 - Math.sqrt(Math.max(0, 1 - (away / reachY) ** 2)));
}

/** Nothing around a place is searched: the place itself decides. */
function holdsPoint({ cell, west, south, width, height }: MappedCells, flags: Uint8Array, box: Bbox): boolean {
  const [x, y] = inCells(box, cell);
  const [column, row] = [Math.floor(x) - west, Math.floor(y) - south];
  return column >= 0 && row >= 0 && column < width && row < height && flags[row * width + column] === 1;
}

/** Packs flags, 1 where a theme is mapped, of a grid. */
export function packBits(flags: Uint8Array): string {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (let i = 0; i < flags.length; i++) if (flags[i] === 1) bits[i >> 3] |= 1 << (i & 7);
  return deflateRawSync(bits).toString('base64');
}

function unpackBits({ width, height, bits }: MappedCells): Uint8Array {
  const packed = inflateRawSync(Buffer.from(bits, 'base64'), { maxOutputLength: Math.ceil((width * height) / 8) });
  return Uint8Array.from({ length: width * height }, (_, i) => (packed[i >> 3] >> (i & 7)) & 1);
}

/** Most positions of an outline that is drawn. */
const MOST_POSITIONS = 2_000;

interface MappedOutline {
  /** Degrees of the cells it follows: those of the measure, or coarser ones where the outline would be long. */
  readonly cell: number;
  readonly coordinates: readonly (readonly (readonly (readonly number[])[])[])[];
}

/** Where a theme is mapped, to be drawn. A coarser cell is drawn where half of it or more is mapped. */
export function outlineMapped(mapped: MappedCells): MappedOutline {
  let { cell, west, south, width, height } = mapped;
  let shares = Float32Array.from(unpackBits(mapped));
  for (;;) {
    const labels = Uint8Array.from(shares, (share) => (share >= 0.5 ? 1 : 0));
    const coordinates = polygonsOf(labels, { cell, west, south, width, height });
    if (coordinates.flat(2).length <= MOST_POSITIONS || width * height <= 1) return { cell, coordinates };
    const coarse = coarsened(shares, { west, south, width, height });
    shares = coarse.shares;
    ({ west, south, width, height } = coarse);
    cell *= 2;
  }
}

type Grid = Pick<MappedCells, 'west' | 'south' | 'width' | 'height'>;

function coarsened(shares: Float32Array, { west, south, width, height }: Grid) {
  const [left, low] = [west >> 1, south >> 1];
  const wide = ((west + width - 1) >> 1) - left + 1;
  const tall = ((south + height - 1) >> 1) - low + 1;
  const out = new Float32Array(wide * tall);
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      out[(((south + row) >> 1) - low) * wide + ((west + column) >> 1) - left] += shares[row * width + column] / 4;
  return { shares: out, west: left, south: low, width: wide, height: tall };
}

function polygonsOf(labels: Uint8Array, { cell, west, south, width, height }: Grid & { readonly cell: number }) {
  const traced = traceLabels({ width, height, labels });
  const degrees = (cells: number, from: number): number => round(cells * cell - from, 6);
  return Array.from({ length: traced.polygonStart.length - 1 }, (_, polygon) => {
    const { coords, starts } = ringsOf(traced, polygon, west, south);
    return Array.from({ length: starts.length - 1 }, (_ring, ring) => {
      const positions: number[][] = [];
      for (let v = starts[ring]; v < starts[ring + 1]; v++)
        positions.push([degrees(coords[2 * v], 180), degrees(coords[2 * v + 1], 90)]);
      return [...positions, positions[0]];
    });
  });
}
