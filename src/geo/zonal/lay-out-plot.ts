import { flatten } from '../shapes/flat-positions.ts';
import { toShape } from '../shapes/to-shape.ts';
import { groundOf, type PlotGround } from './plot-ground.ts';

type Positions = readonly (readonly number[])[];

/**
 * The ground of a GeoJSON geometry that is known to be valid, in EPSG:4326; points stand for circles of the stated hectares, 4 each
 * when null. Polygons are not looked through for faults again, which would take longer than measuring them: one that crosses
 * itself is measured by what its edges enclose with sign. A sentence when there is no ground.
 */
export function layOutPlot(geometry: unknown, statedHa: number | null): PlotGround | string {
  if (statedHa !== null && !(statedHa > 0)) return `wanted a stated area above 0 ha, got ${statedHa}`;
  const polygons = polygonsOf(geometry);
  if (polygons !== null) return groundOf({ polygons, points: NO_POINTS }, statedHa) ?? NO_AREA;
  const laid = toShape(geometry);
  if (laid.shape === null) return laid.fault.message.replace(/\.$/, '');
  return groundOf(laid.shape, statedHa) ?? NO_AREA;
}

const NO_AREA = 'the geometry has no area; wanted polygons or points';
const NO_POINTS = new Float64Array(0);

/** The rings of a Polygon or MultiPolygon; null for anything else, and for what is not as GeoJSON has it. */
function polygonsOf(geometry: unknown): Float64Array[][] | null {
  if (typeof geometry !== 'object' || geometry === null) return null;
  const { type, coordinates } = geometry as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type === 'Polygon') return ringsOf([coordinates]);
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? ringsOf(coordinates) : null;
}

function ringsOf(polygons: readonly unknown[]): Float64Array[][] | null {
  const laid: Float64Array[][] = [];
  for (const polygon of polygons) {
    if (!Array.isArray(polygon) || polygon.length === 0) return null;
    const rings: Float64Array[] = [];
    for (const ring of polygon as readonly unknown[]) {
      if (!Array.isArray(ring) || ring.length < 4) return null;
      const flat = new Float64Array(2 * ring.length);
      if (flatten(ring as Positions, flat) !== null) return null;
      const isClosed = flat[0] === flat[flat.length - 2] && flat[1] === flat[flat.length - 1];
      if (!isClosed) return null;
      rings.push(flat);
    }
    laid.push(rings);
  }
  return laid.length > 0 ? laid : null;
}
