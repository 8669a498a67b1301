import type { Polygon } from '../geometry.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import { type PolygonSize, polygonArea } from '../rings/polygon-area.ts';
import type { LonLat } from '../shapes/shape.ts';
import { cutCorners, findStructuralCorners, taubin } from './smooth-rings.ts';
import { distanceInside, includePoint } from './include-point.ts';
import { dropFlat, type PinnedRings, segmentize } from './segmentize.ts';
import { findCrossings } from './find-crossings.ts';
import { fitArea } from './fit-area.ts';
import { cellMetres, type Lattice, latticeProjection } from './lattice.ts';
import { type Rings, ringViews, toPolygon } from './rings.ts';
import { straightenStairs } from './straighten-stairs.ts';

/** The numbers of the smoothing. A pixel is the longer side of a cell, in metres. */
export const SMOOTHING = {
  /** Longest edge before smoothing, in pixels. */
  segment: 1,
  /** Rings shorter than this, in pixels, are cut twice as finely: of a ring of few vertices, Taubin's filter takes the size. */
  shortRing: 16,
  taubin: { lambda: 0.5, mu: -0.53 },
  /** Steps of Taubin; the next number is tried when the area cannot be kept with the one before. */
  taubinSteps: [6, 3, 1, 0],
  chaikinRounds: 2,
  /** Both runs at a structural corner have at least this many pixels. */
  structuralRun: 3,
  /** Largest change of area, as a share. Half a per mille below 1 % is room for the rounding of coordinates. */
  areaChange: 0.0095,
  /** What the area is brought back to when it changed more than that. */
  areaFit: 0.0005,
  /** Farthest that fitting the area may move a vertex, in pixels. */
  areaMove: 0.25,
  /** Vertices nearer than this to the line between their neighbours are left out, in pixels. */
  flat: 0.001,
  /** The input point lies at least this deep inside, in metres; the next number is tried when a cell is too small for it. */
  depths: [0.02, 0.004],
  /** Around a fault the raster's own outline is kept, within this many pixels, more with every attempt. */
  keepRadius: 1.5,
  attempts: 5,
} as const;

/** Decimals of the degrees that are returned: about a millimetre. */
const UNITS_PER_DEGREE = 1e8;

/** A segment's outline in EPSG:4326, with what is reported about it. */
export interface SegmentOutline {
  /** Exterior counter-clockwise, holes clockwise, closed; 8 decimals. */
  readonly polygon: Polygon;
  /** Square metres on the ellipsoid, holes taken off. */
  readonly area: number;
  /** Metres on the ellipsoid along the exterior and the holes. */
  readonly perimeter: number;
  /** Area against the raster's own outline, in per cent of it; -1 to 1. */
  readonly areaChangePct: number;
  /** True when no smoothing could keep the promises and the raster's own outline is returned. */
  readonly smoothingSkipped: boolean;
  /**
   * Metres from the point to the outline that the segment has for most of its points, where this one had to be drawn
   * another way to hold the point: smoothing cuts corners off. Null when it is that outline.
   */
  readonly redrawnFor: number | null;
}

/**
 * The smooth outline of a traced segment: slopes for its stairs, then segmentize, Taubin, Chaikin with structural corners pinned. The result is
 * valid, its area is within 1 % of the segment's own, and it contains `point`, which must lie in a cell of the segment
 * (null when there is none). Where smoothing would break one of these promises, the raster's outline is kept
 * around that place; where that does not help, everywhere. Every point that the segment's own outline holds gets that
 * outline, to the last bit; a point in a corner that smoothing cuts off gets another, and `redrawnFor` says so.
 *
 * Longitudes may leave -180..180 when the segment lies across the antimeridian: they are those that run on from the point's.
 *
 * @param corners column, row pairs on the lattice, inside on the right: one polygon of `traceLabels`.
 */
export function outlineSegment(corners: Rings<Int32Array>, lattice: Lattice, point: LonLat | null): SegmentOutline {
  const cell = cellMetres(lattice, corners.coords[1]);
  const pixel = Math.max(cell.width, cell.height);
  const structural = findStructuralCorners(corners, cell, SMOOTHING.structuralRun * pixel);
  const traced = segmentize(corners, structural, lattice, { cell, maxLength: Infinity });
  const turn = turnTo(point, traced);
  const segment: Segment = { corners, structural, lattice, cell, pixel, turn, raw: turned(traced, turn) };
  const rawArea = polygonArea(ringViews(segment.raw)).area;
  const smooth = smoothKept(segment, rawArea, null);
  const common = smooth ?? rawOutline(segment.raw, null, rawArea);
  const inside = point === null ? Infinity : distanceInside(common.rings, point).inside;
  if (inside >= SMOOTHING.depths[0]) return described(common, rawArea, smooth === null, null);
  const redrawn = smooth === null ? null : smoothKept(segment, rawArea, point);
  const kept = redrawn ?? rawOutline(segment.raw, point, rawArea);
  return described(kept, rawArea, redrawn === null, Math.abs(inside));
}

/** A traced segment with what drawing it takes. */
interface Segment {
  readonly corners: Rings<Int32Array>;
  readonly structural: Uint8Array;
  readonly lattice: Lattice;
  readonly cell: { readonly width: number; readonly height: number };
  /** The longer side of a cell, in metres. */
  readonly pixel: number;
  /** Degrees by which longitudes of the lattice are turned. */
  readonly turn: number;
  /** The raster's own outline. */
  readonly raw: PinnedRings;
}

/** Places around which the raster's own outline is kept, and how many metres around each. */
interface Fault {
  readonly places: readonly number[];
  readonly radius: number;
}

function described(
  { rings, size }: Measured,
  rawArea: number,
  smoothingSkipped: boolean,
  redrawnFor: number | null,
): SegmentOutline {
  return {
    polygon: toPolygon(rings),
    area: size.area,
    perimeter: size.perimeter,
    areaChangePct: (size.area / rawArea - 1) * 100,
    smoothingSkipped,
    redrawnFor,
  };
}

/** Rings with 8 decimals and their size. */
interface Measured {
  readonly rings: Rings;
  readonly size: PolygonSize;
}

/** Smooths, keeping the raster's outline around every fault that shows, until there is none; null when there always is. */
function smoothKept(segment: Segment, rawArea: number, point: LonLat | null): Measured | null {
  const { pixel } = segment;
  const faults: Fault[] = [];
  for (let attempt = 1; attempt <= SMOOTHING.attempts; attempt++) {
    const radius = SMOOTHING.keepRadius * pixel * attempt;
    const smooth = smoothRings(draw(segment, faults), rawArea, pixel);
    if (!smooth) return null;
    const crossings = findCrossings(smooth.rings);
    if (crossings.length > 0) {
      faults.push({ places: crossings, radius });
    } else if (!point || distanceInside(smooth.rings, point).inside >= SMOOTHING.depths[0]) {
      return smooth;
    } else {
      const included = attempt > 1 ? withPoint(smooth.rings, point, rawArea) : null;
      if (included) return included;
      faults.push({ places: point, radius });
    }
  }
  return null;
}

/** The segment's rings with slopes for stairs, cut for the filters; around faults they are the raster's own, and pinned. */
function draw({ corners, structural, lattice, cell, pixel, turn }: Segment, faults: readonly Fault[]): PinnedRings {
  const kept = structural.slice();
  for (const fault of faults) keepCorners(kept, corners, lattice, cell, turn, fault);
  const { pinned, ...rings } = straightenStairs(corners, structural, kept);
  const options = { cell, maxLength: SMOOTHING.segment * pixel, shortRing: SMOOTHING.shortRing * pixel };
  return faults.reduce(keepNear, turned(segmentize(rings, pinned, lattice, options), turn));
}

/** Marks the corners of which a run passes within the radius of a fault. */
function keepCorners(
  kept: Uint8Array,
  { coords, starts }: Rings<Int32Array>,
  lattice: Lattice,
  cell: Segment['cell'],
  turn: number,
  { places, radius }: Fault,
): void {
  const { toXY } = latticeProjection(lattice.crs);
  const xy = new Float64Array(2);
  const [reachX, reachY] = [radius / cell.width, radius / cell.height];
  for (let i = 0; i < places.length; i += 2) {
    toXY(places[i] + turn, places[i + 1], xy, 0);
    const column = (xy[0] - lattice.originX) / lattice.cellWidth;
    const row = (lattice.originY - xy[1]) / lattice.cellHeight;
    for (let r = 0; r + 1 < starts.length; r++) {
      for (let v = starts[r], before = starts[r + 1] - 1; v < starts[r + 1]; before = v++) {
        const isNear =
          Math.min(coords[2 * before], coords[2 * v]) - reachX <= column &&
          Math.max(coords[2 * before], coords[2 * v]) + reachX >= column &&
          Math.min(coords[2 * before + 1], coords[2 * v + 1]) - reachY <= row &&
          Math.max(coords[2 * before + 1], coords[2 * v + 1]) + reachY >= row;
        if (isNear) kept[before] = kept[v] = 1;
      }
    }
  }
}

/** Smooths as much as the area allows: a segment of a few cells can lose too much of it to all steps of Taubin. */
function smoothRings(kept: PinnedRings, rawArea: number, pixel: number): Measured | null {
  for (const steps of SMOOTHING.taubinSteps) {
    const smooth = smoothSteps(kept, steps, pixel);
    const measured = measure(smooth);
    if (Math.abs(measured.size.area / rawArea - 1) <= SMOOTHING.areaChange) return measured;
    const maxMove = SMOOTHING.areaMove * pixel;
    const fitted = fitArea(smooth, { target: rawArea, tolerance: SMOOTHING.areaFit, maxMove });
    if (fitted) return measure(fitted);
  }
  return null;
}

/** The steps of smoothing in their order. */
function smoothSteps(kept: PinnedRings, steps: number, pixel: number): PinnedRings {
  let rings = taubin(kept, { ...SMOOTHING.taubin, steps });
  for (let round = 0; round < SMOOTHING.chaikinRounds; round++) rings = cutCorners(rings);
  return dropFlat(rings, SMOOTHING.flat * pixel);
}

/** The raster's outline as it is. A point on an edge of its cell is taken in where that leaves the polygon valid. */
function rawOutline(raw: PinnedRings, point: LonLat | null, rawArea: number): Measured {
  const measured = measure(dropFlat(raw, 0));
  if (!point || distanceInside(measured.rings, point).inside >= SMOOTHING.depths[0]) return measured;
  return withPoint(measured.rings, point, rawArea) ?? measured;
}

/** The rings with the point taken in, or null where that cannot be had in a valid polygon of the right area. */
function withPoint(rings: Rings, point: LonLat, rawArea: number): Measured | null {
  for (const depth of SMOOTHING.depths) {
    const included = includePoint(rings, point, depth);
    if (!included) continue;
    const measured = measure(included);
    const kept = Math.abs(measured.size.area / rawArea - 1) <= SMOOTHING.areaChange;
    if (kept && findCrossings(measured.rings).length === 0 && distanceInside(measured.rings, point).inside > 0) {
      return measured;
    }
  }
  return null;
}

/** Pins the vertices within the radius of any place of a fault. */
function keepNear(rings: PinnedRings, { places, radius }: Fault): PinnedRings {
  const { coords, starts } = rings;
  const pinned = rings.pinned.slice();
  const east = metresPerDegreeEast(places[1]);
  const north = metresPerDegreeNorth(places[1]);
  for (let i = 0; i < coords.length; i += 2) {
    for (let p = 0; p < places.length && pinned[i / 2] === 0; p += 2) {
      const x = (coords[i] - places[p]) * east;
      const y = (coords[i + 1] - places[p + 1]) * north;
      if (x * x + y * y <= radius * radius) pinned[i / 2] = 1;
    }
  }
  return { coords, starts, pinned };
}

/** Degrees, in whole turns, to take from longitudes so that they are nearest to the point's, or begin within -180..180. */
function turnTo(point: LonLat | null, rings: PinnedRings): number {
  return 360 * Math.round((rings.coords[0] - (point?.[0] ?? 0)) / 360);
}

function turned(rings: PinnedRings, turn: number): PinnedRings {
  if (turn === 0) return rings;
  return { ...rings, coords: rings.coords.map((value, i) => (i % 2 === 0 ? value - turn : value)) };
}

function measure({ coords, starts }: Rings): Measured {
  const rounded = new Float64Array(coords.length);
  for (let i = 0; i < coords.length; i++) rounded[i] = Math.round(coords[i] * UNITS_PER_DEGREE) / UNITS_PER_DEGREE;
  const rings = { coords: rounded, starts };
  return { rings, size: polygonArea(ringViews(rings)) };
}
