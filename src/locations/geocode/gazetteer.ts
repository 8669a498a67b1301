import type { LonLat } from '../../geo/shape.ts';

/** A named place. */
export interface GazetteerEntry {
  readonly name: string;
  readonly kind: 'settlement' | 'district' | 'region' | 'country';
  /** ISO alpha-2. */
  readonly country: string;
  /** Name of the region it lies in; null where none is known. */
  readonly region: string | null;
  readonly at: LonLat;
  /** Inhabitants, 0 where nobody counted. */
  readonly people: number;
}

export interface Gazetteer {
  /** Every place of this key (`placeKey`), most people first. */
  named(key: string): readonly GazetteerEntry[];
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  countryCode(text: string): string | null;
  countryName(iso2: string): string;
}
