import type { Geometry } from '../../geo/geometry.ts';
import { createHits } from '../../geo/packed-tree.ts';
import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import { reachAround } from '../../geo/shapes/reach.ts';
import type { LonLat, Shape } from '../../geo/shapes/shape.ts';
import { DEFAULT_POINT_HA } from '../../geo/zonal/plot-ground.ts';
import type { Overlay } from './geos.ts';
import { layOutCircles, layOutGround, type CommonGround, type GroundPiece } from './lay-out-ground.ts';
import { createPlotBoxes, packBox, searchBoxes, treeOf, type BoxTree } from './plot-boxes.ts';
import { PLOT_RULES } from './plot-options.ts';
import { polygonHectares } from '../measure-geometry.ts';
import { round } from '../../geo/round.ts';

/** A plot as it is compared with the others. */
export interface BatchPlot {
  /** Number of the location in the batch, from 0. */
  readonly index: number;
  readonly row: number;
  readonly geometry: Geometry;
  readonly shape: Shape;
  /** The area the file states, which is that of the circle around a point. */
  readonly statedHa: number | null;
}

/** Where the ground of a plot lies on that of earlier plots of the batch. */
export interface EarlierGround {
  /** Number of the first plot that has this very ground, where that is another one: it stands for all of them. */
  readonly sameAs: number | null;
  /** Pieces of the plot and the earlier plots that lie there; of several with the same ground the first alone. */
  readonly pieces: readonly GroundPiece[];
}

interface Overlap {
  readonly row: number;
  readonly hectares: number;
  /** Per cent of the plot in question. */
  readonly percent: number;
}

/** What the plots and facilities of a batch have to do with each other, as far as they have been added. */
export interface BatchIndex {
  /** Row of the first location with this very geometry, where that is another one. */
  duplicateOf(index: number): number | null;
  overlapsOf(index: number): readonly Overlap[];
  /** Null where it could not be compared with the plots before it. */
  earlierGroundOf(index: number): EarlierGround | null;
  /** Row of and metres to the nearest facility of the batch. */
  nearestFacility(at: LonLat): { readonly row: number; readonly metres: number } | null;
  /** Row of the first location with this id, where that is another one. */
  sameId(index: number): number | null;
  /** Where comparing ended, because there is more than can be held; null when all were compared. */
  readonly end: ComparingEnd | null;
  /** Whether all facilities of the batch are known to it. */
  readonly hasAllFacilities: boolean;
}

export interface ComparingEnd {
  /** Number of the first location that was not compared with others. */
  readonly from: number;
  /** Plots before it that were. */
  readonly plots: number;
}

interface GrowingIndex extends BatchIndex {
  addId(index: number, row: number, id: string | number): void;
  addFacility(at: LonLat, row: number): void;
  addPlot(plot: BatchPlot): void;
}

type MostCompared = Readonly<Record<'comparedPlots' | 'comparedVertices' | 'comparedFacilities', number>>;

/** Gathers a batch in memory that is bounded by `most`. It may be queried before all of it is there. */
export function createBatchIndex(overlay: Overlay, most: MostCompared = PLOT_RULES): GrowingIndex {
  const plots = new Map<number, BatchPlot>();
  const boxes = createPlotBoxes();
  const facilities: { readonly at: LonLat; readonly row: number }[] = [];
  let facilityTree: BoxTree | null = null;
  const firstByGeometry = new Map<
    string,
    { readonly row: number; readonly index: number; readonly circles: Circle[] }
  >();
  const duplicates = new Map<number, Duplicate>();
  const firstById = new Map<string, number>();
  const sameIds = new Map<number, number>();
  const compare = createComparison((plot) => {
    const near = boxes.near(packBox(plot.shape.bbox));
    return near.flatMap((number) => (number === plot.index ? [] : [plots.get(number)!]));
  }, overlay);
  let vertices = 0;
  let end: ComparingEnd | null = null;
  let hasAllFacilities = true;

  return {
    addId(index: number, row: number, id: string | number): void {
      const key = String(id);
      const first = firstById.get(key);
      if (first !== undefined) sameIds.set(index, first);
      else if (firstById.size < most.comparedPlots * 10) firstById.set(key, row);
      else end ??= { from: index, plots: plots.size };
    },
    addFacility(at: LonLat, row: number): void {
      if (facilities.length >= most.comparedFacilities) {
        hasAllFacilities = false;
        return;
      }
      facilities.push({ at, row });
      facilityTree = null;
    },
    addPlot(plot: BatchPlot): void {
      const size = sizeOf(plot.shape);
      if (plots.size >= most.comparedPlots || vertices + size > most.comparedVertices) {
        end ??= { from: plot.index, plots: plots.size };
        return;
      }
      const key = keyOf(plot.shape);
      const first = firstByGeometry.get(key);
      const circle = circleOf(plot);
      if (first !== undefined) {
        const { row, circles } = first;
        const isNew = circle !== null && circles.every(({ hectares }) => hectares !== circle.hectares);
        // One more than may be compared is remembered, which says that there are too many.
        if (isNew && circles.length <= PLOT_RULES.neighbours) circles.push(circle);
        duplicates.set(plot.index, { row, first: first.index, circles, hectares: circle?.hectares ?? null });
        return;
      }
      firstByGeometry.set(key, { row: plot.row, index: plot.index, circles: circle === null ? NO_CIRCLES : [circle] });
      if (plot.shape.polygons.length === 0) return;
      vertices += size;
      plots.set(plot.index, plot);
      boxes.add(plot.index, plot.shape.bbox);
    },
    duplicateOf: (index) => duplicates.get(index)?.row ?? null,
    sameId: (index) => sameIds.get(index) ?? null,
    get end() {
      return end;
    },
    get hasAllFacilities() {
      return hasAllFacilities;
    },
    overlapsOf(index) {
      const plot = plots.get(index);
      return plot === undefined ? [] : compare.overlapsOf(plot);
    },
    earlierGroundOf(index) {
      if (end !== null && index >= end.from) return null;
      const duplicate = duplicates.get(index);
      if (duplicate !== undefined && duplicate.hectares !== null)
        return amongCircles(index, duplicate, duplicate.hectares);
      const plot = plots.get(duplicate?.first ?? index);
      if (plot === undefined) return { sameAs: null, pieces: [] };
      if (duplicate === undefined) {
        const pieces = compare.piecesOf(plot, (other) => other.index < index);
        return pieces === null ? null : { sameAs: null, pieces };
      }
      const pieces = compare.repeatedPieces(plot);
      return pieces === null ? null : { sameAs: plot.index, pieces: withFirst(pieces, plot.index, index) };
    },
    nearestFacility(at) {
      facilityTree ??= treeOf(
        Int32Array.from(facilities.flatMap(({ at: [lon, lat] }) => packBox([lon, lat, lon, lat]))),
      );
      return facilityTree === null ? null : nearest(facilityTree, facilities, at);
    },
  };
}

/** A plot known by a point: the first at its place with this area. */
interface Circle {
  readonly number: number;
  readonly hectares: number;
}

/** Of a plot with an outline; nothing is ever added to it. */
const NO_CIRCLES: Circle[] = [];

interface Duplicate {
  /** Row and number of the first location with this geometry. */
  readonly row: number;
  readonly first: number;
  /** The circles at the same place, where it is known by a point, and the hectares of its own. */
  readonly circles: readonly Circle[];
  readonly hectares: number | null;
}

/** The circle that a plot known by a point stands for; null for a plot with an outline. */
export function circleOf({ index, shape, statedHa }: Pick<BatchPlot, 'index' | 'shape' | 'statedHa'>): Circle | null {
  if (shape.polygons.length > 0) return null;
  return { number: index, hectares: statedHa ?? (DEFAULT_POINT_HA * shape.points.length) / 2 };
}

/** Compares plots with those that `nearOf` finds at the moment, in the order of the file. */
function createComparison(nearOf: (plot: BatchPlot) => readonly BatchPlot[], overlay: Overlay) {
  /** The last plot that was looked at: its overlaps and its ground are wanted one after the other. */
  let last: Surroundings | null = null;
  /** All pieces of plots that others repeat, by number; the latest ones. */
  const repeated = new Map<number, { readonly neighbours: number; readonly pieces: readonly GroundPiece[] | null }>();

  function surroundingsOf(plot: BatchPlot): Surroundings {
    const near = nearOf(plot);
    if (last?.plot === plot && last.neighbours === near.length) return last;
    last = {
      plot,
      neighbours: near.length,
      common: near.slice(0, PLOT_RULES.neighbours).map((other) => commonGround(plot, other, overlay)),
    };
    return last;
  }

  /** Pieces of a plot on those of the others that `counts`, in the order of the file. */
  function piecesOf(plot: BatchPlot, counts: (other: BatchPlot) => boolean): readonly GroundPiece[] | null {
    const { neighbours, common } = surroundingsOf(plot);
    const counted = common.filter(({ other }) => counts(other));
    if (neighbours > PLOT_RULES.neighbours || counted.some(({ geometry }) => geometry === null)) return null;
    const others = counted.flatMap(({ other, geometry, hectares }): CommonGround[] =>
      geometry === null || hectares === 0 ? [] : [{ number: other.index, geometry: other.geometry, common: geometry }],
    );
    return others.length === 0 ? [] : layOutGround(plot.geometry, others, overlay);
  }

  return {
    piecesOf,
    overlapsOf: (plot: BatchPlot): readonly Overlap[] =>
      surroundingsOf(plot).common.flatMap(({ other, hectares }) => overlapOf(plot, other, hectares)),
    /** The pieces of a plot on all others; the same until there are more of them. */
    repeatedPieces(plot: BatchPlot): readonly GroundPiece[] | null {
      const known = repeated.get(plot.index);
      const neighbours = nearOf(plot).length;
      if (known?.neighbours === neighbours) return known.pieces;
      const [oldest] = repeated.keys();
      if (oldest !== undefined && repeated.size >= REMEMBERED) repeated.delete(oldest);
      const pieces = piecesOf(plot, () => true);
      repeated.set(plot.index, { neighbours, pieces });
      return pieces;
    },
  };
}

/** Plots that others repeat whose pieces are remembered. */
const REMEMBERED = 1_000;

interface Surroundings {
  readonly plot: BatchPlot;
  /** How many there are; it may be more than a plot is compared with. */
  readonly neighbours: number;
  readonly common: readonly {
    readonly other: BatchPlot;
    /** Null where GEOS gave up. */
    readonly geometry: Geometry | null;
    readonly hectares: number;
  }[];
}

function commonGround(plot: BatchPlot, other: BatchPlot, overlay: Overlay): Surroundings['common'][number] {
  const geometry = overlay.intersection(plot.geometry, other.geometry);
  return { other, geometry, hectares: polygonHectares(geometry) };
}

/** Pieces of a plot that repeats `first`: all of it lies there, and parts on others before `index` as well. */
function withFirst(pieces: readonly GroundPiece[], first: number, index: number): readonly GroundPiece[] {
  const shares = new Map<string, { share: number; readonly plots: readonly number[] }>();
  let rest = 1;
  for (const [share, ...others] of pieces) {
    const plots = others.filter((number) => number < index);
    if (plots.length === 0) continue;
    rest -= share;
    const same = shares.get(plots.join());
    if (same === undefined) shares.set(plots.join(), { share, plots });
    else same.share += share;
  }
  const found = [...shares.values()].map(({ share, plots }): GroundPiece => [round(share, 6), first, ...plots]);
  const alone = round(rest, 6);
  return alone > 0 ? [[alone, first], ...found] : found;
}

function amongCircles(index: number, { circles }: Duplicate, hectares: number): EarlierGround | null {
  if (circles.length > PLOT_RULES.neighbours) return null;
  const same = circles.find((circle) => circle.hectares === hectares);
  const earlier = circles.filter(({ number }) => number < index);
  return {
    sameAs: same === undefined || same.number === index ? null : same.number,
    pieces: layOutCircles(hectares, earlier),
  };
}

/** Looks in boxes of growing size, at last everywhere. */
function nearest(
  facilityTree: BoxTree,
  facilities: readonly { readonly at: LonLat; readonly row: number }[],
  [lon, lat]: LonLat,
): { row: number; metres: number } | null {
  const hits = createHits();
  for (const withinM of [5_000, 50_000, 500_000, Infinity]) {
    const reach = withinM === Infinity ? { longitudes: 360, latitudes: 180 } : reachAround(lat, lat, withinM);
    const box = [lon - reach.longitudes, lat - reach.latitudes, lon + reach.longitudes, lat + reach.latitudes] as const;
    searchBoxes(facilityTree, packBox(box), hits);
    let best: { row: number; metres: number } | null = null;
    for (const id of hits.ids.subarray(0, hits.count)) {
      const facility = facilities[facilityTree.order[id]];
      const metres = geodesicDistanceM(lon, lat, facility.at[0], facility.at[1]);
      if (metres <= withinM && (best === null || metres < best.metres)) best = { row: facility.row, metres };
    }
    if (best !== null) return best;
  }
  return null;
}

function overlapOf(plot: BatchPlot, other: BatchPlot, hectares: number): Overlap[] {
  if (hectares < PLOT_RULES.overlapHa) return [];
  const own = polygonHectares(plot.geometry);
  const smaller = Math.min(own, polygonHectares(other.geometry));
  if (hectares * 100 < smaller * PLOT_RULES.overlapPercent) return [];
  return [{ row: other.row, hectares, percent: Math.min(100, (hectares / own) * 100) }];
}

/** Vertices of its outlines. */
function sizeOf({ polygons }: Shape): number {
  return polygons.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length / 2, 0), 0);
}

/** What plots with the same geometry have in common: the coordinates to 6 decimals, which is what the information system keeps. */
export function keyOf({ points, lines, polygons }: Shape): string {
  const text = (values: Float64Array): string => Array.from(values, (value) => Math.round(value * 1e6)).join(',');
  return [text(points), ...lines.map(text), ...polygons.flat().map(text)].join(';');
}
