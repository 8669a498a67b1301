import { geojsonToGeosGeom, geosGeomToGeojson } from 'geos-wasm/helpers';
import type { Geometry } from '../../geo/geometry.ts';
import { openGeos, type Geos } from '../../geo/partition/open-geos.ts';

/** What GEOS computes; each gives null where it cannot answer. */
export interface Overlay {
  intersection(a: Geometry, b: Geometry): Geometry | null;
  /** The part of `a` that is not in `b`. */
  difference(a: Geometry, b: Geometry): Geometry | null;
  makeValid(geometry: Geometry): Geometry | null;
  /** Constrained Delaunay triangles of a polygon: a collection of polygons over its own vertices. */
  triangulate(polygon: Geometry): Geometry | null;
}

let opened: Promise<Overlay> | null = null;

/** Opens GEOS once for the thread. */
export function openOverlay(): Promise<Overlay> {
  opened ??= openGeos().then(create, (error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

function create(geos: Geos): Overlay {
  /** Runs `use` over pointers and frees all of them, whatever comes of it. */
  function run(inputs: readonly Geometry[], use: (...pointers: number[]) => number): Geometry | null {
    const pointers: number[] = [];
    let result = 0;
    try {
      for (const input of inputs) {
        const pointer = Number(geojsonToGeosGeom(input as Parameters<typeof geojsonToGeosGeom>[0], geos));
        if (pointer === 0) return null;
        pointers.push(pointer);
      }
      result = use(...pointers);
      return result === 0 ? null : (geosGeomToGeojson(result, geos) as Geometry);
    } catch {
      return null;
    } finally {
      for (const pointer of [...pointers, result]) if (pointer !== 0) geos.GEOSGeom_destroy(pointer);
    }
  }
  return {
    intersection: (a, b) => run([a, b], (first, second) => Number(geos.GEOSIntersection(first, second))),
    difference: (a, b) => run([a, b], (first, second) => Number(geos.GEOSDifference(first, second))),
    makeValid: (geometry) => run([geometry], (pointer) => Number(geos.GEOSMakeValid(pointer))),
    triangulate: (polygon) => run([polygon], (pointer) => Number(geos.GEOSConstrainedDelaunayTriangulation(pointer))),
  };
}
