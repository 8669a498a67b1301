import { geodesicDistanceM } from '../ellipsoid.ts';
import { MinHeap } from '../min-heap.ts';
import { nearestOnSegment, type NearestPoint } from '../rings/nearest-on-segment.ts';
import { childrenEnd, createHits, firstChild, searchTree } from '../packed-tree.ts';
import { pointInPolygon } from '../rings/point-in-polygon.ts';
import { longitudeGap, type Reach, reachAround, windowsAround } from '../shapes/reach.ts';
import type { Shape } from '../shapes/shape.ts';
import { createEdgeBlock, type EdgeBlock, type EdgeSet, readEdgeBlock } from './edge-set.ts';
import { EdgeHolders } from './edge-holders.ts';

interface FoundEdge {
  /** Geodesic metres on WGS84; 0 when the shape touches, crosses, holds or lies inside the owner's ground. */
  readonly distanceM: number;
  readonly owner: number;
  /** The nearest point of the owner, in degrees. */
  readonly lon: number;
  readonly lat: number;
}

/** Degrees a side of a shape may span at once; longer sides are searched in parts. */
const LONGEST_SIDE = 0.2;
/** The flat metric may overstate a distance by up to 0.1 %; so much more is searched, and the exact distance decides. */
const SLACK = 1.001;
/** Blocks near a shape from which the search of each of its sides begins; where there are more it begins at the root. */
const MOST_STARTS = 64;

/**
 * Nearest owner of an edge set to shapes. Among equally near owners the lowest number wins. The distance is the geodesic to the
 * point found, and that point is nearest to within 0.1 % or 1 m, up to 100 km. Not to be used by two callers at once.
 */
export class NearestEdge {
  readonly holders: EdgeHolders;
  readonly #set: EdgeSet;
  readonly #block: EdgeBlock;
  readonly #heap = new MinHeap();
  readonly #hits = createHits();
  readonly #starts = createHits();
  readonly #spot: NearestPoint = { lon: 0, lat: 0 };
  #only = -1;
  #best2 = 0;
  #owner = -1;
  #fromLon = 0;
  #fromLat = 0;
  #toLon = 0;
  #toLat = 0;

  constructor(set: EdgeSet) {
    this.#set = set;
    this.holders = new EdgeHolders(set);
    this.#block = createEdgeBlock(set);
  }

  /** The nearest owner within so many metres of the shape, or null. `only` leaves every other owner aside; -1 takes all. */
  find(shape: Shape, withinM: number, only = -1): FoundEdge | null {
    this.#only = only;
    const inside = this.#holding(shape);
    if (inside !== null) return inside;
    const limit = withinM * SLACK + 0.5;
    this.#best2 = limit * limit;
    this.#owner = -1;
    this.#starts.count = 0;
    if (shape.lines.length + shape.polygons.length > 0 && !this.#startNear(shape, limit)) return null;
    for (let i = 0; i < shape.points.length; i += 2)
      this.#search(shape.points[i], shape.points[i + 1], shape.points[i], shape.points[i + 1]);
    for (const line of shape.lines) this.#searchAlong(line);
    for (const polygon of shape.polygons) {
      for (const ring of polygon) this.#searchAlong(ring);
    }
    if (this.#owner < 0) return null;
    const distanceM = this.#best2 === 0 ? 0 : geodesicDistanceM(this.#fromLon, this.#fromLat, this.#toLon, this.#toLat);
    return distanceM > withinM ? null : { distanceM, owner: this.#owner, lon: this.#toLon, lat: this.#toLat };
  }

  /** Finds the blocks within so many metres of the box of a shape, once for all of its sides; false where there is none. */
  #startNear({ bbox }: Shape, withinM: number): boolean {
    const { scale, tree } = this.#set;
    for (const [west, south, east, north] of windowsAround(bbox, withinM))
      searchTree(tree, west * scale, south * scale, east * scale, north * scale, this.#starts);
    return this.#starts.count > 0;
  }

  /** Whether the shape lies in an owner's ground, or holds an owner's ring, so that no edges need cross. */
  #holding(shape: Shape): FoundEdge | null {
    let owner = -1;
    let lon = 0;
    let lat = 0;
    const offer = (found: number, x: number, y: number): void => {
      if (found < 0 || (owner >= 0 && found >= owner)) return;
      owner = found;
      lon = x;
      lat = y;
    };
    for (let i = 0; i < shape.points.length; i += 2) {
      offer(this.#ownerAt(shape.points[i], shape.points[i + 1]), shape.points[i], shape.points[i + 1]);
    }
    for (const line of shape.lines) offer(this.#ownerAt(line[0], line[1]), line[0], line[1]);
    for (const polygon of shape.polygons) {
      offer(this.#ownerAt(polygon[0][0], polygon[0][1]), polygon[0][0], polygon[0][1]);
      this.#heldBy(polygon, offer);
    }
    return owner < 0 ? null : { distanceM: 0, owner, lon, lat };
  }

  #ownerAt(lon: number, lat: number): number {
    if (this.#only < 0) return this.holders.firstAt(lon, lat);
    return this.holders.holds(lon, lat, this.#only) ? this.#only : -1;
  }

  #heldBy(polygon: readonly Float64Array[], offer: (owner: number, x: number, y: number) => void): void {
    const { scale, tree } = this.#set;
    const [west, south, east, north] = boundsOf(polygon[0]);
    this.#hits.count = 0;
    searchTree(tree, west * scale, south * scale, east * scale, north * scale, this.#hits);
    const { x, y, owners, ends } = this.#block;
    for (let i = 0; i < this.#hits.count; i++) {
      readEdgeBlock(this.#set, this.#hits.ids[i], this.#block);
      for (let piece = 0, first = 0; piece < this.#block.pieces; first = ends[piece++]) {
        if (this.#only >= 0 && owners[piece] !== this.#only) continue;
        const lon = x[first] / scale;
        const lat = y[first] / scale;
        if (lon < west || lon > east || lat < south || lat > north) continue;
        if (pointInPolygon(polygon, lon, lat)) offer(owners[piece], lon, lat);
      }
    }
  }

  #searchAlong(line: Float64Array): void {
    for (let i = 0; i < line.length - 2; i += 2) {
      const dLon = line[i + 2] - line[i];
      const dLat = line[i + 3] - line[i + 1];
      const parts = Math.max(1, Math.ceil(Math.max(Math.abs(dLon), Math.abs(dLat)) / LONGEST_SIDE));
      for (let part = 0; part < parts; part++) {
        const [from, to] = [part / parts, (part + 1) / parts];
        this.#search(line[i] + from * dLon, line[i + 1] + from * dLat, line[i] + to * dLon, line[i + 1] + to * dLat);
      }
    }
  }

  /** Nodes of the tree in the order of how near they can be at best, until none can be nearer than what was found. */
  #search(aLon: number, aLat: number, bLon: number, bLat: number): void {
    const { tree } = this.#set;
    const { levels } = tree;
    const west = Math.min(aLon, bLon);
    const east = Math.max(aLon, bLon);
    const south = Math.min(aLat, bLat);
    const north = Math.max(aLat, bLat);
    const reach = reachAround(south, north, Math.sqrt(this.#best2));
    const heap = this.#heap;
    heap.size = 0;
    const starts = this.#starts;
    if (starts.count === 0 || starts.count > MOST_STARTS)
      heap.push(0, levels[levels.length - 1] * 8 + levels.length - 1);
    else for (let i = 0; i < starts.count; i++) this.#push(starts.ids[i], 0, west, south, east, north, reach);
    while (heap.size > 0 && heap.firstKey <= this.#best2) {
      const entry = heap.pop();
      const node = Math.floor(entry / 8);
      const level = entry % 8;
      if (level === 0) {
        readEdgeBlock(this.#set, node, this.#block);
        this.#measure(aLon, aLat, bLon, bLat, reach);
        continue;
      }
      const first = firstChild(tree, node, level);
      const end = childrenEnd(tree, first, level);
      for (let child = first; child < end; child++) this.#push(child, level - 1, west, south, east, north, reach);
    }
  }

  /** Queues a node by how near it can be at best, unless that is too far. */
  #push(node: number, level: number, west: number, south: number, east: number, north: number, reach: Reach): void {
    const { scale, tree } = this.#set;
    const { boxes } = tree;
    const at = node * 4;
    const up = Math.max(0, boxes[at + 1] / scale - north, south - boxes[at + 3] / scale) * reach.north;
    const along = longitudeGap(west, east, boxes[at] / scale, boxes[at + 2] / scale) * reach.east;
    const least = up * up + along * along;
    if (least <= this.#best2) this.#heap.push(least, node * 8 + level);
  }

  #measure(aLon: number, aLat: number, bLon: number, bLat: number, reach: Reach): void {
    const { scale } = this.#set;
    const { x, y, owners, ends, pieces } = this.#block;
    const isPoint = aLon === bLon && aLat === bLat;
    const south = (Math.min(aLat, bLat) - reach.latitudes) * scale;
    const north = (Math.max(aLat, bLat) + reach.latitudes) * scale;
    for (let piece = 0, vertex = 0; piece < pieces; vertex = ends[piece++]) {
      const owner = owners[piece];
      if (this.#only >= 0 && owner !== this.#only) continue;
      for (vertex++; vertex < ends[piece]; vertex++) {
        const fromY = y[vertex - 1];
        const toY = y[vertex];
        if ((fromY < south && toY < south) || (fromY > north && toY > north)) continue;
        const fromLon = x[vertex - 1] / scale;
        const toLon = x[vertex] / scale;
        if (isPoint) this.#offer(aLon, aLat, fromLon, fromY / scale, toLon, toY / scale, owner, false);
        else this.#measureSides(aLon, aLat, bLon, bLat, fromLon, fromY / scale, toLon, toY / scale, owner);
      }
    }
  }

  /** Two straight sides that do not cross are nearest at an end of one of them. */
  #measureSides(
    aLon: number,
    aLat: number,
    bLon: number,
    bLat: number,
    fromLon: number,
    fromLat: number,
    toLon: number,
    toLat: number,
    owner: number,
  ): void {
    if (sidesCross(aLon, aLat, bLon, bLat, fromLon, fromLat, toLon, toLat)) {
      this.#keep(0, owner, aLon, aLat, aLon, aLat);
      return;
    }
    this.#offer(aLon, aLat, fromLon, fromLat, toLon, toLat, owner, false);
    this.#offer(bLon, bLat, fromLon, fromLat, toLon, toLat, owner, false);
    this.#offer(fromLon, fromLat, aLon, aLat, bLon, bLat, owner, true);
    this.#offer(toLon, toLat, aLon, aLat, bLon, bLat, owner, true);
  }

  #offer(
    lon: number,
    lat: number,
    fromLon: number,
    fromLat: number,
    toLon: number,
    toLat: number,
    owner: number,
    reversed: boolean,
  ): void {
    const spot = this.#spot;
    const d2 = nearestOnSegment(lon, lat, fromLon, fromLat, toLon, toLat, Math.sqrt(this.#best2), spot);
    if (d2 > this.#best2) return;
    if (reversed) this.#keep(d2, owner, spot.lon, spot.lat, lon, lat);
    else this.#keep(d2, owner, lon, lat, spot.lon, spot.lat);
  }

  #keep(d2: number, owner: number, fromLon: number, fromLat: number, toLon: number, toLat: number): void {
    if (d2 === this.#best2 && this.#owner >= 0 && owner >= this.#owner) return;
    this.#best2 = d2;
    this.#owner = owner;
    this.#fromLon = fromLon;
    this.#fromLat = fromLat;
    this.#toLon = toLon;
    this.#toLat = toLat;
  }
}

function sidesCross(
  aLon: number,
  aLat: number,
  bLon: number,
  bLat: number,
  cLon: number,
  cLat: number,
  dLon: number,
  dLat: number,
): boolean {
  const turn = cLon + dLon - aLon - bLon > 360 ? -360 : cLon + dLon - aLon - bLon < -360 ? 360 : 0;
  const c = cLon + turn;
  const d = dLon + turn;
  const abc = cross(aLon, aLat, bLon, bLat, c, cLat);
  const abd = cross(aLon, aLat, bLon, bLat, d, dLat);
  const cda = cross(c, cLat, d, dLat, aLon, aLat);
  const cdb = cross(c, cLat, d, dLat, bLon, bLat);
  return abc > 0 !== abd > 0 && cda > 0 !== cdb > 0;
}

function cross(aLon: number, aLat: number, bLon: number, bLat: number, pLon: number, pLat: number): number {
  return (bLon - aLon) * (pLat - aLat) - (bLat - aLat) * (pLon - aLon);
}

function boundsOf(ring: Float64Array): [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    west = Math.min(west, ring[i]);
    east = Math.max(east, ring[i]);
    south = Math.min(south, ring[i + 1]);
    north = Math.max(north, ring[i + 1]);
  }
  return [west, south, east, north];
}
