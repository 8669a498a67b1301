import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { compareFindings, type KnownFinding } from './compare-findings.ts';
import type { PresentFinding } from './plot-finding.ts';

const finding = (change: Partial<PresentFinding> = {}): PresentFinding => ({
  geometry: 'here',
  number: 0,
  plot: 'a',
  verdict: 'low',
  eudrStatus: 'no_deforestation_found',
  lossM2: 0,
  rules: ['perennial-1'],
  heard: ['forest', 'loss'],
  silent: [],
  problem: null,
  ...change,
});
const knownOf = ({ silent: _silent, problem: _problem, ...known }: PresentFinding): KnownFinding => known;
const known = [knownOf(finding())];
const high = { verdict: 'high', eudrStatus: 'deforestation_found', lossM2: 5_000, rules: ['perennial-5'] } as const;

describe('findings of a watched collection', () => {
  it('that are the same are unchanged', () => {
    const { report } = compareFindings(known, [finding()]);
    assert.deepEqual([report.counts.unchanged, report.counts.changed, report.changes], [1, 0, []]);
  });

  it('that are others are changes with a direction', () => {
    const worse = compareFindings(known, [finding(high)]);
    assert.deepEqual([worse.report.counts.worse, worse.report.changes[0]?.direction], [1, 'worse']);
    const better = compareFindings(worse.known, [finding()]);
    assert.equal(better.report.changes[0]?.direction, 'better');
    const more = compareFindings(worse.known, [finding({ ...high, lossM2: 9_000 })]);
    assert.equal(more.report.changes[0]?.direction, 'worse');
    const other = compareFindings(known, [finding({ rules: ['perennial-2'] })]);
    assert.equal(other.report.changes[0]?.direction, 'other');
    const unknown = compareFindings(known, [finding({ verdict: null, eudrStatus: 'unknown', lossM2: null })]);
    assert.equal(unknown.report.changes[0]?.direction, 'other');
  });

  it('are those of a new plot where it was not known, or another one lies in its place', () => {
    const counted = (before: readonly KnownFinding[], now: readonly PresentFinding[]) => {
      const { report, known: next } = compareFindings(before, now);
      const { plots, unchanged, changed, only_before, only_after, only_after_not_cleared } = report.counts;
      assert.deepEqual(
        next.map(({ geometry }) => geometry),
        now.map(({ geometry }) => geometry),
      );
      return [plots, unchanged, changed, only_before, only_after, only_after_not_cleared];
    };
    assert.deepEqual(counted([], [finding(high)]), [0, 0, 0, 0, 1, 1]);
    assert.deepEqual(counted(known, [finding({ ...high, geometry: 'elsewhere' })]), [0, 0, 0, 1, 1, 1]);
    assert.deepEqual(counted(known, [finding({ geometry: 'elsewhere' })]), [0, 0, 0, 1, 1, 0]);
    assert.deepEqual(counted(known, [finding({ plot: 'named otherwise' })]), [1, 1, 0, 0, 0, 0]);
    assert.deepEqual(counted(known, []), [0, 0, 0, 1, 0, 0]);
    const { report } = compareFindings(known, [finding({ ...high, geometry: 'elsewhere' })]);
    assert.deepEqual(
      report.newPlots.map(({ plot, after }) => [plot, after.eudrStatus]),
      [['a', 'deforestation_found']],
    );
    // What is not known is not clear: somebody has to look.
    for (const open of [
      { verdict: 'more_information_needed' },
      { verdict: null, eudrStatus: 'unknown', heard: [], problem: 'It crashed.' },
    ] as const)
      assert.deepEqual(counted([], [finding(open)]), [0, 0, 0, 0, 1, 1]);
  });

  it('go by the id of the plot where they were stored without its geometry, and have it from then on', () => {
    const { geometry: _, ...stored } = known[0]!;
    const first = compareFindings([stored], [finding(high)]);
    assert.equal(first.report.counts.worse, 1);
    const failed = finding({ heard: [], problem: 'It crashed.' });
    assert.equal(compareFindings([stored], [failed]).known[0]!.geometry, 'here');
    const { counts } = compareFindings([stored], [finding({ plot: 'b' })]).report;
    assert.deepEqual([counts.plots, counts.only_before, counts.only_after], [0, 1, 1]);
  });

  it('are no change where a dataset that had data on the plot fails: what was known stays', () => {
    const silent = [{ dataset: 'loss', reason: 'loss: it did not answer in time' }];
    const now = finding({
      verdict: 'more_information_needed',
      eudrStatus: 'unknown',
      lossM2: null,
      heard: ['forest'],
      silent,
    });
    const first = compareFindings(known, [now]);
    assert.deepEqual(
      [first.report.counts.changed, first.report.counts.not_measured, first.report.counts.newly_not_measured],
      [0, 1, 1],
    );
    assert.deepEqual(first.report.unmeasured[0]?.reasons, ['loss: it did not answer in time']);
    const again = compareFindings(first.known, [now]);
    assert.deepEqual([again.report.counts.not_measured, again.report.counts.newly_not_measured], [1, 0]);
    assert.equal(compareFindings(again.known, [finding()]).report.counts.unchanged, 1);
    assert.equal(compareFindings(again.known, [finding(high)]).report.counts.worse, 1);
    const gone = compareFindings(known, [
      finding({ verdict: null, eudrStatus: 'unknown', lossM2: null, heard: [], problem: 'The plot crashed.' }),
    ]);
    assert.deepEqual(gone.report.unmeasured[0]?.reasons, ['The plot crashed.']);
  });

  it('are a change where a loss is found though another dataset fails, or where a dataset has no data any more', () => {
    const failed = { silent: [{ dataset: 'forest', reason: 'forest: it could not be read' }], heard: ['loss'] };
    assert.equal(compareFindings(known, [finding({ ...high, ...failed })]).report.counts.worse, 1);
    const empty = finding({
      verdict: 'more_information_needed',
      heard: ['forest'],
      silent: [{ dataset: 'loss', reason: 'loss has no data there' }],
    });
    assert.equal(compareFindings(known, [empty]).report.counts.changed, 1);
    // A dataset that the catalogue no longer lists is a change of the data, not a failure.
    const removed = finding({ verdict: 'more_information_needed', heard: ['forest'] });
    assert.equal(compareFindings(known, [removed]).report.counts.changed, 1);
  });

  it('are each in exactly one group, and nothing is known twice', () => {
    const plot = fc.record({
      geometry: fc.constantFrom('here', 'there'),
      verdict: fc.constantFrom('low', 'more_information_needed', 'high', null),
      eudrStatus: fc.constantFrom('no_deforestation_found', 'deforestation_found', 'unknown'),
      lossM2: fc.option(fc.nat(10_000)),
      heard: fc.subarray(['forest', 'loss', 'alerts']),
      silent: fc.subarray([
        { dataset: 'loss', reason: 'loss: it could not be read' },
        { dataset: 'alerts', reason: 'alerts has no data there' },
      ]),
      problem: fc.option(fc.constant('It crashed.')),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(plot, plot), { maxLength: 20 }), (pairs) => {
        const at = (i: 0 | 1) =>
          pairs.map((pair, number) =>
            finding({ ...(pair[i] as Partial<PresentFinding>), number, plot: String(number) }),
          );
        const before = at(0).map(knownOf);
        const { report, known: next } = compareFindings(before, at(1));
        const { plots, unchanged, changed, not_measured: unmeasured, only_before, only_after } = report.counts;
        assert.equal(unchanged + changed + unmeasured, plots);
        assert.deepEqual([plots + only_before, plots + only_after], [pairs.length, pairs.length]);
        assert.equal(plots, pairs.filter(([old, now]) => old.geometry === now.geometry).length);
        assert.deepEqual(
          next.map(({ number }) => number),
          pairs.map((_, number) => number),
        );
        // What is compared with itself has not changed.
        const same = compareFindings(before, at(0)).report.counts;
        assert.equal(same.changed, 0);
      }),
    );
  });
});
