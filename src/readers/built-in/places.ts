import type { GazetteerEntry } from '../../locations/geocode/gazetteer.ts';
import { packArray, type Pack } from '../pack-file.ts';
import { PLACE_KINDS, PLACE_SCALE, type PlacesMeta } from './build-places.ts';
import { textAt } from './text-table.ts';

/** Looks up places by the key of their name. Not to be used by two threads at once. */
export interface Places {
  /** Every place of this key, most people first. */
  named(key: string): readonly GazetteerEntry[];
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
    const [people, kind, country, region] = facts.subarray(i * 4, i * 4 + 4);
    return {
      name: textAt(names, i),
      kind: PLACE_KINDS[kind],
      country: meta.countries[country],
      region: meta.regions[region] || null,
      at: [places[i * 2] / PLACE_SCALE, places[i * 2 + 1] / PLACE_SCALE],
      people,
    };
  }

  return {
    named(key) {
      const found = find(key);
      if (found < 0) return [];
      return Array.from({ length: keyStarts[found + 1] - keyStarts[found] }, (_, i) => entry(keyStarts[found] + i));
    },
  };
}
