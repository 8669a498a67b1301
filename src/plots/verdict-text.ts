import type { Change, Convergence, IndicatorOutcome } from './converge.ts';
import { INDICATOR_RULES } from './indicators.ts';
import { TREES, type Rule, type Verdict } from './trees.ts';

/** Verdicts as words in a sentence. */
const VERDICT_WORDS = {
  low: 'low',
  more_information_needed: 'more information needed',
  high: 'high',
} as const satisfies Record<Verdict, string>;

const RULES: ReadonlyMap<string, Rule> = new Map(
  Object.values(TREES)
    .flatMap(({ rules }): readonly Rule[] => rules)
    .map((rule) => [rule.id, rule]),
);

/** The verdict as a sentence or two: what decided or is not known, and who disagrees. */
export function verdictText({ verdict, rules, isOpen, indicators, cropGroup }: Convergence): string {
  const words = `Convergence of evidence: ${VERDICT_WORDS[verdict]}`;
  const disagreeing = indicators.filter(({ agreement }) => agreement === 'disagree').map(disagreement);
  const unknown = indicators
    .filter(({ state, indicator }) => state === 'unknown' && INDICATOR_RULES[indicator].direction !== 'shown')
    .map(({ indicator }) => plain(indicator));
  const why = !isOpen
    ? `, by ${rules.join(' or ')}${rules.length === 1 ? statesOf(rules[0], indicators) : ''}.`
    : cropGroup === null
      ? ', because no commodity is known and the trees of all crops do not agree.'
      : `, because it is unknown: ${unknown.join(', ')}.`;
  return [`${words}${why}`, ...disagreeing].join(' ');
}

/** A vote that would lead elsewhere, in words: `a yes of jrc-gfc2020 on forest 2020: high`. */
export function changeText({ indicator, datasets, to, verdict }: Change): string {
  const who = datasets.length === 0 ? 'any dataset' : datasets.join(' or ');
  return `a ${to} of ${who} on ${plain(indicator)}: ${VERDICT_WORDS[verdict]}`;
}

/** What the rule rests on: the states of the condition of it that holds. */
function statesOf(id: string, indicators: readonly IndicatorOutcome[]): string {
  const states = new Map(indicators.map(({ indicator, state }) => [indicator as string, state]));
  const held = RULES.get(id)?.when.find((condition) =>
    Object.entries(condition).every(([indicator, state]) => states.get(indicator) === state),
  );
  const words = Object.entries(held ?? {}).map(([indicator, state]) => `${plain(indicator)} ${state}`);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

function disagreement({ indicator, yes, no }: IndicatorOutcome): string {
  return `Sources disagree on ${plain(indicator)}: ${yes.join(', ')} yes, ${no.join(', ')} no.`;
}

/** The name of an indicator as words. */
function plain(indicator: string): string {
  return indicator.replaceAll('_', ' ');
}
