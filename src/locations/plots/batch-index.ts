import type { Geometry } from '../../geo/geometry.ts';
import { createHits, finishTree, searchTree, treeBoxCount, type PackedTree } from '../../geo/packed-tree.ts';
import { curveOrder } from '../../geo/shapes/point-set.ts';
import { geodesicDistanceM } from '../../geo/geodesic.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import { reachAround } from '../../geo/shapes/reach.ts';
import type { LonLat, Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { Overlay } from './geos.ts';
import { PLOT_RULES } from './plot-options.ts';

interface BatchPlot {
  /** Number of the location in the batch, from 0. */
  readonly index: number;
  readonly row: number;
  readonly geometry: Geometry;
  readonly shape: Shape;
}

interface Overlap {
  readonly row: number;
  readonly hectares: number;
  /** Per cent of the plot that was asked for. */
  readonly percent: number;
}

/** What the plots and facilities of a batch have to do with each other. */
export interface BatchIndex {
  /** Row of the first location with this very geometry, where that is another one. */
  duplicateOf(index: number): number | null;
  overlapsOf(index: number): readonly Overlap[];
  /** Row of and metres to the nearest facility of the batch. */
  nearestFacility(at: LonLat): { readonly row: number; readonly metres: number } | null;
  /** Row of the first location with this id, where that is another one. */
  sameId(index: number): number | null;
  /** Number of the first location that was not compared; null when all were. */
  readonly notComparedFrom: number | null;
}

/** Gathers a batch in memory that is bounded by `PLOT_RULES`. */
export function createBatchIndex() {
  const plots: BatchPlot[] = [];
  const facilities: { readonly at: LonLat; readonly row: number }[] = [];
  const firstByGeometry = new Map<string, number>();
  const duplicates = new Map<number, number>();
  const firstById = new Map<string, number>();
  const sameIds = new Map<number, number>();
  let vertices = 0;
  let notComparedFrom: number | null = null;

  return {
    addId(index: number, row: number, id: string | number): void {
      if (firstById.size >= PLOT_RULES.comparedPlots * 10) return;
      const key = String(id);
      const first = firstById.get(key);
      if (first === undefined) firstById.set(key, row);
      else sameIds.set(index, first);
    },
    addFacility(at: LonLat, row: number): void {
      if (facilities.length < PLOT_RULES.comparedPlots) facilities.push({ at, row });
    },
    addPlot(plot: BatchPlot): void {
      const size = sizeOf(plot.shape);
      if (plots.length >= PLOT_RULES.comparedPlots || vertices + size > PLOT_RULES.comparedVertices) {
        notComparedFrom ??= plot.index;
        return;
      }
      const key = keyOf(plot.shape);
      const first = firstByGeometry.get(key);
      if (first !== undefined) {
        duplicates.set(plot.index, first);
        return;
      }
      firstByGeometry.set(key, plot.row);
      if (plot.shape.polygons.length === 0) return;
      vertices += size;
      plots.push(plot);
    },
    finish: (overlay: Overlay): BatchIndex =>
      finish({ plots, facilities, duplicates, sameIds, notComparedFrom }, overlay),
  };
}

interface Gathered {
  readonly plots: readonly BatchPlot[];
  readonly facilities: readonly { readonly at: LonLat; readonly row: number }[];
  readonly duplicates: ReadonlyMap<number, number>;
  readonly sameIds: ReadonlyMap<number, number>;
  readonly notComparedFrom: number | null;
}

function finish({ plots, facilities, duplicates, sameIds, notComparedFrom }: Gathered, overlay: Overlay): BatchIndex {
  const plotTree = treeOf(plots.map(({ shape }) => shape.bbox));
  const facilityTree = treeOf(facilities.map(({ at: [lon, lat] }) => [lon, lat, lon, lat] as const));
  const byIndex = new Map(plots.map((plot) => [plot.index, plot]));
  const hits = createHits();
  return {
    duplicateOf: (index) => duplicates.get(index) ?? null,
    sameId: (index) => sameIds.get(index) ?? null,
    notComparedFrom,
    overlapsOf(index) {
      const plot = byIndex.get(index);
      if (plot === undefined || plotTree === null) return [];
      hits.count = 0;
      const [west, south, east, north] = plot.shape.bbox.map((value) => value * SCALE);
      searchTree(plotTree.tree, west, south, east, north, hits);
      const near = Array.from(hits.ids.subarray(0, hits.count), (i) => plots[plotTree.order[i]]).filter(
        (other) => other !== plot,
      );
      return near.slice(0, PLOT_RULES.neighbours).flatMap((other) => overlapOf(plot, other, overlay));
    },
    nearestFacility: (at) => (facilityTree === null ? null : nearest(facilityTree, facilities, at)),
  };
}

interface Tree {
  readonly tree: PackedTree;
  /** Index into the input by place in the tree. */
  readonly order: Uint32Array;
}

/** Units in a degree: a centimetre. */
const SCALE = 10_000_000;

function treeOf(boxes: readonly (readonly [number, number, number, number])[]): Tree | null {
  if (boxes.length === 0) return null;
  const order = curveOrder(boxes.flatMap(([west, south, east, north]) => [(west + east) / 2, (south + north) / 2]));
  const packed = new Int32Array(treeBoxCount(boxes.length) * 4);
  for (const [i, from] of order.entries()) {
    const [west, south, east, north] = boxes[from];
    packed.set(
      [Math.floor(west * SCALE), Math.floor(south * SCALE), Math.ceil(east * SCALE), Math.ceil(north * SCALE)],
      i * 4,
    );
  }
  return { tree: finishTree(packed, boxes.length), order };
}

/** Looks in boxes of growing size, at last everywhere. */
function nearest(
  { tree, order }: Tree,
  facilities: Gathered['facilities'],
  [lon, lat]: LonLat,
): { row: number; metres: number } | null {
  const hits = createHits();
  for (const withinM of [5_000, 50_000, 500_000, Infinity]) {
    const reach = withinM === Infinity ? { longitudes: 360, latitudes: 180 } : reachAround(lat, lat, withinM);
    hits.count = 0;
    searchTree(
      tree,
      (lon - reach.longitudes) * SCALE,
      (lat - reach.latitudes) * SCALE,
      (lon + reach.longitudes) * SCALE,
      (lat + reach.latitudes) * SCALE,
      hits,
    );
    let best: { row: number; metres: number } | null = null;
    for (const id of hits.ids.subarray(0, hits.count)) {
      const facility = facilities[order[id]];
      const metres = geodesicDistanceM(lon, lat, facility.at[0], facility.at[1]);
      if (metres <= withinM && (best === null || metres < best.metres)) best = { row: facility.row, metres };
    }
    if (best !== null) return best;
  }
  return null;
}

function overlapOf(plot: BatchPlot, other: BatchPlot, overlay: Overlay): Overlap[] {
  const common = overlay.intersection(plot.geometry, other.geometry);
  const hectares = areaOf(common);
  const own = areaOf(plot.geometry);
  const smaller = Math.min(own, areaOf(other.geometry));
  if (hectares < PLOT_RULES.overlapHa || hectares * 100 < smaller * PLOT_RULES.overlapPercent) return [];
  return [{ row: other.row, hectares, percent: Math.min(100, (hectares / own) * 100) }];
}

/** Hectares of the polygons of a geometry; what GEOS gives need not pass as valid to the last digit. */
function areaOf(geometry: Geometry | null): number {
  if (geometry === null) return 0;
  if (geometry.type === 'GeometryCollection')
    return geometry.geometries.reduce((sum, member) => sum + areaOf(member), 0);
  if (geometry.type === 'Polygon')
    return (
      polygonArea(geometry.coordinates.map((ring) => Float64Array.from(ring.flatMap(([x, y]) => [x, y])))).area / 10_000
    );
  if (geometry.type === 'MultiPolygon')
    return geometry.coordinates.reduce((sum, coordinates) => sum + areaOf({ type: 'Polygon', coordinates }), 0);
  return 0;
}

function sizeOf({ polygons }: Shape): number {
  return polygons.reduce((sum, rings) => sum + rings.reduce((count, ring) => count + ring.length / 2, 0), 0);
}

/** The coordinates to 6 decimals, which is what the information system keeps. */
function keyOf({ points, lines, polygons }: Shape): string {
  const text = (values: Float64Array): string => Array.from(values, (value) => Math.round(value * 1e6)).join(',');
  return [text(points), ...lines.map(text), ...polygons.flat().map(text)].join(';');
}

/** The geometry of a batch as it is compared: valid, or null. */
export function comparable(geometry: unknown): { readonly geometry: Geometry; readonly shape: Shape } | null {
  const { shape } = toShape(geometry);
  return shape === null ? null : { geometry: geometry as Geometry, shape };
}
