import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pollAfterS } from './task.ts';

const START = Date.UTC(2026, 10, 22);
const task = (done: number, total: number | null) => ({ createdAt: new Date(START), progress: { done, total } });
const after = (seconds: number) => START + seconds * 1000;

describe('pollAfterS', () => {
  it('begins at 2 s and comes to 30 s while nothing is known of the end', () => {
    assert.deepEqual(
      [0, 1, 10, 30, 60, 150, 3_600].map((age) => pollAfterS(task(0, null), after(age))),
      [2, 2, 2, 6, 12, 30, 30],
    );
    assert.equal(pollAfterS(task(0, 1_000), after(60)), 12, 'a total without progress says nothing of the pace');
  });

  it('follows the expected end once there is progress', () => {
    assert.equal(pollAfterS(task(10, 1_000), after(10)), 30);
    assert.equal(pollAfterS(task(990, 1_000), after(990)), 5);
    assert.equal(pollAfterS(task(1_000, 1_000), after(1_000)), 2);
    assert.equal(pollAfterS(task(2_000, 1_000), after(1_000)), 2);
  });

  it('does not trust a clock that is behind that of the database', () => {
    assert.equal(pollAfterS(task(0, null), after(-60)), 2);
  });

  it('leads to fewer looks in any hour than the default limit of requests, and to a look soon after the end', () => {
    for (const seconds of [1, 5, 20, 90, 600, 3_600, 6 * 3_600])
      for (const isKnown of [true, false]) {
        const looks: number[] = [];
        for (let at = 0; ; at += pollAfterS(task(isKnown ? at : 0, isKnown ? seconds : null), after(at))) {
          looks.push(at);
          if (at >= seconds) break;
        }
        const busiest = Math.max(...looks.map((from) => looks.filter((at) => at >= from && at < from + 3_600).length));
        assert.ok(busiest <= 160, `${busiest} looks an hour at a task of ${seconds} s`);
        assert.ok(looks.at(-1)! - seconds <= 30, `${looks.at(-1)! - seconds} s late at a task of ${seconds} s`);
      }
  });
});
