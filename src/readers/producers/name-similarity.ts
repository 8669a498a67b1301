import { isDistinctive, isNumber, normaliseName, wordWeight } from './normalise-name.ts';

/** Likeness of two words below which they count as different. */
const LEAST_LIKENESS = 0.7;
/** Likeness of two names written as one word below which it counts for nothing. */
const LEAST_WHOLE = 0.8;
/** The most a name can be like another when it has no word that distinguishes it from any other, such as "Palm Oil Mill". */
const INDISTINCT = 0.5;

/** How alike two names are, 0 to 1: 1 for names that differ in legal form, case, accents, order or abbreviations only. */
export function nameSimilarity(a: string, b: string): number {
  return wordsSimilarity(normaliseName(a), normaliseName(b));
}

/**
 * The same for names that are normalised. Each word is paired with the most alike of the other name; the weight of the
 * pairs, by their likeness, is set against the weight of all words. Different numbers are different names: mill 1 is not
 * mill 2. Names written together or apart are compared as one word too. Symmetric.
 */
export function wordsSimilarity(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [wholeA, wholeB] = [a.join(''), b.join('')];
  // In one order always, so that the outcome does not depend on which name comes first.
  const byWords = wholeA < wholeB || (wholeA === wholeB && a.length <= b.length) ? pairs(a, b) : pairs(b, a);
  const whole = sameNumbers(a, b) ? likeness(wholeA, wholeB) : 0;
  const alike = Math.max(byWords, whole >= LEAST_WHOLE ? whole : 0);
  return a.some(isDistinctive) && b.some(isDistinctive) ? alike : Math.min(alike, INDISTINCT);
}

function pairs(a: readonly string[], b: readonly string[]): number {
  const found: { readonly i: number; readonly j: number; readonly value: number; readonly gain: number }[] = [];
  for (const [i, left] of a.entries()) {
    for (const [j, right] of b.entries()) {
      const value = wordLikeness(left, right);
      if (value > 0) found.push({ i, j, value, gain: value * (wordWeight(left) + wordWeight(right)) });
    }
  }
  found.sort((x, y) => y.value - x.value || y.gain - x.gain || x.i - y.i || x.j - y.j);
  const [usedA, usedB] = [new Set<number>(), new Set<number>()];
  let gained = 0;
  for (const { i, j, gain } of found) {
    if (usedA.has(i) || usedB.has(j)) continue;
    usedA.add(i);
    usedB.add(j);
    gained += gain;
  }
  const all = [...a, ...b].reduce((sum, word) => sum + wordWeight(word), 0);
  return Math.min(1, gained / all);
}

function wordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  if (isNumber(a) || isNumber(b)) return 0;
  const alike = likeness(a, b);
  return alike >= LEAST_LIKENESS ? alike : 0;
}

function sameNumbers(a: readonly string[], b: readonly string[]): boolean {
  const numbers = (words: readonly string[]): string => words.filter(isNumber).toSorted().join(' ');
  return numbers(a) === numbers(b);
}

/** 1 less the optimal string alignment distance (neighbouring letters swapped count once) over the longer length; 0 below what counts. */
function likeness(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  const most = longest * (1 - LEAST_LIKENESS) + 1e-9;
  // No alignment is shorter than the difference of the lengths, and each change gives or takes two different letters at most.
  if (Math.abs(a.length - b.length) > most || ones(letters(a) ^ letters(b)) > 2 * most) return 0;
  return 1 - alignment(a, b) / longest;
}

/** The different letters and digits of a word as bits. */
function letters(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

function ones(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Rows of the table of `alignment`, which is done before anybody else needs them. */
let rows: [Uint16Array, Uint16Array, Uint16Array] = [new Uint16Array(64), new Uint16Array(64), new Uint16Array(64)];

function alignment(a: string, b: string): number {
  if (rows[0].length <= b.length) rows = [0, 0, 0].map(() => new Uint16Array(2 * b.length)) as typeof rows;
  let [beforeLast, last, row] = rows;
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforeLast[j - 2] + 1);
      row[j] = cost;
    }
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[b.length];
}
