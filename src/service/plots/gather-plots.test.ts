import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gatherPlots } from './gather-plots.ts';

describe('plots that are gathered', () => {
  it('are worked on together when they come in one turn, and one group at a time after that', async () => {
    const groups: number[][] = [];
    let running = 0;
    const gates: (() => void)[] = [];
    const ask = gatherPlots(async (plots: readonly number[]) => {
      groups.push([...plots]);
      assert.equal(++running, 1);
      await new Promise<void>((open) => gates.push(open));
      running -= 1;
      return plots.map((plot) => plot * 10);
    });
    const first = [ask(1), ask(2)];
    await new Promise((turn) => setImmediate(turn));
    const later = [ask(3), ask(4), ask(5)];
    gates[0]?.();
    assert.deepEqual(await Promise.all(first), [10, 20]);
    await new Promise((turn) => setImmediate(turn));
    gates[1]?.();
    assert.deepEqual(await Promise.all(later), [30, 40, 50]);
    const last = ask(6);
    await new Promise((turn) => setImmediate(turn));
    gates[2]?.();
    assert.equal(await last, 60);
    assert.deepEqual(groups, [[1, 2], [3, 4, 5], [6]]);
  });

  it('fail together, and do not take those after them along', async () => {
    let isBroken = true;
    const ask = gatherPlots(async (plots: readonly number[]) => {
      if (isBroken) throw new Error('broken');
      return plots;
    });
    const results = await Promise.allSettled([ask(1), ask(2)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    isBroken = false;
    assert.equal(await ask(3), 3);
  });
});
