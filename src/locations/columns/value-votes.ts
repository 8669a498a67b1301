import { HECTARE, parseArea } from '../values/parse-area.ts';
import { parseCoordinate, parsePair } from '../values/parse-coordinate.ts';
import { looksLikeGeometry } from '../values/parse-geometry.ts';
import { parseLocationType } from '../values/parse-location-type.ts';
import { parseNumber } from '../values/parse-number.ts';
import type { Field } from './fields.ts';

/** The questions about words that other parts of the service answer. */
export interface WordSources {
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  countryCode(text: string): string | null;
  /** The commodity a text names, as the facility checks know it, else the text itself; null where it says that there is none. */
  commodity(text: string): string | null;
}

type Test = (value: unknown, words: WordSources) => boolean;

const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
const isWords: Test = (value) => /\p{L}{2}/u.test(text(value));
const isName: Test = (value) => text(value).length > 0 && text(value).length <= 200;

/** What a value of each field looks like. */
const VALUE_TESTS: Readonly<Record<Field, Test>> = {
  geometry: looksLikeGeometry,
  latitude: (value) => {
    const parsed = parseCoordinate(value);
    return parsed !== null && Math.abs(parsed.value) <= 180 && parsed.axis !== 'longitude';
  },
  longitude: (value) => {
    const parsed = parseCoordinate(value);
    return parsed !== null && Math.abs(parsed.value) <= 180 && parsed.axis !== 'latitude';
  },
  coordinates: (value) => parsePair(value) !== null || looksLikeGeometry(value),
  easting: (value) => Math.abs(parseNumber(value)?.value ?? 0) > 1_000,
  northing: (value) => Math.abs(parseNumber(value)?.value ?? 0) > 1_000,
  utm_zone: (value) =>
    /^(utm\s*)?(zone|zona|huso|fuso)?\s*([1-9]|[1-5]\d|60)\s*([a-z]|north|south|norte|sur|sul|nord|sud)?$/i.test(
      text(value),
    ),
  hemisphere: (value) => /^(n|s|north|south|norte|sur|sul|nord|sud|utara|selatan)\.?$/i.test(text(value)),
  epsg: (value) => /^(epsg:?\s*)?\d{4,5}$/i.test(text(value)) || /\butm\b/i.test(text(value)),
  location_id: (value) => text(value).length > 0 && text(value).length <= 60,
  // Numbers are names too: registers of farmers hold nothing else.
  supplier_name: isName,
  name: isName,
  production_place: isName,
  country: (value, words) => words.countryCode(text(value)) !== null,
  admin1: isWords,
  locality: isWords,
  address: isWords,
  location_type: (value) => parseLocationType(text(value)) !== null || isWords(value, NO_WORDS),
  commodity_type: isWords,
  area: (value) => (parseArea(value, HECTARE, null, null)?.hectares ?? -1) >= 0,
};

const NO_WORDS: WordSources = { countryCode: () => null, commodity: () => null };

/** Fields whose values are so descriptive that they are found without a name, and how sure that is. */
export const DESCRIPTIVE: Readonly<Partial<Record<Field, number>>> = { geometry: 0.9, coordinates: 0.75, country: 0.7 };

/** Share of the values that look like the field, 0 to 1; 0 without values. */
export function valueVote(field: Field, values: readonly unknown[], words: WordSources): number {
  if (values.length === 0) return 0;
  let fitting = 0;
  for (const value of values) if (VALUE_TESTS[field](value, words)) fitting++;
  return fitting / values.length;
}

/**
 * Errors that spreadsheets write into cells in place of a value, in any language: `#REF!`, `#N/A`, `#DIV/0!`, `#NAME?`,
 * `#¡VALOR!`, `#BEZUG!`, `#GETTING_DATA`, LibreOffice's `Err:502`.
 */
const CELL_ERROR = /^(#[¡¿]?[\p{Lu}\d/_]{2,20}[!?]|#N\/[AD]|#NV|#GETTING_DATA|Err:\d{3})$/u;

/** Whether a cell holds an error of a spreadsheet and no value. */
export function isCellError(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 30 || value === '') return false;
  const first = value.charCodeAt(0);
  // Most values begin with a character that neither an error nor a space does.
  if (first > SPACE && first < DELETE && first !== HASH && first !== CAPITAL_E) return false;
  return CELL_ERROR.test(value.trim());
}

const [SPACE, HASH, CAPITAL_E, DELETE] = [0x20, 0x23, 0x45, 0x7f];
