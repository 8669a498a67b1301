import { countryWord, word, type Param } from '../said.ts';

/** What may fill a blank: how it looks in English, and what it is as a parameter. Null: it is not one after all. */
interface Kind {
  readonly pattern: string;
  readonly read: (text: string, recogniseReason: (text: string) => Param) => Param | null;
}

const NUMBER = '-?\\d[\\d,]*(?:\\.\\d+)?';
const toNumber = (text: string): number => Number(text.replaceAll(',', ''));
const DATASET = '[\\p{L}\\d][^\\s;:,]*';

/** Words of ours for waters and for what divides columns. */
const WORDS: Readonly<Record<string, string>> = {
  'the sea': 'term.water.the sea',
  'a lake': 'term.water.a lake',
  'a river': 'term.water.a river',
  comma: 'term.delimiter.comma',
  semicolon: 'term.delimiter.semicolon',
  tab: 'term.delimiter.tab',
  'vertical bar': 'term.delimiter.pipe',
};

/** The kinds of blanks by the names that sentences give them. */
export const KINDS: Readonly<Record<string, Kind>> = {
  text: { pattern: '.+?', read: (text) => text },
  /** A name of the caller's, whose words are none of ours. */
  name: { pattern: '.+?', read: (text) => text },
  word: { pattern: '[\\w-]+', read: (text) => text },
  number: { pattern: NUMBER, read: toNumber },
  year: { pattern: '\\d{4}', read: (text) => text },
  day: { pattern: '\\d{4}-\\d{2}-\\d{2}', read: (text) => text },
  percent: { pattern: `${NUMBER} %`, read: (text) => toNumber(text.slice(0, -2)) / 100 },
  metres: { pattern: `${NUMBER} m`, read: (text) => toNumber(text.slice(0, -2)) },
  kilometres: { pattern: `${NUMBER} km`, read: (text) => toNumber(text.slice(0, -3)) * 1_000 },
  distance: {
    pattern: `${NUMBER} k?m`,
    read: (text) => (text.endsWith(' km') ? 1_000 : 1) * toNumber(text.replace(/ k?m$/, '')),
  },
  dataset: { pattern: `${DATASET}(?: in ${DATASET})?`, read: (text) => text },
  datasets: { pattern: `${DATASET}(?: and ${DATASET})*`, read: (text) => text.split(' and ') },
  list: { pattern: '[^;]+?', read: (text) => text.split(', ') },
  rules: { pattern: '[\\w-]+(?: or [\\w-]+)*', read: (text) => text.split(' or ') },
  country: { pattern: '[^.,;]+?', read: countryOf },
  countries: {
    pattern: '[^.;]+?',
    read(text) {
      const found = text.split(' and ').map(countryOf);
      return found.some((one) => one === null) ? null : (found as readonly { code: string; message: string }[]);
    },
  },
  commodity: { pattern: '[\\w ]+?', read: (text) => word(`commodity.${text.replace(/^oil palm$/, 'palm')}`, text) },
  check: { pattern: '\\w+', read: (text) => word(`term.check.${text}`, text.replaceAll('_', ' ')) },
  verdict: {
    pattern: 'low|high|more information needed',
    read: (text) => word(`term.verdict.${text.replaceAll(' ', '_')}`, text),
  },
  indicator: { pattern: '[a-z\\d ]+', read: indicatorOf },
  indicators: { pattern: '[a-z\\d ,]+', read: (text) => text.split(', ').map(indicatorOf) },
  waters: { pattern: '[a-z ]+?', read: (text) => text.split(' and ').map(wordOf) },
  delimiter: { pattern: '[a-z ]+?', read: wordOf },
  reason: { pattern: '.+?', read: (text, recognise) => recognise(text) },
  reasons: {
    pattern: '.+?',
    read: (text, recognise) =>
      text.split('; ').map((one) => recognise(one) as string | { code: string; message: string }),
  },
};

function wordOf(text: string): { readonly code: string; readonly message: string } {
  return word(WORDS[text] ?? '', text);
}

function indicatorOf(text: string): { readonly code: string; readonly message: string } {
  return word(`term.indicator.${text.replaceAll(' ', '_')}`, text);
}

let codes: ReadonlyMap<string, string> | null = null;

/** A country by its English name, with or without the article that it has in a sentence; null: it is none that is known. */
function countryOf(text: string): { readonly code: string; readonly message: string } | null {
  codes ??= countryCodes();
  const iso2 = codes.get(text.replace(/^[Tt]he /, '').toLowerCase());
  return iso2 === undefined ? null : countryWord(iso2, text);
}

/** Names that data of borders writes otherwise than CLDR. */
const OTHER_NAMES = {
  CD: 'Democratic Republic of the Congo',
  CG: 'Republic of the Congo',
  CI: 'Ivory Coast',
  CZ: 'Czech Republic',
  FM: 'Federated States of Micronesia',
  HK: 'Hong Kong',
  MM: 'Myanmar',
  PS: 'Palestine',
  TL: 'East Timor',
  TR: 'Turkey',
  TZ: 'United Republic of Tanzania',
  US: 'United States of America',
} as const;

function countryCodes(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const found = new Map<string, string>();
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  for (const first of letters)
    for (const second of letters) {
      const name = names.of(first + second);
      if (name !== undefined && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), first + second);
      if (name !== undefined) found.set(name.toLowerCase().replaceAll('’', "'"), first + second);
    }
  for (const [iso2, name] of Object.entries(OTHER_NAMES)) found.set(name.toLowerCase(), iso2);
  return found;
}
