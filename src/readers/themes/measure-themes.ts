import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import type { Polygons } from '../formats/osm/assemble-rings.ts';
import { urbanRadiusM } from '../built-in/urban-radius.ts';
import { linesOf, placeOf, type FlatGeometry } from '../formats/flatgeobuf/encode-feature.ts';
import { PACK_ROAD_CLASSES, type ThemeFeature, type ThemeName } from './themes.ts';
import { fillRows } from '../packs/layer/fill-rows.ts';
import { packBits, type MappedCells } from './mapped-cells.ts';
import { boxOf } from '../../geo/shapes/shape.ts';

/** A place where people live, from this source or another. */
export interface KnownSettlement {
  readonly lon: number;
  readonly lat: number;
  readonly people: number;
}

/** What has to be there before a theme is taken for mapped. Around a cell: the cell and its eight neighbours, about 3 km each way. */
const MAPPED_RULES = {
  /** Buildings around a cell at least; where there is no street around it, in the 25 cells around. */
  buildingsAround: 10,
  /** Buildings to a kilometre of residential street, around a cell and in the cell itself. */
  buildingsPerKm: 10,
  buildingsPerKmInside: 3,
  /** Kilometres of residential street in a cell from which its own buildings are looked at, and around it from which it is lived in. */
  streetKmInside: 0.3,
  /** People of a settlement to a building, a business of any kind and a kilometre of road, at most. */
  peoplePerBuilding: 25,
  peoplePerBusiness: 2_000,
  peoplePerRoadKm: 2_000,
  /** Buildings in a cell of a settlement that lacks buildings as a whole, for this cell to be taken for mapped all the same. */
  buildingsInPoorSettlement: 100,
  /** Buildings to a kilometre of road of any kind around a cell, at most. */
  buildingsPerRoadKm: 1_000,
  /** Businesses of any kind within 4 cells each way, at least, and buildings to one of them in the 25 cells around, at most. */
  businessesAround: 3,
  buildingsPerBusiness: 300,
  /** Cells within which there is some water where water is mapped: about 10 km. */
  waterReach: 10,
} as const;

/** Buildings around the node of a place without a population, at least. */
const LEAST_BUILDINGS: Readonly<Record<string, number>> = {
  city: 2_000,
  town: 300,
  suburb: 50,
  quarter: 50,
  village: 30,
  hamlet: 5,
  isolated_dwelling: 1,
};

/** Themes that are measured by cell. The others are looked at as a whole: one without a feature is mapped nowhere. */
type MeasuredTheme = 'roads' | 'water' | 'buildings' | 'businesses';

const COUNTERS = ['buildings', 'streetKm', 'roadKm', 'businesses', 'water', 'least'] as const;
type Counter = (typeof COUNTERS)[number];
type Sums = Readonly<Record<Counter, Float32Array>>;

/** Degrees of a cell at first; doubled whenever there are too many. */
const CELL = 0.01;
/** Most cells of a grid, with those in between. */
const MAX_CELLS = 2_000_000;
const STREETS: ReadonlySet<unknown> = new Set(['residential', 'living_street']);
const ROADS: ReadonlySet<unknown> = new Set(PACK_ROAD_CLASSES);

/**
 * Counts what an import writes in cells of about 1 km, to decide where a theme is mapped and where it only seems empty. A town with
 * streets and no houses has houses that nobody has drawn.
 */
export class ThemeMeasure {
  #cell = CELL;
  #counts = new Map<number, Float32Array>();
  readonly #features = new Map<ThemeName, number>();
  readonly #settlements: KnownSettlement[] = [];
  #box = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };

  add({ theme, geometry, values }: ThemeFeature): void {
    this.#features.set(theme, (this.#features.get(theme) ?? 0) + 1);
    const [, kind, name, population] = values;
    if (theme === 'roads') this.#addRoad(geometry, STREETS.has(kind), ROADS.has(kind));
    else if (theme === 'buildings') this.#count('buildings', ...placeOf(geometry), 1);
    else if (theme === 'water') this.#addWater(geometry);
    else if (theme === 'businesses') {
      if (isListed(String(kind), name)) this.#count('businesses', ...placeOf(geometry), 1);
    } else if (theme === 'settlements') this.#addSettlement(placeOf(geometry), String(kind), Number(population ?? 0));
  }

  #addSettlement([lon, lat]: readonly [number, number], kind: string, people: number): void {
    if (people > 0) this.#settlements.push({ lon, lat, people });
    else this.#count('least', lon, lat, LEAST_BUILDINGS[kind] ?? 0);
  }

  #addRoad(geometry: FlatGeometry, isStreet: boolean, isRoad: boolean): void {
    if (!isRoad) return;
    for (const line of linesOf(geometry))
      for (let i = 0; i + 3 < line.length; i += 2) {
        const [ax, ay, bx, by] = [line[i], line[i + 1], line[i + 2], line[i + 3]];
        const km = Math.hypot((bx - ax) * Math.cos((ay * Math.PI) / 180), by - ay) * 111.2;
        // Long sides are laid out over the cells they cross.
        const parts = Math.max(1, Math.ceil(km));
        for (let part = 0; part < parts; part++) {
          const along = (part + 0.5) / parts;
          const [lon, lat] = [ax + (bx - ax) * along, ay + (by - ay) * along];
          this.#count('roadKm', lon, lat, km / parts);
          if (isStreet) this.#count('streetKm', lon, lat, km / parts);
        }
      }
  }

  #addWater(geometry: FlatGeometry): void {
    if (geometry.type === 'point') return this.#count('water', geometry.lon, geometry.lat, 1);
    for (const line of linesOf(geometry))
      for (let i = 0; i + 1 < line.length; i += 2) this.#count('water', line[i], line[i + 1], 1);
  }

  #count(counter: Counter, lon: number, lat: number, amount: number): void {
    const key = Math.floor((lat + 90) / this.#cell) * 65_536 + Math.floor((lon + 180) / this.#cell);
    let counts = this.#counts.get(key);
    if (counts === undefined) {
      const box = this.#box;
      this.#box = {
        west: Math.min(box.west, lon),
        south: Math.min(box.south, lat),
        east: Math.max(box.east, lon),
        north: Math.max(box.north, lat),
      };
      this.#counts.set(key, (counts = new Float32Array(COUNTERS.length)));
    }
    counts[COUNTERS.indexOf(counter)] += amount;
    if (this.#counts.size > MAX_CELLS / 4) this.#coarsen();
  }

  #coarsen(): void {
    const finer = this.#counts;
    this.#counts = new Map();
    this.#cell *= 2;
    for (const [key, counts] of finer) {
      const coarse = (Math.floor(key / 65_536) >> 1) * 65_536 + ((key % 65_536) >> 1);
      const sums = this.#counts.get(coarse);
      if (sums === undefined) this.#counts.set(coarse, counts);
      else for (let i = 0; i < sums.length; i++) sums[i] += counts[i];
    }
  }

  /** The box around everything that was counted, west, south, east, north; null when there is nothing. */
  get box(): readonly [number, number, number, number] | null {
    const { west, south, east, north } = this.#box;
    return west > east ? null : [west, south, east, north];
  }

  /** Where each theme is mapped on the ground of a pack. `others` are settlements that other sources know there. */
  finish(ground: Polygons, others: readonly KnownSettlement[]): (theme: ThemeName) => MappedCells {
    const [west, south, east, north] = boxOf(ground);
    const cellsOf = (degrees: number): number => Math.ceil(degrees / this.#cell) + 1;
    while (cellsOf(east - west) * cellsOf(north - south) > MAX_CELLS) this.#coarsen();
    const cell = this.#cell;
    const grid: Grid = {
      cell,
      west: Math.floor((west + 180) / cell + 1e-6),
      south: Math.floor((south + 90) / cell + 1e-6),
      width: 0,
      height: 0,
    };
    grid.width = Math.max(1, Math.ceil((east + 180) / cell - 1e-6) - grid.west);
    grid.height = Math.max(1, Math.ceil((north + 90) / cell - 1e-6) - grid.south);
    const inside = fillRows(ground, grid);
    const sums = this.#sums(grid);
    const poor = poorCells(grid, inside, sums, [...this.#settlements, ...others]);
    const measured = measure(grid, sums, poor);
    return (theme) => {
      const hasFeatures = (this.#features.get(theme) ?? 0) > 0;
      const flags = inside.slice();
      const own = theme in measured ? measured[theme as MeasuredTheme] : null;
      let [cells, mapped] = [0, 0];
      for (let i = 0; i < flags.length; i++) {
        cells += inside[i];
        if (!hasFeatures || (own !== null && own[i] === 0)) flags[i] = 0;
        mapped += flags[i];
      }
      return { ...grid, cells, mapped, bits: packBits(flags) };
    };
  }

  #sums(grid: Grid): Sums {
    const { west, south, width, height } = grid;
    const sums = Object.fromEntries(COUNTERS.map((name) => [name, new Float32Array(width * height)])) as Sums;
    for (const [key, counts] of this.#counts) {
      const [column, row] = [(key % 65_536) - west, Math.floor(key / 65_536) - south];
      if (column < 0 || row < 0 || column >= width || row >= height) continue;
      for (const [i, name] of COUNTERS.entries()) sums[name][row * width + column] = counts[i];
    }
    return sums;
  }
}

interface Grid {
  readonly cell: number;
  readonly west: number;
  readonly south: number;
  width: number;
  height: number;
}

/** Businesses that somebody has listed as such; land and works come from maps of the ground, and a bench says nothing. */
function isListed(kind: string, name: unknown): boolean {
  if (/^(landuse|man_made|building)=/.test(kind)) return false;
  return !kind.startsWith('amenity=') || (name !== null && name !== '');
}

function measure(
  grid: Grid,
  sums: Sums,
  poor: ReturnType<typeof poorCells>,
): Readonly<Record<MeasuredTheme, Uint8Array>> {
  const rules = MAPPED_RULES;
  const around = (counter: Counter, reach: number): Float32Array => sumAround(sums[counter], grid, reach);
  const [buildings, streets, roads, least] = [
    around('buildings', 1),
    around('streetKm', 1),
    around('roadKm', 1),
    around('least', 1),
  ];
  const [businesses, buildingsWide, streetsWide] = [
    around('businesses', 2),
    around('buildings', 2),
    around('streetKm', 2),
  ];
  const [someBusiness, water] = [around('businesses', 4), around('water', rules.waterReach)];
  const flags = (holds: (i: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: grid.width * grid.height }, (_, i) => (holds(i) ? 1 : 0));
  const hasBuildings = flags((i) => {
    const streetKm = sums.streetKm[i];
    const isThin = streetKm >= rules.streetKmInside && sums.buildings[i] < streetKm * rules.buildingsPerKmInside;
    const isLivedIn = streets[i] >= rules.streetKmInside || least[i] > 0;
    // Where nobody lives there is nothing to draw, if those next to it have been drawn.
    const [found, streetKmAround] = isLivedIn ? [buildings[i], streets[i]] : [buildingsWide[i], streetsWide[i]];
    const wanted = Math.max(rules.buildingsAround, streetKmAround * rules.buildingsPerKm, least[i]);
    const isPoor = poor.buildings[i] === 1 && sums.buildings[i] < rules.buildingsInPoorSettlement;
    return !isThin && !isPoor && found >= wanted;
  });
  return {
    buildings: hasBuildings,
    roads: flags((i) => roads[i] > 0 && roads[i] * rules.buildingsPerRoadKm >= buildings[i] && poor.roads[i] === 0),
    // Who has not drawn the houses has not listed the firms.
    businesses: flags((i) => {
      const wanted = Math.floor(buildingsWide[i] / rules.buildingsPerBusiness);
      const isListed = businesses[i] >= wanted && someBusiness[i] >= rules.businessesAround;
      return hasBuildings[i] === 1 && poor.businesses[i] === 0 && isListed;
    }),
    water: flags((i) => water[i] > 0),
  };
}

/** Cells of settlements that have too little of something for the people who live there. */
function poorCells(grid: Grid, inside: Uint8Array, sums: Sums, settlements: readonly KnownSettlement[]) {
  const length = grid.width * grid.height;
  const poor = { buildings: new Uint8Array(length), businesses: new Uint8Array(length), roads: new Uint8Array(length) };
  const { peoplePerBuilding, peoplePerBusiness, peoplePerRoadKm } = MAPPED_RULES;
  for (const settlement of settlements) {
    const { onGround, share } = cellsAround(grid, inside, settlement);
    const sum = (counter: Counter): number => onGround.reduce((total, i) => total + sums[counter][i], 0);
    const people = settlement.people * share;
    const mark = (flags: Uint8Array): void => {
      for (const i of onGround) flags[i] = 1;
    };
    if (sum('buildings') * peoplePerBuilding < people) mark(poor.buildings);
    if (sum('businesses') * peoplePerBusiness < people) mark(poor.businesses);
    if (sum('roadKm') * peoplePerRoadKm < people) mark(poor.roads);
  }
  return poor;
}

/** The cells whose middle lies within the radius of a settlement, that of its own middle in any case: those on the ground, and their share. */
function cellsAround({ cell, west, south, width, height }: Grid, inside: Uint8Array, at: KnownSettlement) {
  const { lon, lat } = at;
  const radiusM = urbanRadiusM(at.people);
  const [column, row] = [Math.floor((lon + 180) / cell) - west, Math.floor((lat + 90) / cell) - south];
  const tall = Math.ceil(radiusM / 110_574 / cell);
  const wide = Math.ceil(tall / Math.max(0.1, Math.cos((lat * Math.PI) / 180)));
  const onGround: number[] = [];
  let all = 0;
  for (let y = row - tall; y <= row + tall; y++)
    for (let x = column - wide; x <= column + wide; x++) {
      const middle = [(west + x + 0.5) * cell - 180, (south + y + 0.5) * cell - 90] as const;
      const isOwn = x === column && y === row;
      if (!isOwn && geodesicDistanceM(lon, lat, ...middle) > radiusM) continue;
      all++;
      if (x >= 0 && y >= 0 && x < width && y < height && inside[y * width + x] === 1) onGround.push(y * width + x);
    }
  return { onGround, share: onGround.length / all };
}

/** The sum over the cells within so many columns and rows of each. */
function sumAround(values: Float32Array, { width, height }: Grid, reach: number): Float32Array {
  const alongRows = new Float32Array(values.length);
  for (let y = 0; y < height; y++) slide(values, alongRows, y * width, 1, width, reach);
  const out = new Float32Array(values.length);
  for (let x = 0; x < width; x++) slide(alongRows, out, x, width, height, reach);
  return out;
}

/** A running sum along one row or column. */
function slide(from: Float32Array, out: Float32Array, start: number, step: number, count: number, reach: number): void {
  let sum = 0;
  for (let i = 0; i < Math.min(reach, count); i++) sum += from[start + i * step];
  for (let i = 0; i < count; i++) {
    if (i + reach < count) sum += from[start + (i + reach) * step];
    if (i - reach - 1 >= 0) sum -= from[start + (i - reach - 1) * step];
    // What rounding leaves of nothing is nothing.
    out[start + i * step] = Math.abs(sum) < 1e-4 ? 0 : sum;
  }
}
