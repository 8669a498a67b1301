import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import type { FlatPolygon } from '../../geo/partition/cut-polygons.ts';
import type { Geos } from '../../geo/partition/open-geos.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import type { CellArea } from '../../geo/segmentation/cell-area.ts';
import type { CodeWindow } from '../../geo/segmentation/code-window.ts';
import { cellForest } from '../../geo/segmentation/forest-gate.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import { poolCells } from '../../geo/segmentation/pool-cells.ts';
import { segmentCells } from '../../geo/segmentation/region/segment-cells.ts';
import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import { weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import { drawParts, type DrawnPart } from './draw-parts.ts';
import type { PlotCells } from './find-pieces.ts';
import { findKinds, NO_DATA, type PlotKinds } from './find-kinds.ts';
import { SPLIT_RULES } from './split-rules.ts';

/** One lattice of AlphaEarth codes, as the splitting of a plot needs it. Pixels are counted from its upper left corner, rows run south. */
export interface PlotRaster {
  /** North-up, from pixel corners to units of `crs`. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  /** `EPSG:4326` or a UTM zone on WGS84. */
  readonly crs: string;
  /** Where its 2 x 2 blocks begin. */
  phase(signal: AbortSignal): Promise<{ readonly x: 0 | 1; readonly y: 0 | 1 }>;
  /** Pixels from (`x0`, `y0`), which may lie outside: what is not covered is -128. */
  window(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<CodeWindow>;
}

/** One polygon of a proposed split, with what the embeddings say of it. */
export interface SplitPart extends DrawnPart {
  /** Place of its kind of ground in `kinds`; `NO_DATA` for ground nobody looked at. */
  readonly part: number;
  /** Hectares in it that have no data. */
  readonly unknownHa: number;
  /** Hectares of kinds of ground too small for a part of their own. */
  readonly otherHa: number;
  /** Mean probability of trees; null without data. */
  readonly treeProbability: number | null;
}

/** What a plot is made of, and the split that follows from it. */
export interface PlotSplit extends Pick<PlotKinds, 'kinds' | 'halves' | 'pieces'> {
  /** Geodesic hectares of the plot. */
  readonly areaHa: number;
  /** Hectares of each kind, and without data; together the plot. */
  readonly kindHa: readonly number[];
  readonly unknownHa: number;
  /** Mean probability of trees of each kind. */
  readonly treeProbability: readonly number[];
  /** Segments of the plot, and how many of them may be others in a larger window. */
  readonly segments: number;
  readonly unproven: number;
  /** The split, where the plot has at least two large kinds; null where it has not, or no faultless drawing was found. */
  readonly parts: readonly SplitPart[] | null;
}

/** Cells of 20 m on a side of the largest rectangle around a plot: 10 km. */
export const MOST_CELLS = 512;

/**
 * Finds the kinds of ground of a plot, and draws its split where there are two or more large ones. The same answer
 * whatever window of the raster was read before. Null for a plot whose rectangle has more than `MOST_CELLS` cells on a side.
 * @param polygons in degrees on WGS84, valid, not overlapping, not across the antimeridian.
 * @throws what the raster throws, and the signal's reason.
 */
export async function splitPlot(
  polygons: readonly FlatPolygon[],
  raster: PlotRaster,
  geos: Geos,
  signal: AbortSignal,
): Promise<PlotSplit | null> {
  const phase = await raster.phase(signal);
  const lattice = latticeOf(raster, phase);
  const inCells = polygons.map(lattice.toCells);
  const area = boxOf(inCells);
  if (Math.max(area.width, area.height) > MOST_CELLS) return null;
  const weights = weigh(inCells, lattice.grid, area);
  const wanted = Uint8Array.from(weights, (weight) => (weight > 0 ? 1 : 0));
  const window = (x0: number, y0: number, width: number, height: number): Promise<CodeWindow> =>
    raster.window(x0, y0, width, height, signal);
  const cut = await segmentCells({ phase, window }, area, wanted, { signal });
  const [x0, y0] = [2 * area.column + phase.x, 2 * area.row + phase.y];
  const vectors = poolCells(await window(x0, y0, 2 * area.width, 2 * area.height));
  signal.throwIfAborted();
  const cells: PlotCells = { ...vectors, weights, labels: cut.labels };
  const kinds = findKinds(cells);
  const areaHa = polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000;
  // Sums over cells differ from the plot's own area by some parts in a hundred thousand.
  const scale = kinds.plotHa > 0 ? areaHa / kinds.plotHa : 0;
  const trees = treesOf(cells);
  return {
    ...kinds,
    areaHa,
    kindHa: kinds.kinds.map(({ sums }) => sums.weight * scale),
    unknownHa: kinds.unknownHa * scale,
    treeProbability: kinds.kinds.map((_, kind) => meanOf(trees, weights, (cell) => kinds.kindOf[cell] === kind) ?? 0),
    segments: cut.markers.length,
    unproven: cut.unproven.reduce((sum, one) => sum + one, 0),
    parts: kinds.kinds.filter(({ isMajor }) => isMajor).length < 2 ? null : draw(),
  };

  function draw(): readonly SplitPart[] | null {
    const image = {
      ...pad(kinds, area),
      grid: lattice.gridFrom(area.column - PAD, area.row - PAD),
      toCells: (polygon: FlatPolygon) => moved(lattice.toCells(polygon), PAD - area.column, PAD - area.row),
    };
    const drawn = drawParts(polygons, image, SPLIT_RULES.leastHa, geos);
    return (
      drawn?.map((part) => {
        const inside = weigh([lattice.toCells(part.polygon)], lattice.grid, area);
        const haOf = (is: (kind: number) => boolean): number =>
          inside.reduce((sum, hectares, cell) => (is(kinds.kindOf[cell]) ? sum + hectares : sum), 0) * scale;
        return {
          ...part,
          unknownHa: haOf((kind) => kind === NO_DATA),
          otherHa: haOf((kind) => kind >= 0 && !kinds.kinds[kind].isMajor),
          treeProbability: part.part === NO_DATA ? null : meanOf(trees, inside, (cell) => kinds.kindOf[cell] >= 0),
        };
      }) ?? null
    );
  }
}

/** Cells around the rectangle of the plot, so that borders can be drawn out of it. */
const PAD = 4;

function pad({ partOf }: PlotKinds, { width, height }: CellArea) {
  const wide = width + 2 * PAD;
  const padded = new Int16Array(wide * (height + 2 * PAD)).fill(-2);
  for (let row = 0; row < height; row++)
    padded.set(partOf.subarray(row * width, (row + 1) * width), (row + PAD) * wide + PAD);
  return { width: wide, height: height + 2 * PAD, partOf: padded };
}

/** The cells of a raster: 2 x 2 pixels from its phase on. */
function latticeOf(
  { transform: [a, , c, , e, f], crs: name }: PlotRaster,
  phase: { readonly x: number; readonly y: number },
) {
  const crs = findCrs(name);
  if ('refused' in crs) throw new Error(crs.refused);
  const projection = openProjection(crs);
  const transformFrom = (column: number, row: number) =>
    [2 * a, 0, c + (phase.x + 2 * column) * a, 0, 2 * e, f + (phase.y + 2 * row) * e] as const;
  const grid = { transform: transformFrom(0, 0), crs };
  return {
    grid,
    gridFrom: (column: number, row: number) => ({ transform: transformFrom(column, row), crs: name }),
    toCells: (polygon: FlatPolygon): FlatPolygon => toPixelPolygon(polygon, grid, projection),
  };
}

function moved(polygon: FlatPolygon, dx: number, dy: number): FlatPolygon {
  return polygon.map((ring) => ring.map((value, i) => value + (i % 2 === 0 ? dx : dy)));
}

function boxOf(polygons: readonly FlatPolygon[]): CellArea {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [ring] of polygons)
    for (let i = 0; i < ring.length; i += 2) {
      left = Math.min(left, ring[i]);
      right = Math.max(right, ring[i]);
      top = Math.min(top, ring[i + 1]);
      bottom = Math.max(bottom, ring[i + 1]);
    }
  const [column, row] = [Math.floor(left), Math.floor(top)];
  return { column, row, width: Math.max(1, Math.ceil(right) - column), height: Math.max(1, Math.ceil(bottom) - row) };
}

type Grid = Parameters<typeof weighPixels>[1];

/** Hectares of each cell inside the polygons. */
function weigh(polygons: readonly FlatPolygon[], grid: Grid, { column, row, width, height }: CellArea): Float64Array {
  const sum = new Float64Array(width * height);
  const one = new Float64Array(width * height);
  for (const polygon of polygons) {
    weighPixels(polygon, grid, { x0: column, y0: row, width, height }, one);
    for (let cell = 0; cell < sum.length; cell++) sum[cell] += one[cell];
  }
  // What rounding leaves of a cell that only touches the plot is not ground of it.
  const least = 1e-7 * sum.reduce((most, value) => Math.max(most, value), 0);
  return sum.map((value) => (value > least ? value : 0));
}

/** The probability of trees of each cell, by the forest gate; NaN without data. */
function treesOf({ units, valid }: PlotCells): Float64Array {
  return Float64Array.from(valid, (is, cell) => (is === 1 ? cellForest(units, cell * BANDS) : Number.NaN));
}

/** Weighted mean over some cells with a value; null where there is none. */
function meanOf(values: Float64Array, weights: Float64Array, is: (cell: number) => boolean): number | null {
  let sum = 0;
  let all = 0;
  for (let cell = 0; cell < values.length; cell++) {
    if (!(weights[cell] > 0) || Number.isNaN(values[cell]) || !is(cell)) continue;
    sum += values[cell] * weights[cell];
    all += weights[cell];
  }
  return all > 0 ? sum / all : null;
}
