import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ROWS_SET_ASIDE, watchCrashes } from './watch-crashes.ts';

/** A watch after crashes on these steps, and the notes it makes. */
function watchAfter(bySteps: Readonly<Record<string, number>>, count = 1) {
  const notes: (string | null)[] = [];
  const watch = watchCrashes({ begin: (step) => void notes.push(step) }, { count, bySteps }, 3);
  return { watch, notes };
}

describe('a watch of crashes', () => {
  it('notes steps until several locations are worked on at once', () => {
    const { watch, notes } = watchAfter({});
    assert.equal(watch.isOneByOne, true);
    watch.begin('reading row 1 of table 1');
    watch.beginLocation('normalizing', 0);
    for (const number of [0, 1, 2]) watch.process(number);
    const processed = [1, 2, 3].map((number) => `processing location ${number}`);
    assert.deepEqual(notes, ['reading row 1 of table 1', 'normalizing location 1', ...processed]);
    watch.process(3);
    watch.beginLocation('normalizing', 4);
    watch.process(4);
    assert.deepEqual([watch.isOneByOne, notes.slice(5)], [false, [null]]);
  });

  it('processes nothing one by one where nothing crashed', () => {
    const { watch, notes } = watchAfter({}, 0);
    watch.beginLocation('normalizing', 0);
    watch.process(0);
    assert.deepEqual([watch.isOneByOne, notes], [false, ['normalizing location 1', null]]);
  });

  it('passes over what crashed twice, and nothing that crashed once', () => {
    const { watch } = watchAfter({ 'comparing location 7': 2, 'processing location 8': 1 });
    assert.deepEqual([watch.crashesOf('comparing', 6), watch.crashesOf('processing', 6)], [2, 0]);
    assert.equal(watch.crashesOf('processing', 7), 0);
    watch.forget();
    assert.equal(watch.crashesOf('comparing', 6), 0);
  });

  it('stops a reader where it crashed, and earlier with every further crash of it', () => {
    const stops = [
      { 'reading row 1000 of table 2': 1 },
      { 'reading row 1000 of table 2': 2 },
      // A reader that reads ahead crashes a few rows earlier or later.
      { 'reading row 1000 of table 2': 1, 'reading row 997 of table 2': 1 },
      { 'reading row 1000 of table 2': 2, 'reading row 1 of table 2': 1 },
      { 'reading row 1000 of table 2': 2, 'reading row 1 of table 2': 2 },
      { 'reading row 1000 of table 2': 2, 'reading row 1 of table 2': 3 },
      { 'reading row 10 of table 2': 2, 'reading row 1 of table 2': 1 },
    ].map((steps) => {
      const { watch } = watchAfter(steps as unknown as Record<string, number>);
      assert.equal(watch.unreadFrom(0), null);
      return watch.unreadFrom(1)?.row;
    });
    assert.deepEqual(stops, [undefined, 999, 999, 975, 499, 249, 0]);
  });

  it('gives up where the file cannot be opened, or too many of its rows crash', () => {
    assert.throws(() => watchAfter({ 'opening the file': 2 }), {
      code: 'task_failed',
      message: /opening the file ended its worker process 2 times; no row of it was read/,
    });
    const rows = Array.from({ length: ROWS_SET_ASIDE + 1 }, (_, i) => [`comparing location ${i + 1}`, 2] as const);
    assert.ok(watchAfter(Object.fromEntries(rows.slice(1))));
    assert.throws(() => watchAfter(Object.fromEntries(rows)), {
      message: /more than 100 rows ended their worker process while the file was read and compared/,
    });
    const processed = rows.map(([step]) => [step.replace('comparing', 'processing'), 2] as const);
    assert.ok(watchAfter(Object.fromEntries(processed)));
  });
});
