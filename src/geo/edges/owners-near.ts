import { geodesicDistanceM } from '../ellipsoid.ts';
import { nearestOnSegment, type NearestPoint } from '../rings/nearest-on-segment.ts';
import { createHits, searchTree } from '../packed-tree.ts';
import { reachAround } from '../shapes/reach.ts';
import { createEdgeBlock, type EdgeBlock, type EdgeSet, readEdgeBlock } from './edge-set.ts';

interface OwnerNear {
  readonly owner: number;
  /** Geodesic metres on WGS84 to the owner's nearest edge. */
  readonly distanceM: number;
}

/** The edges of each owner that are near a point. Not to be used by two callers at once. */
export class OwnersNear {
  readonly #set: EdgeSet;
  readonly #block: EdgeBlock;
  readonly #hits = createHits();
  readonly #spot: NearestPoint = { lon: 0, lat: 0 };
  /** Square of the nearest distance and where it is, by owner. */
  readonly #best2 = new Float64Array(256);
  readonly #lons = new Float64Array(256);
  readonly #lats = new Float64Array(256);
  readonly #found = new Int32Array(256);
  #count = 0;

  constructor(set: EdgeSet) {
    this.#set = set;
    this.#block = createEdgeBlock(set);
  }

  /** Every owner but one that has an edge within so many metres, nearest first, lower number first among equals. */
  find(lon: number, lat: number, withinM: number, except: number): readonly OwnerNear[] {
    const reach = reachAround(lat, lat, withinM);
    this.#count = 0;
    this.#searchWindow(lon, lat, withinM, except, reach.latitudes, reach.longitudes, 0);
    if (lon + reach.longitudes > 180)
      this.#searchWindow(lon, lat, withinM, except, reach.latitudes, reach.longitudes, -360);
    if (lon - reach.longitudes < -180)
      this.#searchWindow(lon, lat, withinM, except, reach.latitudes, reach.longitudes, 360);
    return this.#count === 0 ? NONE : this.#list(lon, lat, withinM);
  }

  #list(lon: number, lat: number, withinM: number): OwnerNear[] {
    const list: OwnerNear[] = [];
    for (let i = 0; i < this.#count; i++) {
      const owner = this.#found[i];
      const distanceM = geodesicDistanceM(lon, lat, this.#lons[owner], this.#lats[owner]);
      if (distanceM <= withinM) list.push({ owner, distanceM });
    }
    return list.sort((a, b) => a.distanceM - b.distanceM || a.owner - b.owner);
  }

  #searchWindow(
    lon: number,
    lat: number,
    withinM: number,
    except: number,
    latitudes: number,
    longitudes: number,
    turn: number,
  ): void {
    const { scale, tree } = this.#set;
    const west = (lon + turn - longitudes) * scale;
    const east = (lon + turn + longitudes) * scale;
    const south = (lat - latitudes) * scale;
    const north = (lat + latitudes) * scale;
    this.#hits.count = 0;
    searchTree(tree, west, south, east, north, this.#hits);
    const { x, y, owners, ends } = this.#block;
    for (let i = 0; i < this.#hits.count; i++) {
      readEdgeBlock(this.#set, this.#hits.ids[i], this.#block);
      for (let piece = 0, vertex = 0; piece < this.#block.pieces; vertex = ends[piece++]) {
        if (owners[piece] === except) continue;
        for (vertex++; vertex < ends[piece]; vertex++) {
          const fromX = x[vertex - 1];
          const toX = x[vertex];
          const fromY = y[vertex - 1];
          const toY = y[vertex];
          if (
            (fromX < west && toX < west) ||
            (fromX > east && toX > east) ||
            (fromY < south && toY < south) ||
            (fromY > north && toY > north)
          )
            continue;
          const d2 = nearestOnSegment(
            lon,
            lat,
            fromX / scale,
            fromY / scale,
            toX / scale,
            toY / scale,
            withinM,
            this.#spot,
          );
          if (d2 <= withinM * withinM * 1.01) this.#keep(owners[piece], d2);
        }
      }
    }
  }

  #keep(owner: number, d2: number): void {
    let known = false;
    for (let i = 0; i < this.#count && !known; i++) known = this.#found[i] === owner;
    if (known && this.#best2[owner] <= d2) return;
    if (!known) this.#found[this.#count++] = owner;
    this.#best2[owner] = d2;
    this.#lons[owner] = this.#spot.lon;
    this.#lats[owner] = this.#spot.lat;
  }
}

const NONE: readonly OwnerNear[] = [];
