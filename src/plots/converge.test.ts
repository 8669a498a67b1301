import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../test/property-runs.ts';
import { VOTE_STATES, type Vote, type VoteState } from './cast-vote.ts';
import { converge, decide } from './converge.ts';
import { CROP_GROUPS } from './crop-groups.ts';
import type { Evidence } from './evidence.ts';
import { INDICATORS, type Indicator } from './indicators.ts';
import { verdictText } from './verdict-text.ts';

const PLOT = { areaHa: 10, ground: 'polygon', until: '2026-12-31' } as const;

function vote(indicator: Indicator, state: VoteState, dataset = 'a', change: Partial<Vote> = {}): Vote {
  return {
    indicator,
    state,
    dataset,
    version: '1',
    date: '2020',
    synthetic: false,
    contract: 'held',
    reason: null,
    areaHa: state === 'unknown' ? null : state === 'yes' ? 10 : 0,
    share: state === 'unknown' ? null : state === 'yes' ? 1 : 0,
    coveredShare: 1,
    ageYears: 6,
    counts: true,
    ...change,
  };
}

/** Votes that make a plot of cocoa high. */
const HIGH: readonly Vote[] = [
  vote('forest_2020', 'yes', 'jrc'),
  vote('forest_2020', 'no', 'worldcover'),
  vote('commodities_2020', 'no', 'cocoa'),
  vote('disturbance_before_2020', 'no', 'hansen'),
  vote('disturbance_after_2020', 'yes', 'hansen'),
];

describe('votes of several sources', () => {
  it('are yes when any is, and the others are listed as disagreeing or silent', () => {
    const { verdict, rules, indicators } = decide([...HIGH, vote('forest_2020', 'unknown', 'tmf')], 'perennial');
    assert.deepEqual([verdict, rules], ['high', ['perennial-5']]);
    const [forest] = indicators;
    assert.deepEqual(forest, {
      indicator: 'forest_2020',
      state: 'yes',
      agreement: 'disagree',
      yes: ['jrc'],
      no: ['worldcover'],
      silent: ['tmf'],
    });
  });

  it('are no only when all are: a silent one may have been a yes', () => {
    const no = [vote('forest_2020', 'no', 'jrc'), vote('forest_2020', 'no', 'worldcover')];
    assert.equal(decide(no, 'perennial').verdict, 'low');
    const silent = decide([...no, vote('forest_2020', 'unknown', 'tmf')], 'perennial');
    assert.deepEqual([silent.verdict, silent.isOpen], ['more_information_needed', true]);
  });

  it('say which single vote would lead where', () => {
    const { wouldChange } = decide(HIGH, 'perennial');
    assert.deepEqual(
      wouldChange.map(({ indicator, datasets, from, to, verdict }) => [indicator, datasets, from, to, verdict]),
      [
        ['forest_2020', ['jrc'], 'yes', 'no', 'low'],
        ['commodities_2020', ['cocoa'], 'no', 'yes', 'low'],
        ['disturbance_before_2020', ['hansen'], 'no', 'yes', 'low'],
        ['disturbance_after_2020', ['hansen'], 'yes', 'no', 'more_information_needed'],
      ],
    );
  });

  it('name no dataset where none votes and an answer would decide', () => {
    const open = decide(
      HIGH.filter(({ indicator }) => indicator !== 'commodities_2020'),
      'perennial',
    );
    assert.equal(open.verdict, 'more_information_needed');
    assert.deepEqual(
      open.wouldChange
        .filter(({ indicator }) => indicator === 'commodities_2020')
        .map(({ datasets, to, verdict }) => [datasets, to, verdict]),
      [
        [[], 'yes', 'low'],
        [[], 'no', 'high'],
      ],
    );
  });

  it('of maps of different commodities do not disagree, and what is derived is no second source', () => {
    const { indicators } = decide(
      [
        vote('commodities_2020', 'yes', 'map', { commodity: 'palm' }),
        vote('commodities_2020', 'no', 'map', { commodity: 'rubber' }),
        vote('disturbance_after_2020', 'yes', 'hansen'),
        vote('disturbance_after_2020', 'no', 'hansen in jrc', { contract: 'derived' }),
      ],
      'perennial',
    );
    const of = (name: Indicator) => indicators.find(({ indicator }) => indicator === name);
    assert.deepEqual([of('commodities_2020')?.agreement, of('commodities_2020')?.no], ['agree', ['map (rubber)']]);
    assert.equal(of('disturbance_after_2020')?.agreement, 'single');
  });

  it('turned to unknown never lead towards low', () => {
    const anyVote = fc
      .tuple(fc.constantFrom(...INDICATORS), fc.constantFrom(...VOTE_STATES), fc.constantFrom('a', 'b', 'c'))
      .map(([indicator, state, dataset]) => vote(indicator, state, dataset));
    const groups = fc.constantFrom(...CROP_GROUPS, null);
    fc.assert(
      fc.property(fc.array(anyVote, { maxLength: 14 }), groups, (votes, group) => {
        const { verdict } = decide(votes, group);
        for (const i of votes.keys()) {
          const less = decide(votes.with(i, { ...votes[i], state: 'unknown' }), group);
          assert.ok(less.verdict === verdict || less.verdict === 'more_information_needed');
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('lead to what would_change says when that vote is turned', () => {
    const anyVote = fc
      .tuple(fc.constantFrom(...INDICATORS), fc.constantFrom(...VOTE_STATES), fc.integer({ min: 0, max: 50 }))
      .map(([indicator, state, dataset]) => vote(indicator, state, `d${dataset}`));
    fc.assert(
      fc.property(
        fc.uniqueArray(anyVote, { maxLength: 10, selector: ({ indicator, dataset }) => `${indicator} ${dataset}` }),
        fc.constantFrom(...CROP_GROUPS),
        (votes, group) => {
          const { verdict, wouldChange } = decide(votes, group);
          for (const [i, one] of votes.entries())
            for (const to of ['yes', 'no'] as const) {
              const turned = decide(votes.with(i, { ...one, state: to }), group).verdict;
              const said = wouldChange.find(
                (change) =>
                  change.indicator === one.indicator && change.to === to && change.datasets.includes(one.dataset),
              );
              assert.equal(said?.verdict ?? verdict, turned);
            }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});

describe('the verdict of a plot', () => {
  const source = { version: '1', date: '2020-12-31', synthetic: false, contract: 'local' } as const;
  const forest: Evidence = { ...source, indicator: 'forest_2020', dataset: 'jrc', yesHa: 10, coveredShare: 1 };
  const lost: Evidence = {
    ...source,
    indicator: 'disturbance_after_2020',
    dataset: 'hansen',
    years: [2001, 2025],
    yesHa: 5,
    coveredShare: 1,
  };
  const before: Evidence = { ...lost, indicator: 'disturbance_before_2020', yesHa: 0 };
  const crop = (commodity: string, yesHa: number): Evidence => ({
    ...source,
    indicator: 'commodities_2020',
    dataset: `${commodity}-map`,
    commodity,
    yesHa,
    coveredShare: 1,
  });

  it('is not cleared by a map of the crop of another group', () => {
    const { verdict, votes } = converge([forest, lost, before, crop('soy', 10), crop('cocoa', 0)], 'cocoa', PLOT);
    assert.equal(verdict, 'high');
    assert.match(votes.find(({ commodity }) => commodity === 'soy')?.reason ?? '', /^Not counted: a map of soy/);
    assert.equal(converge([forest, lost, before, crop('soy', 10)], 'soy', PLOT).verdict, 'low');
  });

  it('of cattle waits for pasture', () => {
    const open = converge([forest, lost, before], 'cattle', PLOT);
    assert.deepEqual([open.verdict, open.rules], ['more_information_needed', ['livestock-2', 'livestock-3']]);
  });

  it('without a commodity is what all trees agree on', () => {
    const clear = [
      { ...forest, yesHa: 0 },
      ...(['primary_forest_2020', 'regenerating_forest_2020', 'planted_forest_2020'] as const).map((indicator) => ({
        ...forest,
        indicator,
        yesHa: 0,
      })),
    ];
    assert.equal(converge(clear, null, PLOT).verdict, 'low');
    const open = converge([forest, lost, before], 'bananas', PLOT);
    assert.deepEqual([open.cropGroup, open.verdict], [null, 'more_information_needed']);
    assert.match(verdictText(open), /no commodity is known/);
  });

  it('is said in a sentence that names the rule, what it rests on and who disagrees', () => {
    const other: Evidence = { ...forest, dataset: 'worldcover', yesHa: 0 };
    const found = converge([forest, other, lost, before, crop('cocoa', 0)], 'cocoa', PLOT);
    assert.equal(
      verdictText(found),
      'Convergence of evidence: high, by perennial-5 (forest 2020 yes, commodities 2020 no, disturbance before 2020 no, disturbance after 2020 yes). Sources disagree on forest 2020: jrc yes, worldcover no.',
    );
    assert.match(
      verdictText(converge([forest, lost, before], 'cocoa', PLOT)),
      /more information needed, because it is unknown: commodities 2020\.$/,
    );
  });
});
