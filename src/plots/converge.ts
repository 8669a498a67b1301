import { castVote, type Vote, type VotedPlot, type VoteState } from './cast-vote.ts';
import { COUNTED_GROUPS, CROP_GROUPS, cropGroupOf, type CropGroup } from './crop-groups.ts';
import type { Evidence } from './evidence.ts';
import { INDICATORS, type Indicator } from './indicators.ts';
import { TREES, type Tree, type Verdict } from './trees.ts';
import { indicatorsOf, walkTree, type Decision, type IndicatorStates } from './walk-tree.ts';

/** What all votes on an indicator come to. */
export interface IndicatorOutcome {
  readonly indicator: Indicator;
  /** Yes when any vote is; no when all are; else unknown. */
  readonly state: VoteState;
  /** Whether the votes that are not unknown say the same; null where there are none. */
  readonly agreement: 'agree' | 'disagree' | 'single' | null;
  /** Datasets by what they say, of a map of several commodities each by itself. */
  readonly yes: readonly string[];
  readonly no: readonly string[];
  readonly silent: readonly string[];
}

/** A vote that alone would lead to another verdict. */
export interface Change {
  readonly indicator: Indicator;
  /** Datasets any one of which could do it; empty: no dataset votes, and one that did could. */
  readonly datasets: readonly string[];
  readonly from: VoteState;
  readonly to: 'yes' | 'no';
  readonly verdict: Verdict;
  readonly rules: readonly string[];
}

/** What all sources together say of a plot: the receipt of its verdict. */
export interface Convergence extends Decision {
  /** Null where the commodity is not known: the verdict is what all trees agree on. */
  readonly cropGroup: CropGroup | null;
  readonly votes: readonly Vote[];
  /** The indicators that a tree of the group looks at, and others that somebody voted on. */
  readonly indicators: readonly IndicatorOutcome[];
  readonly wouldChange: readonly Change[];
}

/** The votes of all evidence on a plot, and the verdict of the tree of its commodity. */
export function converge(evidence: readonly Evidence[], commodity: string | null, plot: VotedPlot): Convergence {
  const group = cropGroupOf(commodity);
  const votes = evidence.map((one) => countedFor(castVote(one, plot), group));
  return { cropGroup: group, votes, ...decide(votes, group) };
}

type Decided = Omit<Convergence, 'cropGroup' | 'votes'>;

/** Decisions that are kept: the plots of a batch lie on the same maps, which say the same of most of them. */
const KEPT = 500;
const kept = new Map<string, Decided>();

/** The verdict on votes that are cast. */
export function decide(votes: readonly Vote[], group: CropGroup | null): Decided {
  let key = `${group}`;
  for (const { counts, indicator, state, dataset, commodity, contract } of votes)
    if (counts) key += `\n${indicator}\t${state}\t${contract}\t${commodity}\t${dataset}`;
  let decided = kept.get(key);
  if (decided === undefined) {
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, (decided = decideOn(votes, group)));
  }
  return decided;
}

function decideOn(votes: readonly Vote[], group: CropGroup | null): Decided {
  const trees: readonly Tree[] = (group === null ? CROP_GROUPS : [group]).map((name) => TREES[name]);
  const used = new Set(trees.flatMap(indicatorsOf));
  const byIndicator = Map.groupBy(
    votes.filter(({ counts }) => counts),
    ({ indicator }) => indicator,
  );
  const indicators = INDICATORS.filter((indicator) => used.has(indicator) || byIndicator.has(indicator)).map(
    (indicator) => outcomeOf(indicator, byIndicator.get(indicator) ?? []),
  );
  const states: IndicatorStates = Object.fromEntries(indicators.map(({ indicator, state }) => [indicator, state]));
  const decision = walkAll(trees, states);
  const wouldChange = indicators
    .filter(({ indicator }) => used.has(indicator))
    .flatMap((outcome) => changesBy(outcome, trees, states, decision));
  return { ...decision, indicators, wouldChange };
}

/** A map or detection head of another group's commodity is shown and not counted. */
function countedFor(vote: Vote, group: CropGroup | null): Vote {
  const shown = vote.indicator === 'commodities_2020' ? cropGroupOf(vote.commodity ?? null) : null;
  if (shown === null || group === null || (COUNTED_GROUPS[group] as readonly CropGroup[]).includes(shown)) return vote;
  const kind = vote.embeddings === undefined ? 'map' : 'detection head';
  const reason = `Not counted: a ${kind} of ${vote.commodity} does not clear a plot of ${group === 'timber' ? group : `${group} crops`}.`;
  return { ...vote, counts: false, reason: vote.reason ?? reason };
}

function outcomeOf(indicator: Indicator, votes: readonly Vote[]): IndicatorOutcome {
  const by = (state: VoteState): string[] => votes.filter((vote) => vote.state === state).map(nameOf);
  const [yes, no, silent] = [by('yes'), by('no'), by('unknown')];
  const state = joined(yes.length, no.length, silent.length);
  return { indicator, state, agreement: agreementOf(votes), yes, no, silent };
}

/** A dataset, and of a map of several commodities which. */
function nameOf({ dataset, commodity }: Vote): string {
  return commodity === undefined ? dataset : `${dataset} (${commodity})`;
}

/** Maps of different commodities do not contradict each other, and what is derived from two datasets is no source of its own. */
function agreementOf(votes: readonly Vote[]): IndicatorOutcome['agreement'] {
  const known = votes.filter(({ state, contract }) => state !== 'unknown' && contract !== 'derived');
  const answers = Map.groupBy(known, ({ commodity }) => commodity ?? '').values();
  if (answers.some((same) => new Set(same.map(({ state }) => state)).size > 1)) return 'disagree';
  return known.length === 0 ? null : known.length === 1 ? 'single' : 'agree';
}

/** Any yes is yes, as in the published trees; but an unknown vote may be a yes, so only "no" of all is no. */
function joined(yes: number, no: number, unknown: number): VoteState {
  return yes > 0 ? 'yes' : no > 0 && unknown === 0 ? 'no' : 'unknown';
}

/** Without a commodity all trees are walked: where they do not agree it has to be known which one applies. */
function walkAll(trees: readonly Tree[], states: IndicatorStates): Decision {
  const decisions = trees.map((tree) => walkTree(tree, states));
  const [first] = decisions;
  if (decisions.length === 1) return first;
  const isOpen = decisions.some((one) => one.isOpen || one.verdict !== first.verdict);
  return {
    verdict: isOpen ? 'more_information_needed' : first.verdict,
    rules: decisions.flatMap(({ rules }) => rules),
    isOpen,
  };
}

const ANSWERS = ['yes', 'no'] as const;

function changesBy(
  { indicator, yes, no, silent }: IndicatorOutcome,
  trees: readonly Tree[],
  states: IndicatorStates,
  { verdict }: Decision,
): Change[] {
  const counts = { yes: yes.length, no: no.length, unknown: silent.length };
  const isUnanswered = counts.yes + counts.no + counts.unknown === 0;
  const ways = [
    { from: 'yes', datasets: yes },
    { from: 'no', datasets: no },
    { from: 'unknown', datasets: silent },
  ] as const;
  return ways
    .filter(({ from, datasets }) => datasets.length > 0 || (isUnanswered && from === 'unknown'))
    .flatMap(({ from, datasets }) =>
      ANSWERS.filter((to) => to !== from).flatMap((to): Change[] => {
        const after = { ...counts, [to]: counts[to] + 1 };
        if (!isUnanswered) after[from] -= 1;
        const state = joined(after.yes, after.no, after.unknown);
        if (state === states[indicator]) return [];
        const then = walkAll(trees, { ...states, [indicator]: state });
        return then.verdict === verdict
          ? []
          : [{ indicator, datasets, from, to, verdict: then.verdict, rules: then.rules }];
      }),
    );
}
