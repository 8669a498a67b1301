import { locateInPolygons } from '../geo/rings/point-in-polygon.ts';
import { polygonArea } from '../geo/rings/polygon-area.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { Parcel } from './parcel.ts';
import { parcelWarning, type ParcelWarning } from './warnings.ts';

/** The parcel that answers for a place. */
export interface ChosenParcel {
  readonly parcel: Parcel;
  /** Geodesic square metres and metres on WGS84. */
  readonly area: number;
  readonly perimeter: number;
  readonly warnings: readonly ParcelWarning[];
}

interface Candidate extends Omit<ChosenParcel, 'warnings'> {
  readonly isInside: boolean;
}

/** Ids that a message names. */
const MOST_NAMED = 10;

/**
 * The parcel that holds a place, or null. A parcel that has the place inside goes before one that has it on its boundary;
 * among several the smallest by area, then the first by id in code units. Parcels over each other, as strata lots, and
 * neighbours that share the boundary are named in warnings.
 */
export function chooseParcel(parcels: readonly Parcel[], [lon, lat]: LonLat): ChosenParcel | null {
  const candidates: Candidate[] = [];
  for (const parcel of parcels) {
    const place = locateInPolygons(parcel.polygons, lon, lat);
    if (place !== 'outside') candidates.push({ parcel, ...sizeOf(parcel), isInside: place === 'inside' });
  }
  candidates.sort((a, b) => Number(b.isInside) - Number(a.isInside) || a.area - b.area || compare(a, b));
  const [best, ...others] = candidates;
  if (best === undefined) return null;
  const { isInside, ...chosen } = best;
  const named = namesOf(others.filter((other) => other.isInside || !isInside));
  if (!isInside) {
    const besides = named === '' ? '' : `, and of others: ${named}`;
    return { ...chosen, warnings: [parcelWarning('on_boundary', { others: besides })] };
  }
  const count = candidates.filter((candidate) => candidate.isInside).length;
  if (count === 1) return { ...chosen, warnings: [] };
  return {
    ...chosen,
    warnings: [parcelWarning('several_parcels', { count: count.toLocaleString('en'), others: named })],
  };
}

function sizeOf({ polygons }: Parcel): { readonly area: number; readonly perimeter: number } {
  let [area, perimeter] = [0, 0];
  for (const rings of polygons) {
    const size = polygonArea(rings);
    area += size.area;
    perimeter += size.perimeter;
  }
  return { area, perimeter };
}

function compare(a: Candidate, b: Candidate): number {
  return a.parcel.id < b.parcel.id ? -1 : Number(a.parcel.id > b.parcel.id);
}

function namesOf(candidates: readonly Candidate[]): string {
  const named = candidates.slice(0, MOST_NAMED).map(({ parcel }) => parcel.id);
  const rest = candidates.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest.toLocaleString('en')} more`] : [])].join(', ');
}
