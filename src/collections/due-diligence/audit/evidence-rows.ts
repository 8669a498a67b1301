import type { Convergence, IndicatorOutcome } from '../../../plots/converge.ts';
import { changeText, verdictText } from '../../../plots/verdict-text.ts';
import type { Room } from '../page-choice.ts';
import { label, type Sheet } from './page-frame.ts';
import { AMBER, CONTENT_WIDTH, FAINT, GREEN, INK, PAGE, RED, SOFT } from './palette.ts';

const SIZE = 7;
const LINE = SIZE * 1.42;
/** Indicators stand in two columns. */
const COLUMN = CONTENT_WIDTH / 2;
const NAMES = 90;
const STATES = 38;
const VERDICT_COLOURS = { low: GREEN, more_information_needed: AMBER, high: RED } as const;
/** Votes that would change the verdict, at most and as many as one line holds; the others are in `plots.csv`. */
const MOST_CHANGES = 3;

/**
 * The verdict of all layers and what each indicator rests on; the baseline after the last line. What would change it is left out
 * where the plot has less than half a page: `plots.csv` has it.
 */
export function drawEvidence(sheet: Sheet, convergence: Convergence, top: number, room: Room): number {
  const { doc, type } = sheet;
  const { verdict, indicators, wouldChange, votes } = convergence;
  let y = label(sheet, `Convergence of evidence · ${votes.length} votes`, PAGE.left, top) + 1;
  doc.circle(PAGE.left + 3, y - 2.4, 2.2).fill(VERDICT_COLOURS[verdict]);
  const text = verdictText(convergence).replace('Convergence of evidence: ', '');
  y = type.paragraph(text, PAGE.left + 10, y, CONTENT_WIDTH - 10, { size: SIZE, color: INK, maxLines: 2 }) + 1;
  const answered = indicators.filter(isAnswered);
  for (const [i, outcome] of answered.entries()) {
    const x = PAGE.left + 10 + (i % 2) * COLUMN;
    const at = y + Math.floor(i / 2) * LINE;
    type.line(outcome.indicator.replaceAll('_', ' '), x, at, { size: SIZE, color: SOFT, width: NAMES - 4 });
    const color = outcome.state === 'unknown' ? FAINT : INK;
    type.line(outcome.state, x + NAMES, at, { size: SIZE, color, width: STATES - 2 });
    const width = COLUMN - NAMES - STATES - 14;
    type.line(sourcesText(outcome), x + NAMES + STATES, at, { size: SIZE, color: INK, width });
  }
  y += Math.ceil(answered.length / 2) * LINE;
  if (wouldChange.length === 0 || room > 2) return y;
  const width = CONTENT_WIDTH - 10;
  const sentences = Array.from({ length: MOST_CHANGES }, (_, i) => changesText(wouldChange, MOST_CHANGES - i));
  const line = sentences.find((one) => type.width(one, { size: SIZE }) <= width) ?? sentences.at(-1)!;
  return type.paragraph(line, PAGE.left + 10, y, width, { size: SIZE, color: SOFT, maxLines: 1 });
}

function changesText(wouldChange: Convergence['wouldChange'], most: number): string {
  const more = wouldChange.length > most ? `; ${wouldChange.length - most} more in plots.csv` : '';
  return `Would change it: ${wouldChange.slice(0, most).map(changeText).join('; ')}${more}.`;
}

/** One that no dataset answers is in the sentence. */
function isAnswered({ yes, no, silent }: IndicatorOutcome): boolean {
  return yes.length + no.length + silent.length > 0;
}

/** The datasets; with what each says, unless all say what the state of the indicator is. */
function sourcesText({ state, yes, no, silent }: IndicatorOutcome): string {
  const words = Object.entries({ yes, no, silent }).filter(([, datasets]) => datasets.length > 0);
  if (words.length === 1 && words[0][0] === state) return words[0][1].join(', ');
  return words.map(([word, datasets]) => `${word}: ${datasets.join(', ')}`).join('; ');
}
