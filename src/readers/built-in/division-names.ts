import { readFileSync } from 'node:fs';
import { placeKey } from '../../geo/place-key.ts';

/** How a division is written. */
export interface DivisionNames {
  /** The name to show. */
  readonly name: string;
  /** Letters of ISO 3166-2, empty where there are none. */
  readonly code: string;
  /** Keys (`placeKey`) of its name, of its other names, and of each without the words for its kind. */
  readonly keys: readonly string[];
}

/**
 * Every way the divisions of one order are written, by their code of GeoNames, from their names there and the table of
 * other names. Without a list of names: the divisions of before a reform.
 */
export function divisionNames(own: ReadonlyMap<string, string> | null): ReadonlyMap<string, DivisionNames> {
  const rows = rowsOf(own === null ? '-' : '');
  const codes = own === null ? [...rows.keys()] : [...own.keys()];
  return new Map(
    codes.map((geonames) => {
      const { code, others } = rows.get(geonames) ?? { code: '', others: [] };
      const name = own?.get(geonames) ?? others[0];
      const keys = new Set([name, ...others].flatMap(spellingsOf).map(placeKey));
      keys.delete('');
      return [geonames, { name, code, keys: [...keys] }];
    }),
  );
}

function rowsOf(mark: '-' | ''): Map<string, { readonly code: string; readonly others: readonly string[] }> {
  return new Map(
    readFileSync(new URL('./division-names.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('#') && line.startsWith('-') === (mark === '-'))
      .map((line) => {
        const [geonames, code, ...others] = line.slice(mark.length).split('|');
        return [geonames, { code, others }];
      }),
  );
}

/**
 * What kind of division a name stands for, in words that people leave out or write in another language: before the name
 * (`Kabupaten Kampar`, `Provincia de Loja`) and after it (`Kemaman District`, `Daegu Gwangyeoksi`).
 */
const BEFORE =
  'kabupaten|kota|kotamadya|provinsi|propinsi|daerah|daerah khusus ibukota|daerah istimewa|negeri|wilayah persekutuan|' +
  'provincia|provincia constitucional|provinz|province|prov|departamento|département|departement|department|región|region|région|' +
  'regione|municipio|município|municipality|municipiul|distrito|district|cantón|canton|comuna|commune|estado|estado libre y soberano|state|gobierno|' +
  'partido|parroquia|shahrestān-e|shahrestan-e|ostān-e|ostan-e|powiat|województwo|gemeente|obshtina|oblast|gorodskoy okrug|rayon|raion|okres|okrug|' +
  'grad|općina|opština|bashkia|politischer bezirk|bezirk|landkreis|kreis|daïra|wilaya|wilayat|srŏk|srok|khett|' +
  'huyện|thành phố|thị xã|quận|xã|tỉnh|amphoe mueang|amphoe|changwat|khet|muang|markaz|muḥāfaz̧at|muhafazat|mintaqat|imarat|' +
  'city|county|town|ville|cidade|ciudad|division|zone|prefecture|préfecture|cercle|regency|governorate|republic|respublika';
const AFTER =
  'province|provincia|région|region|department|division|state|governorate|county|district|prefecture|municipality|' +
  'metropolitan city|city|town|township|regency|municipal|metropolitan|municipal district|oblast|krai|kray|okrug|rayon|raion|' +
  'subregion|parish|zone|area|cercle|emirate|canton|shi|sheng|qu|xian|diqu|zizhizhou|zila|ili|ilçesi|il|vilayat|tumani|pagasts|' +
  'novads|kommun|kommune|fylke|län|järás|járás|megye|vald|maakond|aūdany|oblysy|sum|aimag|gun|si|do|ken|shahri|viloyati|' +
  'capital region|capital territory|union territory|special region|autonomous region';
const LINK = "(?:of|de|del|de la|de los|do|da|di|du|des|d['’])";

const PREFIX = new RegExp(`^(?:${BEFORE})\\.?\\s+(?:${LINK}\\s*)?(?=\\S{2})`, 'iu');
const SUFFIX = new RegExp(`(?<=\\S{2})[\\s-]+(?:${AFTER})$`, 'iu');

/** The name and what is left of it without the words for its kind, each once, the fullest first. */
export function spellingsOf(name: string): string[] {
  const plain = name.replaceAll(/\s*[([][^)\]]*[)\]]/g, '').trim();
  const found = new Set([name.trim(), plain]);
  for (const text of [plain.replace(PREFIX, ''), plain.replace(SUFFIX, '')]) {
    found.add(text);
    found.add(text.replace(SUFFIX, ''));
  }
  const written = [...found].flatMap((text) => [text, ...compassSpellings(text)]);
  return [...new Set(written)].filter((text) => text !== '');
}

/** Points of the compass as they stand in names: in English before the name, in most other languages after it. */
const COMPASS: readonly (readonly [english: string, ...others: string[]])[] = [
  ['north', 'utara', 'norte', 'nord', 'del norte', 'do norte', 'du nord', 'bắc'],
  ['south', 'selatan', 'sur', 'sul', 'sud', 'del sur', 'do sul', 'du sud', 'nam'],
  ['east', 'timur', 'este', 'est', 'leste', 'del este', "de l'est", 'đông'],
  ['west', 'barat', 'oeste', 'ouest', 'ovest', 'del oeste', "de l'ouest", 'tây'],
  ['central', 'tengah', 'central', 'centro', 'centrale', 'centre', 'du centre'],
  ['southeast', 'tenggara', 'sureste', 'sudeste', 'sud-est'],
  ['southwest', 'barat daya', 'suroeste', 'sudoeste', 'sud-ouest'],
  ['northeast', 'timur laut', 'noreste', 'nordeste', 'nord-est'],
  ['northwest', 'barat laut', 'noroeste', 'noroeste', 'nord-ouest'],
];

/** `South Tapanuli` for `Tapanuli Selatan` and the other way round: English before the name, the country's own word after it. */
function compassSpellings(name: string): string[] {
  const folded = name.toLowerCase();
  return COMPASS.flatMap(([english, ...others]) => {
    if (folded.startsWith(`${english} `)) {
      const rest = name.slice(english.length + 1);
      return others.map((word) => `${rest} ${word}`);
    }
    const word = others.toSorted((a, b) => b.length - a.length).find((other) => folded.endsWith(` ${other}`));
    return word === undefined ? [] : [`${english} ${name.slice(0, -word.length - 1)}`];
  });
}
