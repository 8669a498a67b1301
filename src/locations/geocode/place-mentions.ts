import type { AddressPart, Gazetteer, GazetteerEntry, PartField } from './address-parts.ts';
import { AFTER_PLACE, BEFORE_PLACE, COMMON_WORDS, DISTRICT_WORDS, REGION_WORDS, STREET_WORDS } from './place-words.ts';

/** A run of words that is the name of something. */
export interface Mention {
  readonly field: PartField;
  readonly key: string;
  readonly words: number;
  /** Where it begins and ends among all words of the query. */
  readonly from: number;
  readonly to: number;
  /** It is a part by itself, words for its kind aside. */
  readonly whole: boolean;
  /** A word such as `village` or `Kab.` stands next to it. */
  readonly marked: boolean;
  /** That word is one for a district. */
  readonly asDistrict: boolean;
  /** It names a street. */
  readonly street: boolean;
  /** It is spelled as written, as the letters of a division, or one letter off. */
  readonly spelling: 'exact' | 'letters' | 'similar';
  readonly entries: readonly GazetteerEntry[];
}

/** Words that are looked up together at most. */
const MAX_WORDS = 5;
/** Keys of a name that are looked up. */
const [LEAST_KEY, LONGEST_KEY] = [3, 60];
/** Names shorter than this have too many others one letter off. */
const LEAST_SIMILAR = 6;

/** Every name in the parts of a query, within one country or in all of them, never over the end of a part. */
export function findMentions(
  parts: readonly AddressPart[],
  country: string | null,
  gazetteer: Gazetteer,
): readonly Mention[] {
  const inCountry = (entries: readonly GazetteerEntry[]): GazetteerEntry[] =>
    entries.filter((entry) => entry.kind !== 'country' && (country === null || entry.country === country));
  const mentions: Mention[] = [];
  let start = 0;
  for (const part of parts) {
    const found = [
      ...namesIn(part, start, (key) => inCountry(gazetteer.named(key))),
      ...lettersIn(part, start, (code) => inCountry(gazetteer.coded(code))),
    ];
    mentions.push(...found);
    const isColumn = part.field === 'admin1' || part.field === 'locality';
    if (isColumn && country !== null && !found.some(({ whole }) => whole))
      mentions.push(...similarTo(part, start, country, gazetteer));
    start += part.words.length;
  }
  return mentions;
}

type Find = (key: string) => readonly GazetteerEntry[];

function namesIn({ field, words }: AddressPart, start: number, find: Find): Mention[] {
  const mentions: Mention[] = [];
  for (let from = 0; from < words.length; from++)
    for (let size = 1; size <= MAX_WORDS && from + size <= words.length; size++) {
      const run = words.slice(from, from + size);
      const key = run.map((word) => word.key).join('');
      const rest = [...words.slice(0, from), ...words.slice(from + size)];
      const whole = rest.every((word) => KIND_WORDS.has(word.key));
      const isCommon = size === 1 && COMMON_WORDS.has(key);
      if (key.length > LONGEST_KEY || (key.length < LEAST_KEY && rest.length > 0)) continue;
      if (isCommon && !(rest.length === 0 && field !== 'address')) continue;
      const entries = entriesFor(field, whole, find(key));
      if (entries.length === 0) continue;
      const [before, after] = [words[from - 1]?.key ?? '', words[from + size]?.key ?? ''];
      mentions.push({
        field,
        key,
        words: size,
        from: start + from,
        to: start + from + size,
        whole,
        marked: AFTER_PLACE.has(after) || BEFORE_PLACE.has(before),
        asDistrict: DISTRICT_WORDS.has(after) || DISTRICT_WORDS.has(before),
        street: STREET_WORDS.has(after) || STREET_WORDS.has(before),
        spelling: 'exact',
        entries,
      });
    }
  return mentions;
}

const KIND_WORDS: ReadonlySet<string> = new Set([...BEFORE_PLACE, ...AFTER_PLACE, ...DISTRICT_WORDS, ...REGION_WORDS]);

/** A column of regions means divisions, if it names any. */
function entriesFor(field: PartField, whole: boolean, entries: readonly GazetteerEntry[]): readonly GazetteerEntry[] {
  if (field !== 'admin1' || !whole) return entries;
  const divisions = entries.filter(({ kind }) => kind !== 'settlement');
  return divisions.length > 0 ? divisions : entries;
}

/** Letters of a division: all of a column of regions (`TX`, `US-TX`), in an address capitals at the end of a part (`Dallas TX`). */
function lettersIn({ field, words }: AddressPart, start: number, find: Find): Mention[] {
  const last = words.at(-1);
  if (last === undefined || !/^\p{Lu}{2,3}$/u.test(last.text)) return [];
  const isCountryBefore = words.length === 2 && /^\p{Lu}{2}$/u.test(words[0].text);
  const whole = words.length === 1 || isCountryBefore;
  if (field === 'name' || (field === 'admin1' && !whole)) return [];
  const entries = find(last.text).filter(({ country }) => !isCountryBefore || country === words[0].text);
  if (entries.length === 0) return [];
  return [
    {
      field,
      key: last.key,
      words: 1,
      from: start + words.length - 1,
      to: start + words.length,
      whole,
      marked: false,
      asDistrict: false,
      street: false,
      spelling: 'letters',
      entries,
    },
  ];
}

function similarTo({ field, words }: AddressPart, start: number, country: string, gazetteer: Gazetteer): Mention[] {
  const key = words
    .filter((word) => !KIND_WORDS.has(word.key))
    .map((word) => word.key)
    .join('');
  const entries = key.length < LEAST_SIMILAR || key.length > LONGEST_KEY ? [] : gazetteer.similar(key, country);
  if (entries.length === 0) return [];
  return [
    {
      field,
      key,
      words: words.length,
      from: start,
      to: start + words.length,
      whole: true,
      marked: false,
      asDistrict: false,
      street: false,
      spelling: 'similar',
      entries,
    },
  ];
}
