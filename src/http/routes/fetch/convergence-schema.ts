import { Messages } from '../messages-schema.ts';
import { Type, type TSchema } from 'typebox';
import { VOTE_STATES } from '../../../plots/cast-vote.ts';
import { CROP_GROUPS } from '../../../plots/crop-groups.ts';
import { CONTRACT_WORDS } from '../../../plots/evidence.ts';
import { INDICATORS } from '../../../plots/indicators.ts';
import { VERDICTS } from '../../../plots/trees.ts';

const OneOf = (words: readonly string[], description?: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    description === undefined ? {} : { description },
  );
const OrNull = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const Names = (description: string) => Type.Array(Type.String(), { description });

const Indicator = OneOf(INDICATORS, 'The question; see docs/verdicts.md.');
const State = OneOf(VOTE_STATES);
const Rules = Names('Rules of the tree that hold, several where what is unknown leaves them open.');

const Outcome = Type.Object({
  indicator: Indicator,
  state: OneOf(VOTE_STATES, '`yes` when any counted vote is, `no` when all are, else `unknown`.'),
  agreement: OrNull(OneOf(['agree', 'disagree', 'single']), 'Of the votes that are not unknown; null: there are none.'),
  yes: Names('Datasets that say yes.'),
  no: Names('Datasets that say no.'),
  silent: Names('Datasets whose vote is unknown.'),
});

const Vote = Type.Object({
  indicator: Indicator,
  state: State,
  dataset: Type.String(),
  version: Type.String(),
  date: OrNull(Type.String(), 'What the data describes; null: not stated.'),
  age_years: OrNull(Type.Integer(), 'From then to the end of the period.'),
  synthetic: Type.Boolean(),
  contract: OneOf(CONTRACT_WORDS, 'What was known of the contract of the dataset when it was read.'),
  commodity: OrNull(Type.String(), 'Of a map or detection head of one commodity.'),
  embeddings: OrNull(
    Type.Object({ dataset: Type.String(), version: Type.String(), year: Type.Integer() }),
    'What a detection head was evaluated on; null: a map.',
  ),
  area_ha: OrNull(Type.Number(), 'Hectares for which the answer is yes; null: unknown.'),
  share: OrNull(Type.Number(), 'Their share of the plot.'),
  covered_share: Type.Number({ description: 'Share of the plot where the dataset has data.' }),
  counts: Type.Boolean({
    description: 'false: shown, but the verdict does not depend on it, which `reason` explains.',
  }),
  reason: OrNull(Type.String(), 'Why it is unknown or not counted.'),
  messages: Messages,
});

const Change = Type.Object({
  indicator: Indicator,
  datasets: Names('Any one of these; empty: no dataset votes, and one that did could.'),
  from: State,
  to: OneOf(['yes', 'no']),
  verdict: OneOf(VERDICTS),
  rules: Rules,
});

/** The receipt of a verdict by all sources. */
export const ConvergenceSchema = OrNull(
  Type.Object({
    verdict: OneOf(VERDICTS),
    crop_group: OrNull(OneOf(CROP_GROUPS), 'Null: no commodity is known, and all trees have to agree.'),
    rules: Rules,
    is_open: Type.Boolean({ description: 'true: what is unknown decides between rules.' }),
    comment: Type.String(),
    messages: Messages,
    indicators: Type.Array(Outcome),
    votes: Type.Array(Vote),
    would_change: Type.Array(Change, { description: 'Single votes that would lead to another verdict.' }),
  }),
  'What all datasets together say of the plot, and the receipt. Null: a facility, or no evidence was gathered.',
);

/** The verdict by itself, to filter and count by. */
export const CONVERGENCE_WORDS = {
  convergence_verdict: OrNull(OneOf(VERDICTS), 'The verdict of `convergence`.'),
  crop_group: OrNull(OneOf(CROP_GROUPS), 'Whose decision tree was followed.'),
} as const;
