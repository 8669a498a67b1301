import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../test/property-runs.ts';
import { castVote, type VotedPlot } from './cast-vote.ts';
import type { Evidence, EvidenceSource } from './evidence.ts';
import { INDICATOR_RULES, INDICATORS } from './indicators.ts';

const PLOT: VotedPlot = { areaHa: 10, ground: 'polygon', until: '2026-12-31' };
const POINT: VotedPlot = { areaHa: 4, ground: 'circle', until: '2026-12-31' };
const SOURCE: EvidenceSource = {
  indicator: 'forest_2020',
  dataset: 'layer',
  version: '1',
  date: '2020-12-31',
  synthetic: false,
  contract: 'held',
};

function vote(plot: VotedPlot, change: Partial<EvidenceSource>, yesHa: number, coveredShare = 1) {
  return castVote({ ...SOURCE, ...change, yesHa, coveredShare }, plot);
}

describe('a vote', () => {
  it('is yes above 10 % of a plot with an outline, and no up to it', () => {
    assert.equal(vote(PLOT, {}, 1.0001).state, 'yes');
    const no = vote(PLOT, {}, 1);
    assert.deepEqual([no.state, no.areaHa, no.share, no.ageYears, no.reason], ['no', 1, 0.1, 6, null]);
  });

  it('is yes on any part of a point that speaks against it', () => {
    assert.equal(vote(POINT, {}, 0.1).state, 'yes');
    assert.equal(vote(POINT, {}, 0).state, 'no');
  });

  it('of less than a pixel at the edge of a point is unknown', () => {
    const edge = vote(POINT, {}, 0.05);
    assert.equal(edge.state, 'unknown');
    assert.match(edge.reason ?? '', /less than one pixel/);
  });

  it('does not clear a point by a small part of its circle', () => {
    const some = vote(POINT, { indicator: 'commodities_2020' }, 0.3);
    assert.equal(some.state, 'unknown');
    assert.match(some.reason ?? '', /7\.5 % of the circle/);
    assert.equal(vote(POINT, { indicator: 'commodities_2020' }, 0.5).state, 'yes');
    assert.equal(vote(POINT, { indicator: 'commodities_2020' }, 0).state, 'no');
  });

  it('is unknown where the part without data could change it, and known where it could not', () => {
    assert.equal(vote(PLOT, {}, 0.5, 0.96).state, 'no');
    const part = vote(PLOT, {}, 0.5, 0.94);
    assert.deepEqual([part.state, part.reason], ['unknown', 'layer covers 94.0 % of the plot.']);
    assert.equal(vote(PLOT, {}, 1.5, 0.2).state, 'yes');
  });

  it('that could not be measured is unknown, with the reason as a sentence', () => {
    const { state, areaHa, share, reason, counts } = castVote({ ...SOURCE, reason: 'layer: it failed' }, PLOT);
    assert.deepEqual([state, areaHa, share, reason, counts], ['unknown', null, null, 'layer: it failed.', true]);
  });

  it('of a map of a later year cannot clear a plot, nor say that there was no forest', () => {
    const palm = vote(PLOT, { indicator: 'commodities_2020', date: '2021' }, 9);
    assert.deepEqual([palm.state, palm.counts], ['unknown', false]);
    assert.match(palm.reason ?? '', /is of 2021/);
    assert.equal(vote(PLOT, { indicator: 'commodities_2020', date: '2021' }, 0).state, 'no');
    assert.equal(vote(PLOT, { date: '2022' }, 0).state, 'unknown');
    assert.equal(vote(PLOT, { date: '2022' }, 9).state, 'yes');
    assert.equal(vote(PLOT, { indicator: 'commodities_2020', date: null }, 9).state, 'unknown');
  });

  it('that finds nothing in other years than those of the question is shown and not counted', () => {
    const late = { indicator: 'disturbance_before_2020', years: [2019, 2026] } as const;
    assert.deepEqual([vote(PLOT, late, 0).counts, vote(PLOT, late, 0).state], [false, 'unknown']);
    assert.deepEqual([vote(PLOT, late, 5).counts, vote(PLOT, late, 5).state], [true, 'yes']);
    const old = { indicator: 'disturbance_after_2020', years: [2001, 2023] } as const;
    assert.match(vote(PLOT, old, 0).reason ?? '', /from 2001 to 2023/);
    assert.equal(vote({ ...PLOT, until: '2024-12-31' }, old, 0).state, 'no');
    assert.equal(vote(PLOT, old, 5).state, 'yes');
  });

  it('on a plot without ground is unknown', () => {
    assert.equal(vote({ ...PLOT, areaHa: 0.00001 }, {}, 0).state, 'unknown');
  });

  it('never changes its answer when the part without data becomes known', () => {
    const evidence = fc.record({
      yesShare: fc.double({ min: 0, max: 1, noNaN: true }),
      restShare: fc.double({ min: 0, max: 1, noNaN: true }),
      covered: fc.double({ min: 0.0001, max: 1, noNaN: true }),
      indicator: fc.constantFrom(...INDICATORS),
      plot: fc.constantFrom(PLOT, POINT),
    });
    fc.assert(
      fc.property(evidence, ({ yesShare, restShare, covered, indicator, plot }) => {
        const yesHa = yesShare * covered * plot.areaHa;
        const part: Evidence = { ...SOURCE, indicator, yesHa, coveredShare: covered };
        const whole = yesHa + restShare * (1 - covered) * plot.areaHa;
        const before = castVote(part, plot);
        const after = castVote({ ...part, yesHa: whole, coveredShare: 1 }, plot);
        // From 0.999 on a plot counts as covered, and what is left may be more than nothing.
        if (covered >= 0.999 || before.state === 'unknown') return;
        assert.equal(after.state, before.state, JSON.stringify({ before, after }));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('has a direction for each indicator of the trees', () => {
    assert.deepEqual(
      INDICATORS.filter((name) => INDICATOR_RULES[name].direction === 'shown'),
      ['natural_land', 'protected_land'],
    );
  });
});
