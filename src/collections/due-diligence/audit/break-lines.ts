/** How wide a text is as it will be set. */
export interface Measure {
  /** Points. */
  readonly width: (text: string) => number;
  /**
   * Where a text is as wide as its words together, so that a line need not be measured again with each: the width of a word, and
   * how many points one of its units is. Null where letters depend on their neighbours.
   */
  readonly words: { readonly widthOf: (word: string) => number; readonly scale: number } | null;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/** Lines of a text that are no wider than `most` points, broken between words where that is possible. */
export function breakLines(text: string, most: number, measure: Measure): readonly string[] {
  const { words } = measure;
  const widthOf = (word: string): number => (words === null || word === '' ? 0 : words.widthOf(word));
  const lines: string[] = [];
  // The line, and how wide its words are with a space after each, in the units of `words`.
  let [current, spaced] = ['', 0];
  const fits = (word: string, longer: string): boolean =>
    (words === null ? measure.width(longer) : (spaced + widthOf(word)) * words.scale) <= most;
  for (const word of text.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    let added = word;
    if (fits(word, longer)) current = longer;
    else {
      if (current !== '') lines.push(current);
      const pieces = broken(word, most, measure);
      lines.push(...pieces.slice(0, -1));
      current = added = pieces.at(-1) ?? '';
      spaced = 0;
    }
    if (current !== '') spaced += widthOf(`${added} `);
  }
  return current === '' ? lines : [...lines, current];
}

/** A word that is wider than a line, in pieces that are not. */
function broken(word: string, most: number, measure: Measure): string[] {
  const { width } = measure;
  if (width(word) <= most) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const segment of piecesOf(word, most, measure)) {
    if (piece !== '' && width(piece + segment) > most) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}

/** Words as the language parts them, which may write no spaces; letters where a word is wider than a line. */
function piecesOf(text: string, most: number, { width }: Measure): readonly string[] {
  return Array.from(WORDS.segment(text), ({ segment }) => segment).flatMap((word) =>
    width(word) <= most ? [word] : Array.from(SEGMENTER.segment(word), ({ segment }) => segment),
  );
}

/** As much of a text as is no wider than `most` points with an ellipsis after it. */
export function cutShort(text: string, most: number, { width, words }: Measure): string {
  const clusters = words !== null ? [...text] : Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
  let [low, high] = [0, clusters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (width(`${clusters.slice(0, middle).join('')}…`) <= most) low = middle;
    else high = middle - 1;
  }
  return `${clusters.slice(0, low).join('').trimEnd()}…`;
}
