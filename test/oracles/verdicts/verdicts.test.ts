import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Vote, VoteState } from '../../../src/plots/cast-vote.ts';
import { decide } from '../../../src/plots/converge.ts';
import type { CropGroup } from '../../../src/plots/crop-groups.ts';
import type { Indicator } from '../../../src/plots/indicators.ts';
import type { Verdict } from '../../../src/plots/trees.ts';

const GROUPS: readonly CropGroup[] = ['perennial', 'annual', 'livestock', 'timber'];
const NAMES: readonly Indicator[] = [
  'forest_2020',
  'commodities_2020',
  'disturbance_before_2020',
  'disturbance_after_2020',
  'primary_forest_2020',
  'regenerating_forest_2020',
  'planted_forest_2020',
  'planted_forest_after_2020',
  'tree_cover_after_2020',
  'agriculture_after_2020',
  'logging_concession_2020',
  'pasture_2020',
];
const LETTERS: Readonly<Record<Verdict, string>> = { low: 'L', more_information_needed: 'M', high: 'H' };
const POOLS: readonly (readonly VoteState[])[] = [
  ['yes', 'yes', 'yes', 'no'],
  ['yes', 'yes', 'yes', 'unknown'],
  ['no', 'no', 'no', 'no'],
  ['no', 'no', 'no', 'unknown'],
];

test('verdicts on 10,000 vote vectors are those of the trees written in Python', () => {
  const path = join(import.meta.dirname, 'verdicts.json');
  const { verdicts } = JSON.parse(readFileSync(path, 'utf8')) as { readonly verdicts: string };
  assert.equal(verdicts.length, 10_000);
  let state = 20201231;
  const below = (n: number): number => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    return Math.floor((state * n) / 2 ** 32);
  };
  const counts: Record<string, number> = {};
  for (const [i, wanted] of [...verdicts].entries()) {
    const group = GROUPS[below(4)];
    const votes = NAMES.flatMap((indicator) => {
      const pool = POOLS[below(4)];
      return Array.from({ length: below(4) }, (_, dataset) => vote(indicator, pool[below(4)], `d${dataset}`));
    });
    const { verdict } = decide(votes, group);
    assert.equal(LETTERS[verdict], wanted, `vector ${i}: ${group} ${JSON.stringify(votes)}`);
    counts[`${group} ${wanted}`] = (counts[`${group} ${wanted}`] ?? 0) + 1;
  }
  // Every tree was led everywhere it leads to, often.
  assert.equal(Object.keys(counts).length, 12);
  assert.ok(
    Object.values(counts).every((count) => count >= 20),
    JSON.stringify(counts),
  );
});

function vote(indicator: Indicator, state: VoteState, dataset: string): Vote {
  const source = { indicator, dataset, version: '1', date: '2020', synthetic: true, contract: 'local' } as const;
  return { ...source, state, reason: null, areaHa: null, share: null, coveredShare: 1, ageYears: 0, counts: true };
}
