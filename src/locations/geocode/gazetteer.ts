import type { LonLat } from '../../geo/shapes/shape.ts';

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
