import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgressBar, progressLine } from './progress-bar.ts';

describe('progressLine', () => {
  it('shows share, count, rate and time left', () => {
    assert.equal(
      progressLine(500, 1000, 5, 'facilities', 100),
      '[###############...............]  50 %  500/1,000 facilities  100/s  5 s left',
    );
  });

  it('shows a count where the total is not known', () => {
    assert.equal(progressLine(1500, null, 1, 'facilities', 80), '1,500 facilities  1,500/s');
  });

  it('never outgrows the screen', () => {
    for (const columns of [10, 20, 40, 60])
      assert.ok(progressLine(123_456, 1_000_000, 3, 'facilities', columns).length <= columns);
  });
});

describe('createProgressBar', () => {
  it('writes at most ten times a second, and at the end', () => {
    const written: string[] = [];
    let time = 0;
    const stream = {
      isTTY: true,
      columns: 80,
      write: (text: string) => written.push(text),
    } as unknown as NodeJS.WriteStream;
    const bar = createProgressBar(stream, 'facilities', () => time);
    for (let done = 1; done <= 1000; done++, time++) bar.update(done, 1000);
    assert.ok(written.length >= 10 && written.length <= 12, String(written.length));
    assert.match(written.at(-1) ?? '', /100 %/);
  });

  it('is silent where there is no terminal', () => {
    const written: string[] = [];
    createProgressBar({ write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream, 'x').update(
      1,
      2,
    );
    assert.deepEqual(written, []);
  });
});
