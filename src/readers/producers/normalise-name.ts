import anyAscii from 'any-ascii';
import {
  COMMON_WORDS,
  LEGAL_FORMS,
  LEGAL_PHRASES,
  NATIVE_LEGAL_FORMS,
  SAME_PHRASES,
  SAME_WORDS,
  STOP_WORDS,
  TRADE_WORDS,
} from './name-words.ts';

/** As names are written once their letters are brought to one form. */
const NATIVE_FORMS = NATIVE_LEGAL_FORMS.map((form) => form.normalize('NFKC'));

/** Characters of a name that are read; longer ones are cut. */
const NAME_CHARACTERS = 200;
/** Words of a name that are compared. */
const NAME_WORDS = 24;

/**
 * A name as words that can be compared: lower-case ASCII without accents, punctuation and legal forms, abbreviations
 * written out and words of several languages brought to one. Never empty for a name that has a letter or a digit: a name
 * that is nothing but legal forms keeps them.
 */
export function normaliseName(name: string): readonly string[] {
  const words = wordsOf(name);
  const bare = withoutLegalForms(words);
  return sameWords(bare.length === 0 ? words : bare).slice(0, NAME_WORDS);
}

/** What a word counts for in a comparison, 0 to 1. */
export function wordWeight(word: string): number {
  // A legal form in the midst of a name is left standing, but means nothing.
  if (STOP_WORDS.has(word) || LEGAL_FORMS.has(word)) return 0.05;
  if (TRADE_WORDS.has(word)) return 0.15;
  if (COMMON_WORDS.has(word)) return 0.5;
  return isNumber(word) ? 0.6 : 1;
}

/** Whether a word distinguishes one name from another by itself. */
export function isDistinctive(word: string): boolean {
  return wordWeight(word) >= 0.5 && !isNumber(word);
}

export function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}

function wordsOf(name: string): string[] {
  let text = name.slice(0, NAME_CHARACTERS).normalize('NFKC');
  for (const form of NATIVE_FORMS) text = text.replaceAll(form, ' ');
  const ascii = anyAscii(text)
    .toLowerCase()
    .replaceAll(/['`´]/g, '')
    // P.T. and S.A.S are one word each.
    .replaceAll(/\b([a-z])\.(?=[a-z]\b)/g, '$1')
    .replaceAll(/[&+]/g, ' and ')
    .replaceAll(/([a-z])(?=\d)|(\d)(?=[a-z])/g, '$1$2 ')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();
  return joinInitials(ascii === '' ? [] : ascii.split(' '));
}

/** `s a s` is one word, as it is where the dots are missing. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let run = '';
  const flush = (): void => {
    if (run !== '') joined.push(run);
    run = '';
  };
  for (const word of words) {
    if (/^[a-z]$/.test(word)) run += word;
    else {
      flush();
      joined.push(word);
    }
  }
  flush();
  return joined;
}

/** The words between the legal forms at both ends; a joining word that is left at an end goes with them. */
function withoutLegalForms(words: readonly string[]): string[] {
  let text = ` ${words.join(' ')} `;
  for (let before = ''; before !== text;) {
    before = text;
    for (const phrase of LEGAL_PHRASES) {
      if (text.endsWith(` ${phrase} `)) text = text.slice(0, -phrase.length - 1);
      if (text.startsWith(` ${phrase} `)) text = text.slice(phrase.length + 1);
    }
    const left = text.trim().split(' ');
    if (isRemovable(left.at(-1), left)) left.pop();
    if (isRemovable(left[0], left)) left.shift();
    text = left.length === 0 ? '  ' : ` ${left.join(' ')} `;
  }
  return text.trim() === '' ? [] : text.trim().split(' ');
}

function isRemovable(word: string | undefined, words: readonly string[]): boolean {
  return word !== undefined && words.length > 0 && (LEGAL_FORMS.has(word) || word === 'and');
}

function sameWords(words: readonly string[]): string[] {
  let text = ` ${words.join(' ')} `;
  for (const [phrase, same] of SAME_PHRASES) text = text.replaceAll(` ${phrase} `, ` ${same} `);
  return text
    .trim()
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => SAME_WORDS.get(word) ?? [word])
    .map((word) => word.replace(/^0+(?=\d)/, ''));
}

/** Letters, digits and the edge of a word. */
const SYMBOLS = 37;
/** How many different runs of three symbols there are. */
export const GRAMS = SYMBOLS ** 3;

/**
 * The different runs of three symbols in the words that distinguish a name from others (in all of its words when none does), each
 * as a number below `GRAMS`. Names that share none are not alike.
 */
export function gramsOf(words: readonly string[]): ReadonlySet<number> {
  const distinctive = words.filter(isDistinctive);
  const grams = new Set<number>();
  for (const word of distinctive.length === 0 ? words : distinctive) {
    let gram = 0;
    for (const [i, symbol] of [0, ...Array.from(word, symbolOf), 0].entries()) {
      gram = (gram * SYMBOLS + symbol) % GRAMS;
      if (i >= 2) grams.add(gram);
    }
  }
  return grams;
}

/** 1 to 26 for letters, 27 to 36 for digits. */
function symbolOf(character: string): number {
  const code = character.charCodeAt(0);
  return code >= 97 ? code - 96 : code - 48 + 27;
}
