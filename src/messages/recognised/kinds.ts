import { countryWord, word, type Param, type Said } from '../said.ts';
import { foundInWords, PLACE_WORDS, placeOfWords } from '../geometry-place.ts';
import { SUBJECT_WORDS } from '../subject-words.ts';

/** What may fill a blank: how it looks in English, and what it is as a parameter. Null: it is not one after all. */
interface Kind {
  readonly pattern: string;
  readonly read: (text: string, within: Within) => Param | null;
}

/** How texts within texts are read. */
export interface Within {
  /** Why something is so; the text itself where it is none of ours. */
  readonly reason: (text: string) => Param;
  /** What was wanted, or came; null where the words are none of ours. */
  readonly wanted: (text: string) => Said | null;
  readonly got: (text: string) => Said | null;
}

const NUMBER = '-?\\d[\\d,]*(?:\\.\\d+)?';
const toNumber = (text: string): number => Number(text.replaceAll(',', ''));
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const EACH_QUOTED = new RegExp(QUOTED, 'g');
/** What came, where that stands for itself: a value as JSON writes it, shortened or not, or a single name. */
const ITSELF = /^(["[{].*|\S+)$/s;
const PLACES = '(?:line \\d+(?:, byte \\d+)?|byte \\d+)(?:, feature \\d+)?(?:, at /.*)?';
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
  /** Those of which one thing is said. */
  together: { pattern: `${DATASET}(?:(?:, | in )${DATASET})*`, read: (text) => text },
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
  /** A name of a machine. */
  host: { pattern: '\\S+', read: (text) => text },
  /** Names of columns in quotation marks, with words of ours between them. */
  columns: {
    pattern: `${QUOTED}(?:, ${QUOTED})*(?: (?:then|and) ${QUOTED})?`,
    read: (text) => text.match(EACH_QUOTED),
  },
  subject: { pattern: '[a-z ]+?', read: subjectOf },
  pixels: {
    pattern: 'The one pixel|All \\d+ pixels|\\d+ sampled pixels \\(standard error [\\d.]+ %\\)',
    read: pixelsOf,
  },
  rule: { pattern: 'class [\\d or]+|[\\d.e+-]+ or more', read: ruleOf },
  heads: { pattern: '.+? from [\\d.]+ on \\(.+?\\)(?:; .+? from [\\d.]+ on \\(.+?\\))*', read: headsOf },
  members: { pattern: '.+?', read: membersOf },
  age: { pattern: '\\d+ (?:day|hour|minute|second)s?', read: minutesOf },
  reason: { pattern: '.+?', read: (text, { reason }) => reason(text) },
  reasons: {
    pattern: '.+?',
    read: (text, { reason }) => text.split('; ').map((one) => reason(one) as string | Said),
  },
  wanted: { pattern: '.+?', read: (text, { wanted }) => wanted(text) },
  got: { pattern: '.+?', read: (text, { got }) => got(text) ?? (ITSELF.test(text) ? text : null) },
  /** A value as JSON writes it, shortened or not. */
  json: { pattern: '"(?:[^"\\\\]|\\\\.)*"?(?:\\.\\.\\.)?|[\\[{].+?[\\]}]|-?[\\d.]+', read: (text) => text },
  /** A place in a geometry, in words. */
  place: { pattern: PLACE_WORDS, read: placeOfWords },
  /** What stood in a geometry in place of what was wanted. */
  found: { pattern: '.+?', read: foundInWords },
  /** Degrees as they were written. */
  degrees: { pattern: '-?[\\d.e+-]+', read: (text) => text },
  /** A place in a geometry as a program finds it, which sentences of older versions name. */
  where: { pattern: '(?:geometries\\[\\d+\\]\\.)*coordinates(?:\\[\\d+\\])*', read: (text) => text },
  /** A place of the members of a collection. */
  collection: { pattern: '(?:geometries\\[\\d+\\]\\.)*geometries', read: (text) => text },
  /** A reason that has to be one of ours. */
  known: {
    pattern: '.+?',
    read(text, { reason }) {
      const found = reason(text);
      return typeof found === 'string' ? null : found;
    },
  },
  /** A quoted rest of a text, or its end. */
  quoted: { pattern: `${QUOTED}|the end of the text`, read: (text, { got }) => got(text) ?? text },
  /** A character in quotation marks. */
  sign: { pattern: "'[^']+'", read: (text) => text },
  /** Words of a closed list: `a, b or c`. */
  choice: { pattern: '[\\w-]+(?:, [\\w-]+)* or [\\w-]+', read: (text) => text.replace(' or ', ', ') },
  file: { pattern: '.+?', read: fileOf },
  row: { pattern: 'row \\d+|Row \\d+', read: placesOf },
  places: { pattern: PLACES, read: placesOf },
  upper: { pattern: '[A-Z_]{2,}', read: (text) => text },
  noun: {
    pattern: 'query parameter|path parameter|header|form field',
    read: (text) => word(`term.place.${text.replace(' ', '_')}`, text),
  },
};

/** A part of a file that messages name. */
function fileOf(text: string): Param {
  if (text === 'the KML file') return word('term.file.kml', text);
  if (text === 'the GPX file') return word('term.file.gpx', text);
  const [, name] = /^the sheet "(.+)"$/.exec(text) ?? [];
  return name === undefined ? text : { code: 'term.file.sheet', params: { name }, message: text };
}

/** Where something is in a file, part by part. */
function placesOf(text: string): readonly Said[] {
  return text.split(/, (?=byte |feature |at )/).map((message) => {
    const [, kind, value] = /^(\w+) (.+)$/.exec(message)!;
    const place = kind === 'at' ? 'pointer' : kind!.toLowerCase();
    return { code: `place.${place}`, params: { [place]: kind === 'at' ? value! : Number(value) }, message };
  });
}

function wordOf(text: string): { readonly code: string; readonly message: string } {
  return word(WORDS[text] ?? '', text);
}

function indicatorOf(text: string): { readonly code: string; readonly message: string } {
  return word(`term.indicator.${text.replaceAll(' ', '_')}`, text);
}

/** What facilities are checked for, by the words of sentences. */
const SUBJECTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SUBJECT_WORDS).map(([subject, words]) => [words, subject]),
);

function subjectOf(text: string): Said | null {
  const subject = SUBJECTS.get(text);
  return subject === undefined ? null : word(`subject.${subject}`, text);
}

/** How many pixels were looked at. */
function pixelsOf(text: string): Said {
  const [count = 1, error] = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  if (error !== undefined)
    return { code: 'pixels.sampled', params: { count, error_share: error / 100 }, message: text };
  return text.startsWith('All') ? { code: 'pixels.all', params: { count }, message: text } : word('pixels.one', text);
}

/** What a pixel of a map has to say to count. */
function ruleOf(text: string): Said {
  return text.startsWith('class ')
    ? { code: 'rule.classes', params: { classes: text.slice(6).split(' or ').join(', ') }, message: text }
    : { code: 'rule.at_least', params: { value: text.replace(' or more', '') }, message: text };
}

/** Detectors with the probability that each counts from; where that comes from is with the dataset. */
function headsOf(text: string): readonly Said[] {
  return [...text.matchAll(/(?:^|; )(.+?) from ([\d.]+) on \(.+?\)(?=; |$)/g)].map(([message, head, from]) => ({
    code: 'head.from',
    params: { head: head!, threshold: Number(from) },
    message,
  }));
}

/** Maps and detectors that were taken together. */
function membersOf(text: string): readonly Said[] | null {
  const members = text.split('; and in ').map((message): Said | null => {
    const [, map, rule] = /^the map (.+), where it says (.+)$/.exec(message) ?? [];
    if (map !== undefined) return { code: 'member.map', params: { map, rule: ruleOf(rule!) }, message };
    const [, embeddings, year, heads] = /^(.+), (\d{4}), by (.+)$/.exec(message) ?? [];
    if (embeddings === undefined) return null;
    return { code: 'member.heads', params: { embeddings, data_year: year!, heads_list: headsOf(heads!) }, message };
  });
  return members.some((one) => one === null) ? null : (members as readonly Said[]);
}

const MINUTES: Readonly<Record<string, number>> = { day: 1_440, hour: 60, minute: 1, second: 1 / 60 };

function minutesOf(text: string): number {
  const [count, unit] = text.split(' ');
  return Math.floor(Number(count) * MINUTES[unit!.replace(/s$/, '')]!);
}

let codes: ReadonlyMap<string, string> | null = null;

/** A country by its English name, with or without the article that it has in a sentence; null: it is none that is known. */
export function countryOf(text: string): { readonly code: string; readonly message: string } | null {
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
