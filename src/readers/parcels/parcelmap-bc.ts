import type { LonLat } from '../../geo/shapes/shape.ts';
import type { Dataset } from '../catalogue/dataset.ts';

export const PARCELMAP_BC_ID = 'parcelmap-bc';

/**
 * British Columbia, coarsely: the 49th and 60th parallels and the 120th meridian are exact, the continental divide and the
 * Alaskan boundary run from pass to pass and are up to 20 km off between them, the sea side lies well off the coast.
 */
const BRITISH_COLUMBIA: readonly LonLat[] = [
  [-139.05, 60],
  [-138.34, 59.56],
  [-137.53, 58.91],
  [-136.48, 59.46],
  [-135.48, 59.79],
  [-134.95, 59.27],
  [-134.27, 58.86],
  [-133.36, 58.41],
  [-132.73, 57.69],
  [-131.71, 56.55],
  [-130.01, 55.92],
  [-129.98, 55.29],
  [-130.54, 54.8],
  [-133.9, 54.6],
  [-133.9, 51.8],
  [-129.5, 49.2],
  [-125.5, 48.4],
  [-124.73, 48.49],
  [-124.01, 48.3],
  [-123.55, 48.23],
  [-123.12, 48.28],
  [-123.16, 48.45],
  [-123.22, 48.69],
  [-123.01, 48.77],
  [-123.01, 48.83],
  [-123.32, 49],
  [-114.06, 49],
  [-114.69, 49.63],
  [-114.65, 49.97],
  [-115.28, 50.69],
  [-115.65, 50.87],
  [-116.05, 51.23],
  [-116.28, 51.45],
  [-116.75, 51.8],
  [-118.18, 52.37],
  [-118.46, 52.89],
  [-119.3, 53.4],
  [-120, 53.8],
  [-120, 60],
  [-139.05, 60],
];

/** ParcelMap BC as the catalogue lists it; `version` stands for the day of each answer. */
export function parcelMapBc(url: string): Dataset {
  return {
    id: PARCELMAP_BC_ID,
    role: 'parcels',
    kind: 'service',
    url,
    coverage: { polygons: [[Float64Array.from(BRITISH_COLUMBIA.flat())]] },
    version: 'live',
    date: null,
    licence: 'OGL-BC-2.0',
    attribution:
      'Contains information licensed under the Open Government Licence – British Columbia (ParcelMap BC, LTSA)',
    synthetic: false,
    options: {
      jurisdiction: 'CA-BC',
      idField: 'PARCEL_FABRIC_POLY_ID',
      typeName: 'pub:WHSE_CADASTRE.PMBC_PARCEL_FABRIC_POLY_SVW',
      // Native to the service, and free of doubt about the order of its axes.
      crs: 'EPSG:3005',
    },
  };
}
