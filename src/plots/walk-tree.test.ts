import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VoteState } from './cast-vote.ts';
import { CROP_GROUPS } from './crop-groups.ts';
import { TREES, type Tree, type Verdict } from './trees.ts';
import { indicatorsOf, walkTree, type IndicatorStates } from './walk-tree.ts';

const STATES: readonly VoteState[] = ['yes', 'no', 'unknown'];

/** Every combination of the states of the indicators of a tree. */
function* allStates(tree: Tree): Generator<Record<string, VoteState>> {
  const indicators = indicatorsOf(tree);
  for (let number = 0; number < 3 ** indicators.length; number++) {
    const states: Record<string, VoteState> = {};
    indicators.forEach((indicator, i) => (states[indicator] = STATES[Math.floor(number / 3 ** i) % 3]));
    yield states;
  }
}

const [Y, N, U] = STATES;
type Case = readonly [forest: VoteState, crop: VoteState, before: VoteState, after: VoteState, verdict: Verdict];

describe('a tree', () => {
  it('of perennial crops follows the published rows', () => {
    const cases: readonly Case[] = [
      [N, Y, N, Y, 'low'],
      [Y, Y, N, Y, 'low'],
      [Y, N, Y, Y, 'low'],
      [Y, N, N, N, 'more_information_needed'],
      [Y, N, N, Y, 'high'],
    ];
    for (const [forest, crop, before, after, verdict] of cases)
      assert.equal(walkTree(TREES.perennial, perennial(forest, crop, before, after)).verdict, verdict);
  });

  it('is open where what is unknown decides, and not where it makes no difference', () => {
    const cases: readonly Case[] = [
      [N, U, U, U, 'low'],
      [Y, Y, U, U, 'low'],
      [U, Y, U, U, 'low'],
      [Y, U, N, Y, 'more_information_needed'],
      [Y, N, U, Y, 'more_information_needed'],
      [U, N, N, Y, 'more_information_needed'],
      [U, U, U, U, 'more_information_needed'],
    ];
    for (const [forest, crop, before, after, verdict] of cases)
      assert.equal(walkTree(TREES.perennial, perennial(forest, crop, before, after)).verdict, verdict);
  });

  it('does not let an older disturbance clear a plot on which nobody looked for losses', () => {
    const open = walkTree(TREES.perennial, perennial(Y, N, Y, U));
    assert.deepEqual([open.verdict, open.rules, open.isOpen], ['more_information_needed', ['perennial-3'], true]);
  });

  for (const group of CROP_GROUPS)
    it(`of ${group} keeps a verdict or needs more information when an indicator becomes unknown`, () => {
      const tree: Tree = TREES[group];
      let cases = 0;
      for (const states of allStates(tree)) {
        const { verdict } = walkTree(tree, states);
        for (const indicator of indicatorsOf(tree)) {
          const less = walkTree(tree, { ...states, [indicator]: 'unknown' }).verdict;
          assert.ok(
            less === verdict || less === 'more_information_needed',
            JSON.stringify({ states, indicator, less }),
          );
          cases++;
        }
      }
      assert.ok(cases >= 3 ** indicatorsOf(tree).length);
    });

  for (const group of CROP_GROUPS)
    it(`of ${group} clears nothing that nobody looked at`, () => {
      const { verdict, isOpen } = walkTree(TREES[group], {});
      assert.deepEqual([verdict, isOpen], ['more_information_needed', true]);
    });
});

function perennial(forest: VoteState, crop: VoteState, before: VoteState, after: VoteState): IndicatorStates {
  return {
    forest_2020: forest,
    commodities_2020: crop,
    disturbance_before_2020: before,
    disturbance_after_2020: after,
  };
}
