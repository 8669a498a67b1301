import { outlineMapped, packBits } from '../../readers/themes/mapped-cells.ts';
import type { Bbox, LonLat } from '../../geo/shapes/shape.ts';
import { round } from '../../geo/round.ts';

/** A cell of 0.1 degree each way, named by its south-west corner, as `n05.7w073.1`. */
export interface Cell {
  /** Tenths of a degree from 180 W and 90 S. */
  readonly x: number;
  readonly y: number;
  readonly name: string;
}

const PER_DEGREE = 10;
/** Metres around a cell that are fetched with it: as far as anything is searched that a cell has to answer. */
const MARGIN_M = 2_000;
/** Metres of a degree at the equator, a little too few, so that margins are never too narrow. */
const DEGREE_M = 110_500;
/** Margins are whole steps of this many degrees, so that cells next to each other have one outline. */
const STEP = 0.01;
const STEPS_PER_CELL = 10;

export function cellAt([lon, lat]: LonLat): Cell {
  const at = (degrees: number, most: number): number =>
    Math.min(most * PER_DEGREE - 1, Math.max(0, Math.floor(degrees * PER_DEGREE + 1e-9)));
  return cellOf(at(lon + 180, 360), at(lat + 90, 180));
}

function cellOf(x: number, y: number): Cell {
  const [lon, lat] = [x - 180 * PER_DEGREE, y - 90 * PER_DEGREE];
  return { x, y, name: cornerName(lon / PER_DEGREE, lat / PER_DEGREE, 1) };
}

/** A place in degrees as `n05.7w073.1`. */
function cornerName(lon: number, lat: number, decimals: number): string {
  const side = (degrees: number, letters: string, digits: number): string =>
    `${degrees < 0 ? letters[1] : letters[0]}${Math.abs(degrees).toFixed(decimals).padStart(digits, '0')}`;
  const point = decimals === 0 ? 0 : decimals + 1;
  return `${side(lat, 'ns', 2 + point)}${side(lon, 'ew', 3 + point)}`;
}

/** The cell of a name; null for another text. */
export function cellNamed(name: string): Cell | null {
  const match = /^([ns])(\d{2}\.\d)([ew])(\d{3}\.\d)$/.exec(name);
  if (match === null) return null;
  const tenths = (text: string, sign: string): number =>
    Math.round(Number(text) * PER_DEGREE) * ('sw'.includes(sign) ? -1 : 1);
  const cell = cellOf(tenths(match[4], match[3]) + 180 * PER_DEGREE, tenths(match[2], match[1]) + 90 * PER_DEGREE);
  return cell.name === name ? cell : null;
}

/** The block of one degree that holds a cell, named by its south-west corner, as `n05w074`. */
export function blockOf({ x, y }: Cell): string {
  return cornerName(Math.floor(x / PER_DEGREE) - 180, Math.floor(y / PER_DEGREE) - 90, 0);
}

/** The ground of a cell with its margin, in steps from 180 W and 90 S; `right` and `top` are exclusive. */
function stepsOf({ x, y }: Cell): { left: number; low: number; right: number; top: number } {
  const farthest = Math.max(Math.abs(y - 90 * PER_DEGREE), Math.abs(y + 1 - 90 * PER_DEGREE)) / PER_DEGREE;
  const narrowest = Math.max(0.01, Math.cos((farthest * Math.PI) / 180));
  const up = Math.ceil(MARGIN_M / DEGREE_M / STEP);
  const aside = Math.ceil(MARGIN_M / (DEGREE_M * narrowest) / STEP);
  return {
    left: Math.max(0, x * STEPS_PER_CELL - aside),
    low: Math.max(0, y * STEPS_PER_CELL - up),
    right: Math.min(360 / STEP, (x + 1) * STEPS_PER_CELL + aside),
    top: Math.min(180 / STEP, (y + 1) * STEPS_PER_CELL + up),
  };
}

/** The box that is fetched for a cell, in degrees. */
export function boxOfCell(cell: Cell): Bbox {
  const { left, low, right, top } = stepsOf(cell);
  const degrees = (steps: number, from: number): number => round(steps * STEP - from, 6);
  return [degrees(left, 180), degrees(low, 90), degrees(right, 180), degrees(top, 90)];
}

/** The outline of cells with their margins: a polygon for each group of them that hangs together. */
export function outlineOfCells(cells: readonly Cell[]): Float64Array[][] {
  const steps = cells.map(stepsOf);
  const west = Math.min(...steps.map(({ left }) => left));
  const south = Math.min(...steps.map(({ low }) => low));
  const width = Math.max(...steps.map(({ right }) => right)) - west;
  const height = Math.max(...steps.map(({ top }) => top)) - south;
  const flags = new Uint8Array(width * height);
  for (const { left, low, right, top } of steps)
    for (let row = low; row < top; row++)
      flags.fill(1, (row - south) * width + left - west, (row - south) * width + right - west);
  const bits = packBits(flags);
  const { coordinates } = outlineMapped({ cell: STEP, west, south, width, height, cells: 0, mapped: 0, bits });
  return coordinates.map((rings) => rings.map((ring) => Float64Array.from(ring.flat())));
}
