import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BANDS, type Grid } from '../../../src/geo/segmentation/grid.ts';
import type { Cog } from './layouts.ts';
import { degreesOf } from './region.ts';

/** A place at an edge, and where PROJ has it: `test/oracles/embeddings/edge-places.py`. */
export interface EdgePlace {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  /** Zones whose files hold it, the one that answers first; metres. */
  readonly zones: readonly { readonly epsg: number; readonly x: number; readonly y: number }[];
}

const ORACLE = join(import.meta.dirname, '../../oracles/embeddings/edge-places.json');
export const EDGE_PLACES = JSON.parse(readFileSync(ORACLE, 'utf8')) as readonly EdgePlace[];

/** Half the side of the files around a place, in metres: places that differ by centimetres lie in the same ones. */
const REACH = 480;
/** Where files meet in the middle of others: the edge of files of the first two places. */
const FILE_EDGE = 360_000;

/** Files around every place in all its zones, which overlap where zones meet; two that meet at the edge of files. */
export function edgeCogs(year: number): Cog[] {
  const cogs = new Map<string, Cog>();
  for (const { zones } of EDGE_PLACES)
    for (const { epsg, x, y } of zones) {
      // Half a pixel further, so that places on both sides of a line have one corner.
      const [west, north] = [round(x + 5) - REACH, round(y + 5) + REACH];
      const asset = `${epsg}-${west}-${north}`.replaceAll('--', '-m');
      if (x !== FILE_EDGE && Math.abs(x - FILE_EDGE) > 1) cogs.set(asset, cogOf(asset, year, epsg, west, north, 2));
      else
        for (const [side, left] of [
          ['west', FILE_EDGE - REACH],
          ['east', FILE_EDGE],
        ] as const)
          cogs.set(side, cogOf(side, year, epsg, left, north, 1));
    }
  return [...cogs.values()];
}

function cogOf(asset: string, year: number, epsg: number, west: number, north: number, halves: number): Cog {
  const [width, height] = [(halves * REACH) / 10, (2 * REACH) / 10];
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      codes.set(codesAt(epsg, west / 10 + x, north / 10 - 1 - y), (y * width + x) * BANDS);
  const grid: Grid = { width, height, codes, transform: [10, 0, west, 0, -10, north], crs: `EPSG:${epsg}` };
  return { asset, year, grid, footprint: wrapped(degreesOf(grid)) };
}

/** The codes of the pixel whose lower left corner is so many pixels from the origin of its zone: no other near has them. */
export function codesAt(epsg: number, east: number, north: number): Int8Array {
  const parts = [epsg % 100, epsg < 32_700 ? 1 : -1, mod(east), mod(north)];
  return Int8Array.from({ length: BANDS }, (_, band) => parts[band] ?? mod(east + band * north));
}

function mod(value: number): number {
  return ((value % 121) + 121) % 121;
}

function round(metres: number): number {
  return Math.floor(metres / 10) * 10;
}

/** West above east over the antimeridian, as an index may have it. */
function wrapped([west, south, east, north]: readonly number[]): [number, number, number, number] {
  // A box around both sides of the antimeridian spans the world.
  return east - west > 180 ? [east, south, west, north] : [west, south, east, north];
}
