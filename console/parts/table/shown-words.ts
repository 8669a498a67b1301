import { countryName, tWord } from '../../text/translate.ts';

/** What rows have in English or as a code, and tables show in the language of the page. */
interface Row {
  /** English. */
  readonly country: string;
  readonly countryCode: string;
  /** A code. */
  readonly commodity: string;
}

export function shownCountry({ countryCode, country }: Pick<Row, 'country' | 'countryCode'>): string {
  return countryName(countryCode, country);
}

export function shownCommodity({ commodity }: Pick<Row, 'commodity'>): string {
  return commodity === '' ? '' : tWord('commodity', commodity);
}

/** Whether all words, in small letters, are in the searched text of a row or in what its table shows. */
export function hasWords(row: Row, searched: string, words: readonly string[]): boolean {
  if (words.every((word) => searched.includes(word))) return true;
  const shown = `${searched} ${shownCountry(row)} ${shownCommodity(row)}`.toLowerCase();
  return words.every((word) => shown.includes(word));
}
