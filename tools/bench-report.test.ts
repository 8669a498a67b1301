import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BenchResult } from '../bench/results.ts';
import { pageWith, readResults, worseRatios } from './bench-report.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/benchmarks.md'), 'utf8');

test('the tables of docs/benchmarks.md are those of the kept results', () => {
  assert.equal(pageWith(PAGE, readResults()), PAGE);
});

test('every kept result names a benchmark, its machine and its load', () => {
  for (const { bench, machine, load, rows, rounds } of readResults()) {
    readFileSync(join(import.meta.dirname, `../bench/${bench}.ts`));
    assert.match(machine, /GB$/);
    assert.ok(Number.isFinite(load) && rounds >= 1 && rows.length > 0, bench);
  }
});

test('a ratio of more than a tenth less is reported, by processor time where there is one', () => {
  const result = resultOf([
    { name: 'slower', times: 3, processor: 1.7, was: 2 },
    { name: 'as fast', times: 1, processor: 1.9, was: 2 },
    { name: 'of the clock alone', times: 1, was: 1.2 },
    { name: 'new', times: 0.1 },
  ]);
  assert.deepEqual(worseRatios([result]), [
    'made-up: one thing: slower: 1.7 times, 2 before',
    'made-up: one thing: of the clock alone: 1 times, 1.2 before',
  ]);
  assert.match(pageWith(PAGE, [result]), /\| 3 \/ 1\.7 \*\*worse: 2 before\*\* \(a\); 1 \/ 1\.9 \(b\);/);
});

test('names of peers and limits stand below the table once, and columns without content are left out', () => {
  const peers = [
    { name: 'a plain loop', times: 3, processor: 2 },
    { name: 'numpy', strongest: true, times: 1.5 },
  ];
  const row = { what: 'one thing', ours: '1 ms', peers, limit: 'a copy' };
  const page = pageWith(PAGE, [{ ...resultOf([]), rows: [row, { ...row, what: 'another' }] }]);
  assert.ok(
    page.includes(`| What | Ours | Usual peer / ours | Strongest peer / ours |
| --- | --- | --- | --- |
| one thing | 1 ms (limit 1) | 3 / 2 | 1.5 |
| another | 1 ms (limit 1) | 3 / 2 | 1.5 |

- usual peer: a plain loop
- strongest peer: numpy
- limit 1: a copy
`),
  );
});

test('the largest entries of a profile stand below the table, each with what it is', () => {
  const entries = [
    { name: 'writev', share: 26.1, why: 'a system call' },
    { name: 'parse', share: 9, why: '' },
  ];
  const page = pageWith(PAGE, [{ ...resultOf([]), profiles: [{ what: 'one thing, now', entries }] }]);
  assert.match(
    page,
    /\| one thing, now \| `writev` \| 26\.1 % \| a system call \|\n\| {2}\| `parse` \| 9 % \| {2}\|\n/,
  );
});

function resultOf(peers: NonNullable<BenchResult['rows'][number]['peers']>): BenchResult {
  const rows = [{ what: 'one thing', ours: '1 ms', peers }];
  return {
    bench: 'made-up',
    date: '2026-01-01',
    commit: '0',
    machine: '1 × CPU, 1 GB',
    node: '1',
    load: 0,
    rounds: 7,
    rows,
  };
}
