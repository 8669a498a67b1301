import { isDistinctive } from './normalise-name.ts';

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
