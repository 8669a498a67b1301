import { placeKey } from '../../geo/place-key.ts';
import type { GeocodeQuery } from '../sources.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';

/** The column that a part of an address comes from. */
export type PartField = 'address' | 'locality' | 'admin1' | 'name';

interface Word {
  readonly text: string;
  readonly key: string;
}

/** Words between two commas, brackets or postal codes. */
export interface AddressPart {
  readonly field: PartField;
  readonly words: readonly Word[];
}

/** Words of an address that are looked at, from its end. */
const MAX_WORDS = 60;

/** What stands between parts: commas and their like, brackets, a dash between spaces, and numbers of four digits and more. */
const BETWEEN = /[,;，、；|/()（）[\]\n\r\t•]+|\s[-–—]+\s|\d{4,}/u;
/** Shorter numbers, full stops and hyphens stand between the words of a name as often as spaces do: `AREA.WENZHOU`. */
const WORD = /[\p{L}\p{M}'’]+/gu;

/** The texts of a query in parts, the smallest place first; of the name alone where there is nothing else. */
export function partsOf({ address, locality, admin1, name }: GeocodeQuery): AddressPart[] {
  const parts = [...split(address, 'address'), ...split(locality, 'locality'), ...split(admin1, 'admin1')];
  return parts.length > 0 ? parts : split(name, 'name');
}

function split(text: string | null, field: PartField): AddressPart[] {
  if (text === null) return [];
  const parts = text.split(BETWEEN).map((part) => ({
    field,
    words: (part.match(WORD) ?? []).map((word) => ({ text: word, key: placeKey(word) })),
  }));
  let left = MAX_WORDS;
  return parts
    .toReversed()
    .map(({ words }) => {
      const kept = words.filter(({ key }) => key !== '').slice(-left || words.length);
      left = Math.max(0, left - kept.length);
      return { field, words: left > 0 || kept.length > 0 ? kept : [] };
    })
    .filter(({ words }) => words.length > 0)
    .toReversed();
}

/** A named place. */
export interface GazetteerEntry {
  readonly name: string;
  readonly kind: 'settlement' | 'district' | 'region' | 'country';
  /** ISO alpha-2. */
  readonly country: string;
  /** Name of the region it lies in; null where none is known. */
  readonly region: string | null;
  /** Number of the district it is or lies in, 0 where none is known. */
  readonly district: number;
  readonly at: LonLat;
  /** Inhabitants, 0 where nobody counted. */
  readonly people: number;
  /** Share of its settlements within 25 km of `at`; 1 for a settlement. */
  readonly near: number;
}

export interface Gazetteer {
  /** Every place of this key (`placeKey`), most people first. */
  named(key: string): readonly GazetteerEntry[];
  /** Every division that has these letters in ISO 3166-2, such as `TX`. */
  coded(code: string): readonly GazetteerEntry[];
  /** Districts and regions of a country whose key is one letter off. */
  similar(key: string, country: string): readonly GazetteerEntry[];
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  countryCode(text: string): string | null;
  countryName(iso2: string): string;
}
