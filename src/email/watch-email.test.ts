import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchEmail } from './watch-email.ts';

const COMPARED = { verdict: 'low', eudrStatus: 'no_deforestation_found', lossM2: 0, rules: [] };

/** Of `changed` and `unmeasured` plots, and of `open` ones that are new, a report names the first `named`. */
function textOf(changed: number, unmeasured: number, named: number, open = 0, gone = 0): string {
  const plots = (count: number, prefix: string) =>
    Array.from({ length: Math.min(count, named) }, (_, i) => `${prefix}${i}`);
  return watchEmail({
    collectionId: '5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43',
    collectionName: 'Lot 7',
    run: 2,
    outcome: 'changed',
    reason: null,
    datasets: [],
    counts: {
      plots: 10_000,
      changed,
      worse: changed,
      better: 0,
      not_measured: unmeasured,
      only_before: gone,
      only_after: open * 2,
      only_after_not_cleared: open,
    },
    changes: plots(changed, 'c').map((plot) => ({ plot, before: COMPARED, after: COMPARED })),
    newPlots: plots(open, 'n').map((plot) => ({ plot, after: { ...COMPARED, verdict: 'high', lossM2: 5_000 } })),
    unmeasured: plots(unmeasured, 'u').map((plot) => ({ plot, reasons: ['it cannot be read'] })),
    serviceUrl: 'https://firstmile.example',
  }).text;
}

describe('the email of a watch', () => {
  it('counts every plot that it does not list, though the report names fewer', () => {
    const text = textOf(5_000, 3_000, 1_000);
    assert.match(text, /c49: .*\n {2}and 4950 more\n/);
    assert.match(text, /u49: .*\n {2}and 2950 more\n/);
    assert.match(text, /The first 1000 that changed:/);
    assert.doesNotMatch(text, /Everything that changed/);
  });

  it('says that the run has everything where it has', () => {
    const text = textOf(51, 0, 1_000);
    assert.match(text, /c49: .*\n {2}and 1 more\n/);
    assert.match(text, /Everything that changed:/);
    assert.doesNotMatch(text, /there/);
  });

  it('counts plots that are gone, and lists those that are new and not settled', () => {
    const text = textOf(0, 0, 1_000, 2_000, 1);
    assert.match(
      text,
      / 1 plot of the time before is no longer there; 4000 plots were not there before, 2000 of them with signs of deforestation or not settled\.\n/,
    );
    assert.match(
      text,
      /\nNot there before, with signs of deforestation or not settled:\n {2}n0: high \(0\.50 ha lost\)\n/,
    );
    assert.match(text, /n49: .*\n {2}and 1950 more\n/);
    assert.match(text, /The first 0 that changed and the first 1000 that were not there before:/);
  });
});
