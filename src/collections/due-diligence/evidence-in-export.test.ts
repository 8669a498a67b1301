import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportFiles, plotRecord, square, STATISTICS } from '../../../test/due-diligence-export.ts';
import type { Evidence } from '../../plots/evidence.ts';

const SOURCE = { version: '1', date: '2020-12-31', synthetic: false, contract: 'held', coveredShare: 1 } as const;
/** Forest in 2020 of which nothing was lost, and nobody looked for a crop. */
const EVIDENCE: readonly Evidence[] = [
  { ...SOURCE, indicator: 'forest_2020', dataset: 'jrc', yesHa: 120 },
  { ...SOURCE, indicator: 'disturbance_before_2020', dataset: 'hansen', years: [2001, 2024], yesHa: 0 },
  { ...SOURCE, indicator: 'disturbance_after_2020', dataset: 'hansen', years: [2001, 2024], yesHa: 0 },
];
const CLEARED = {
  ...STATISTICS,
  losses: STATISTICS.losses.map((loss) => ({ ...loss, lossHa: {}, inBaselineHa: {} })),
  evidence: EVIDENCE,
};

test('a plot that one map clears and all layers do not is said so in every file of the export', async () => {
  const record = plotRecord(0, square(1), {}, { statistics: CLEARED, problem: null, commodity: 'cocoa' });
  const files = await exportFiles([record]);
  const [head, row] = files['plots.csv']!.toString().split('\n');
  assert.match(head!, /crop_group,convergence_verdict,convergence_rules,would_change/);
  assert.match(
    row!,
    /no_deforestation_found,low,.*,perennial,more_information_needed,perennial-2 perennial-4,.*a yes of any dataset on commodities 2020: low/,
  );
  assert.match(files['findings.csv']!.toString(), /evidence-open,warning,.*because it is unknown: commodities 2020/);
  const checks = JSON.parse(files['checks.json']!.toString()) as {
    readonly counts: { readonly plots_by_convergence: unknown; readonly plots_by_eudr_status: unknown };
    readonly plots: readonly {
      readonly convergence: { readonly verdict: string; readonly votes: readonly unknown[] };
    }[];
  };
  assert.deepEqual(checks.counts.plots_by_convergence, { more_information_needed: 1 });
  assert.deepEqual(checks.counts.plots_by_eudr_status, { no_deforestation_found: 1 });
  // The three layers, and the check of one map.
  assert.deepEqual(
    [checks.plots[0]?.convergence.verdict, checks.plots[0]?.convergence.votes.length],
    ['more_information_needed', 4],
  );
});

test('a plot of a batch that gathered no evidence has no verdict by all layers, and no finding of one', async () => {
  const { evidence: _, ...older } = CLEARED;
  const files = await exportFiles([plotRecord(0, square(1), {}, { statistics: older, problem: null })]);
  assert.doesNotMatch(files['findings.csv']!.toString(), /evidence-open/);
  assert.match(files['checks.json']!.toString(), /"plots_by_convergence": \{\s*"unknown": 1/);
});
