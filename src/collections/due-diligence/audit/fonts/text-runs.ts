import bidiFactory, { type Bidi } from 'bidi-js';

/** Characters that are set in one go: of one font and one direction. */
export interface Run<Font> {
  readonly font: Font;
  readonly text: string;
  readonly isRightToLeft: boolean;
}

// Its types describe the file for `require`, whose function is `default`.
const bidi = (bidiFactory as unknown as () => Bidi)();
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The runs of a line from left to right, by the bidirectional algorithm of Unicode in a line that begins on the left. `fontOf`
 * is called cluster by cluster, with the font before.
 */
export function textRuns<Font>(
  text: string,
  fontOf: (cluster: string, before: Font | null) => Font,
): readonly Run<Font>[] {
  const levels = RIGHT_TO_LEFT.test(text) ? bidi.getEmbeddingLevels(text, 'ltr').levels : null;
  const runs: { font: Font; text: string; level: number }[] = [];
  let before: Font | null = null;
  for (const { segment, index } of SEGMENTER.segment(text)) {
    const font = fontOf(segment, before);
    const level = levels === null ? 0 : levels[index]!;
    const last = runs.at(-1);
    if (last !== undefined && last.font === font && last.level === level) last.text += segment;
    else runs.push({ font, text: segment, level });
    before = font;
  }
  return visualOrder(runs).map(({ font, text: own, level }) => ({ font, text: own, isRightToLeft: level % 2 === 1 }));
}

/** From the highest level to the lowest odd one, what is at it or above is turned round (rule L2 of the algorithm). */
function visualOrder<R extends { readonly level: number }>(runs: readonly R[]): readonly R[] {
  let ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    const next: R[] = [];
    let turned: R[] = [];
    for (const run of ordered) {
      if (run.level >= level) {
        turned = [run, ...turned];
        continue;
      }
      next.push(...turned, run);
      turned = [];
    }
    ordered = [...next, ...turned];
  }
  return ordered;
}
