import { COUNTRY_ROWS } from './country-rows.ts';

/** Letters that carry a stroke or have no dot, which Unicode does not take apart. */
const STROKES: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  '&': ' and ',
};

/** Countries by alpha-2 code with their short English names. */
const NAMES: ReadonlyMap<string, string> = new Map(COUNTRY_ROWS.map(([iso2, , , name]) => [iso2, name]));
const ALPHA_3: ReadonlyMap<string, string> = new Map(COUNTRY_ROWS.map(([iso2, iso3]) => [iso3, iso2]));
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  COUNTRY_ROWS.flatMap(([iso2, iso3, numeric, name, aliases]) =>
    [iso2, iso3, numeric, String(Number(numeric) || ''), name, ...aliases]
      .filter((text) => text !== '')
      .map((text) => [fold(text), iso2] as const),
  ),
);

/** Names in traditional Chinese, which the rows above do not have: those of Unicode, in Taiwan and in Hong Kong. */
const traditionalNames = (): ReadonlyMap<string, string> =>
  new Map(
    ['zh-Hant', 'zh-Hant-HK'].flatMap((language) => {
      const names = new Intl.DisplayNames(language, { type: 'region' });
      return COUNTRY_ROWS.map(([iso2]) => [fold(names.of(iso2) ?? iso2), iso2] as const);
    }),
  );
/** Made for the first name that is none of the others: it takes 15 ms. */
let traditional: ReadonlyMap<string, string> | null = null;

/**
 * The ISO 3166-1 alpha-2 code of a country written as a code (alpha-2, alpha-3, numeric with or without leading zeros) or a name in any
 * usual spelling, or null. Case, accents, punctuation, spaces, a leading "the" and "St." for "Saint" make no difference.
 */
export function countryCode(text: string): string | null {
  const known = recent.get(text);
  if (known !== undefined) return known;
  const folded = fold(text);
  const code = SPELLINGS.get(folded) ?? (traditional ??= traditionalNames()).get(folded) ?? null;
  if (text.length > LONGEST_KEPT) return code;
  if (recent.size >= MOST_KEPT) recent.clear();
  recent.set(text, code);
  return code;
}

/** A file says the same few countries in every row; folding one costs more than looking it up. */
const recent = new Map<string, string | null>();
const MOST_KEPT = 512;
const LONGEST_KEPT = 80;

/** Short English name of an alpha-2 code; the code itself where there is no such country. */
export function countryName(iso2: string): string {
  return NAMES.get(iso2) ?? iso2;
}

/** Alpha-2 code of an alpha-3 code, or null. */
export function alpha2Of(alpha3: string): string | null {
  return ALPHA_3.get(alpha3) ?? null;
}

function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain
    .replaceAll(/[øłđðıæœß&]/g, (letter) => STROKES[letter])
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words
    .replace(/^the (?=.)/, '')
    .replaceAll(/\bst\b/g, 'saint')
    .replaceAll(' ', '');
}
