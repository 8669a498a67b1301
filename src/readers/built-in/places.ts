import type { GazetteerEntry } from '../../locations/geocode/address-parts.ts';
import { type Pack, packArray } from '../packs/pack-file.ts';
import { textAt } from './pack-arrays.ts';

/** Unit of stored coordinates, in a degree. */
export const PLACE_SCALE = 100_000;
/** What an entry is; districts, regions and countries stand at the settlement nearest to the middle of their people. */
export const PLACE_KINDS = ['settlement', 'district', 'region', 'country'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];
/** Numbers kept of each entry: people, kind and nearness in one, country, region, district. */
export const PLACE_FACTS = 5;
/** Kilometres from the middle of a group within which a place counts as near it. */
export const GROUP_KM = 25;

export interface PlacesMeta {
  readonly count: number;
  readonly keys: number;
  /** Alpha-2 codes by their number. */
  readonly countries: readonly string[];
  /** Names of regions by their number. */
  readonly regions: readonly string[];
}

/** The key of the letters of a division; no name has such a key. */
export function codeKey(code: string): string {
  return `#${code.toUpperCase()}`;
}

/** Looks up places by the key of their name. Not to be used by two threads at once. */
export interface Places {
  /** Every place of this key, most people first. */
  named(key: string): readonly GazetteerEntry[];
  /** Every division that has these letters in ISO 3166-2, such as `TX`. */
  coded(code: string): readonly GazetteerEntry[];
  /** Divisions of a country whose key differs from this one by a letter more, less, changed or swapped. */
  similar(key: string, country: string): readonly GazetteerEntry[];
}

export function openPlaces(pack: Pack): Places {
  const meta = pack.header.meta as PlacesMeta;
  const places = packArray(pack, 'places', 'Int32Array');
  const facts = packArray(pack, 'facts', 'Uint32Array');
  const keyStarts = packArray(pack, 'keyStarts', 'Uint32Array');
  const keys = {
    offsets: packArray(pack, 'keyOffsets', 'Uint32Array'),
    bytes: packArray(pack, 'keyBytes', 'Uint8Array'),
  };
  const names = {
    offsets: packArray(pack, 'nameOffsets', 'Uint32Array'),
    bytes: packArray(pack, 'nameBytes', 'Uint8Array'),
  };

  /** Keys are in the order of JavaScript's strings. */
  function find(key: string): number {
    let [low, high] = [0, meta.keys - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const text = textAt(keys, middle);
      if (text === key) return middle;
      if (text < key) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  function entry(i: number): GazetteerEntry {
    const [people, kind, country, region, district] = facts.subarray(i * PLACE_FACTS, (i + 1) * PLACE_FACTS);
    return {
      name: textAt(names, i),
      kind: PLACE_KINDS[kind % PLACE_KINDS.length],
      country: meta.countries[country],
      region: meta.regions[region] || null,
      district,
      at: [places[i * 2] / PLACE_SCALE, places[i * 2 + 1] / PLACE_SCALE],
      people,
      near: Math.floor(kind / PLACE_KINDS.length) / 100,
    };
  }

  function named(key: string): GazetteerEntry[] {
    const found = find(key);
    if (found < 0) return [];
    return Array.from({ length: keyStarts[found + 1] - keyStarts[found] }, (_, i) => entry(keyStarts[found] + i));
  }

  /** Keys of the divisions of each country, listed when they are first wanted. */
  const divisionKeys = new Map<string, readonly string[]>();
  function keysOfDivisions(country: string): readonly string[] {
    const known = divisionKeys.get(country);
    if (known !== undefined) return known;
    const wanted = meta.countries.indexOf(country);
    const found: string[] = [];
    for (let i = 0; i < meta.keys; i++)
      for (let at = keyStarts[i]; at < keyStarts[i + 1]; at++) {
        const kind = PLACE_KINDS[facts[at * PLACE_FACTS + 1] % PLACE_KINDS.length];
        if (facts[at * PLACE_FACTS + 2] !== wanted || (kind !== 'district' && kind !== 'region')) continue;
        found.push(textAt(keys, i));
        break;
      }
    divisionKeys.set(country, found);
    return found;
  }

  return {
    named,
    coded: (code) => named(codeKey(code)),
    similar: (key, country) =>
      keysOfDivisions(country)
        .filter((other) => isOneLetterOff(key, other))
        .flatMap(named)
        .filter((found) => found.country === country && (found.kind === 'district' || found.kind === 'region')),
  };
}

/** Whether one letter more, less, changed, or swapped with its neighbour makes the one text the other. */
function isOneLetterOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [restA, restB] = [a.slice(from, endA), b.slice(from, endB)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}
