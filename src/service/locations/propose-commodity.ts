import { parseCommodity } from '../../facilities/commodity/commodity-names.ts';

/** A commodity for the rows that name none, and what speaks for it. */
export interface CommodityProposal {
  readonly commodity: string;
  readonly from: 'rows' | 'file_name' | 'sheet' | 'heading';
  /** The words that name it, as they stand there; for `rows` the commodity itself. */
  readonly text: string;
}

/** What a file says about its commodity in other places than the cells of its rows. */
interface NamedParts {
  readonly fileName: string | null;
  readonly sheets: readonly string[];
  readonly headings: readonly string[];
}

/** The longest name of a commodity, in words. */
const MOST_WORDS = 3;

/**
 * The commodity that a file is probably about: the one that all rows name which name any, else one in the name of the file, of a
 * sheet or of a heading. Null where nothing names one, or one place names two: nobody can say then which is meant.
 */
export function proposeCommodity(
  stated: readonly string[],
  { fileName, sheets, headings }: NamedParts,
): CommodityProposal | null {
  if (stated.length > 0) return stated.length === 1 ? { commodity: stated[0]!, from: 'rows', text: stated[0]! } : null;
  const places = [
    ['file_name', fileName === null ? [] : [fileName.replace(/\.[^.]*$/, '')]],
    ['sheet', sheets],
    ['heading', headings],
  ] as const;
  for (const [from, texts] of places) {
    const named = new Map(texts.flatMap(namesIn));
    if (named.size > 1) return null;
    for (const [commodity, text] of named) return { commodity, from, text };
  }
  return null;
}

/** The commodities that a text names, each with its words there; the longest name at a place counts. */
function namesIn(text: string): (readonly [commodity: string, words: string])[] {
  const words = text.split(/[^\p{L}\p{M}]+/u).filter((word) => word !== '');
  const found: (readonly [string, string])[] = [];
  for (let from = 0; from < words.length;) {
    let taken = 0;
    for (let size = Math.min(MOST_WORDS, words.length - from); size > 0 && taken === 0; size--) {
      const name = words.slice(from, from + size).join(' ');
      const commodity = parseCommodity(name);
      if (commodity === null) continue;
      found.push([commodity, name]);
      taken = size;
    }
    from += Math.max(1, taken);
  }
  return found;
}
