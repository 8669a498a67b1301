import type { UnmeasuredPlot } from '../../collections/watch/compare-findings.ts';

/** What was found of a plot, in a few words. */
export function findingText({ verdict, eudrStatus, lossM2, rules }: UnmeasuredPlot['before']): string {
  const loss = lossM2 === null ? 'loss unknown' : `${(lossM2 / 10_000).toFixed(2)} ha lost`;
  return `${inWords(verdict ?? eudrStatus)}, ${loss}${rules.length === 0 ? '' : `, ${rules.join(' ')}`}`;
}

/** A code without its underscores. */
export function inWords(word: string): string {
  return word.replaceAll('_', ' ');
}
