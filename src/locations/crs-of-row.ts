import type { Params } from '../messages/said.ts';
import type { Field } from './columns/fields.ts';
import type { TablePlan } from './plan-table.ts';
import { parseNumber } from './values/parse-number.ts';
import type { LocationWarningCode } from './warnings.ts';

/** Called with everything doubtful about the cell of a field. */
export type Doubt = (code: LocationWarningCode, field: Field | null, blanks?: Params) => void;

export type CellOf = (field: Field) => unknown;

/** Countries that UTM covers from the south alone; elsewhere an S may be the band of latitude 32 to 40. */
const NORTHERN_BAND_S = 40;

/** The CRS that the columns of a row name, by EPSG code or as a UTM zone, for a place of northing in metres; null when they name none. */
export function crsOfRow(cell: CellOf, plan: TablePlan, country: string | null, doubt: Doubt): string | null {
  const epsg = textOf(cell('epsg'));
  const code = /^(?:epsg:?\s*)?(\d{4,5})$/i.exec(epsg)?.[1];
  if (code !== undefined) return `EPSG:${code}`;
  const zone =
    textOf(cell('utm_zone')) ||
    /utm\s*(?:zone|zona|huso|fuso)?\s*(\d{1,2}\s*[a-z]?)/i.exec(epsg)?.[1] ||
    plan.zone ||
    '';
  const match = /(\d{1,2})\s*([a-z]*)/i.exec(zone);
  const number = Number(match?.[1]);
  if (match === null || !(number >= 1 && number <= 60)) return null;
  const letters = match[2].toLowerCase();
  const said = hemisphereOf(textOf(cell('hemisphere'))) ?? (letters.length > 1 ? hemisphereOf(letters) : null);
  const isNorth = said ?? byLetter(letters, Number(parseNumber(cell('northing'))?.value), country);
  if (said === null && letters === 's')
    doubt('hemisphere_guessed', 'utm_zone', { zone, number, hemisphere: isNorth ? 'north' : 'south' });
  return `EPSG:${(isNorth ? 32600 : 32700) + number}`;
}

function hemisphereOf(text: string): boolean | null {
  if (/^(n|north|norte|nord|utara)/i.test(text)) return true;
  return /^(s|south|sur|sul|sud|selatan)/i.test(text) ? false : null;
}

/** `N` and `S` as hemispheres, other letters as bands of latitude: C to M are south. No letter: by the size of the northing. */
function byLetter(letter: string, northing: number, country: string | null): boolean {
  if (letter === 's') return country !== null && NORTHERN.has(country) && northing < NORTHERN_BAND_S * 115_000;
  if (letter === '') return country === null ? northing < 5_000_000 : !SOUTHERN.has(country);
  return letter >= 'n';
}

/** Countries with land in band S and none south of the equator, and countries wholly south of it. */
const NORTHERN: ReadonlySet<string> = new Set([
  'US',
  'CN',
  'JP',
  'KR',
  'KP',
  'TR',
  'IR',
  'IQ',
  'SY',
  'AF',
  'PK',
  'IN',
  'ES',
  'PT',
  'IT',
  'GR',
  'DZ',
  'TN',
  'MA',
  'LB',
  'CY',
  'MT',
  'TM',
  'TJ',
]);
const SOUTHERN: ReadonlySet<string> = new Set([
  'PE',
  'BO',
  'PY',
  'UY',
  'AR',
  'CL',
  'AO',
  'ZM',
  'ZW',
  'MZ',
  'MW',
  'TZ',
  'RW',
  'BI',
  'MG',
  'ZA',
  'NA',
  'BW',
  'PG',
  'AU',
  'NZ',
  'SB',
  'TL',
  'FJ',
  'VU',
]);

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
