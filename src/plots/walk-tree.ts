import type { VoteState } from './cast-vote.ts';
import type { Indicator } from './indicators.ts';
import type { Condition, Rule, Tree, Verdict } from './trees.ts';

/** The state of each indicator; one that is not named is unknown. */
export type IndicatorStates = Readonly<Partial<Record<Indicator, VoteState>>>;

/** Where a tree leads. */
export interface Decision {
  readonly verdict: Verdict;
  /** The rules that hold for some answer of what is unknown, in the order of the tree. Several: the verdict is open unless all agree. */
  readonly rules: readonly string[];
  /** Whether the rules lead to different verdicts, so that more has to be known. */
  readonly isOpen: boolean;
}

/**
 * The verdict of a tree. What is unknown may be yes or no: only where every answer leads to the same verdict it is given, else
 * more information is needed. So a verdict that is not `more_information_needed` never rests on what nobody looked at, and an
 * indicator that becomes unknown changes a verdict to that one or not at all.
 *
 * Every combination of the unknown indicators is tried: of the eight a tree has at most, 256.
 */
export function walkTree(tree: Tree, states: IndicatorStates): Decision {
  const decided = decisions.get(tree) ?? new Map<string, Decision>();
  decisions.set(tree, decided);
  const key = indicatorsOf(tree)
    .map((indicator) => states[indicator] ?? 'unknown')
    .join(' ');
  const decision = decided.get(key) ?? tryAll(tree, states);
  decided.set(key, decision);
  return decision;
}

/** Of a tree there are some thousand cases at most, met again with every plot. */
const decisions = new WeakMap<Tree, Map<string, Decision>>();

function tryAll(tree: Tree, states: IndicatorStates): Decision {
  const unknown = indicatorsOf(tree).filter((indicator) => (states[indicator] ?? 'unknown') === 'unknown');
  const held = new Set<Rule>();
  const answers: Partial<Record<Indicator, VoteState>> = { ...states };
  for (let bits = 0; bits < 2 ** unknown.length; bits++) {
    unknown.forEach((indicator, i) => (answers[indicator] = (bits >> i) % 2 === 0 ? 'no' : 'yes'));
    held.add(firstRule(tree, answers));
  }
  const rules = tree.rules.filter((rule) => held.has(rule));
  const verdicts = new Set(rules.map(({ verdict }) => verdict));
  const isUnlooked = rules.some(({ needs = [] }) => needs.some((indicator) => unknown.includes(indicator)));
  const isOpen = verdicts.size > 1 || isUnlooked;
  const [rule] = rules;
  if (rule === undefined) throw new RangeError('wanted a tree with a rule for every case');
  return { verdict: isOpen ? 'more_information_needed' : rule.verdict, rules: rules.map(({ id }) => id), isOpen };
}

const known = new WeakMap<Tree, readonly Indicator[]>();

/** The indicators that a tree looks at, in the order of its rules. */
export function indicatorsOf(tree: Tree): readonly Indicator[] {
  const before = known.get(tree);
  if (before !== undefined) return before;
  const named = tree.rules.flatMap(({ when, needs = [] }) => [...when.flatMap((one) => Object.keys(one)), ...needs]);
  const indicators = [...new Set(named)] as Indicator[];
  known.set(tree, indicators);
  return indicators;
}

function firstRule({ rules }: Tree, states: IndicatorStates): Rule {
  const rule = rules.find(({ when }) => when.some((condition) => holds(condition, states)));
  if (rule === undefined) throw new RangeError('wanted a tree with a rule for every case');
  return rule;
}

function holds(condition: Condition, states: IndicatorStates): boolean {
  return Object.entries(condition).every(([indicator, state]) => states[indicator as Indicator] === state);
}
