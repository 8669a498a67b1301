import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { guardSource } from './guard.ts';

const SIGNAL = new AbortController().signal;
const DATASET = { id: 'x', coverage: { bbox: [0, 0, 10, 10] } } as unknown as Dataset;

function failing(error: () => unknown) {
  const asked: string[] = [];
  const source = {
    dataset: DATASET,
    extra: 1,
    async at(lon: number, lat: number, _signal: AbortSignal) {
      asked.push(`${lon} ${lat}`);
      const fault = error();
      if (fault !== null) throw fault;
      return 'there';
    },
  };
  return { asked, source };
}

it('a dataset is not queried outside the coverage of its entry', async () => {
  const { asked, source } = failing(() => null);
  const guarded = guardSource(source);
  assert.equal(await guarded.at(11, 5, SIGNAL), null);
  assert.equal(await guarded.at(10, 5, SIGNAL), 'there');
  assert.deepEqual([asked, guarded.extra], [['10 5'], 1]);
});

it('a dataset that cannot be reached is left alone for ten seconds', async () => {
  let now = 0;
  const fault = Object.assign(new Error('down'), { kind: 'transport' });
  let down = true;
  const { asked, source } = failing(() => (down ? fault : null));
  const guarded = guardSource(source, () => now);
  await assert.rejects(guarded.at(1, 1, SIGNAL), fault);
  await assert.rejects(guarded.at(2, 2, SIGNAL), fault);
  assert.equal(asked.length, 1);
  now = 9_999;
  await assert.rejects(guarded.at(2, 2, SIGNAL), fault);
  down = false;
  now = 10_000;
  assert.equal(await guarded.at(2, 2, SIGNAL), 'there');
  assert.equal(asked.length, 2);
});

it('a dataset that lets its askers wait is left alone for longer, up to half a minute', async () => {
  for (const [waited, rest] of [
    [7_000, 14_000],
    [60_000, 30_000],
  ] as const) {
    let now = 0;
    const { asked, source } = failing(() => {
      now += waited;
      return new DOMException('too slow', 'TimeoutError');
    });
    const guarded = guardSource(source, () => now);
    await assert.rejects(guarded.at(1, 1, SIGNAL), /too slow/);
    now = waited + rest - 1;
    await assert.rejects(guarded.at(1, 1, SIGNAL), /too slow/);
    assert.equal(asked.length, 1);
    now = waited + rest;
    await assert.rejects(guarded.at(1, 1, SIGNAL), /too slow/);
    assert.equal(asked.length, 2);
  }
});

it('one question finds out whether a dataset is back, the others do not wait for it', async () => {
  let now = 0;
  const down = Object.assign(new Error('down'), { kind: 'transport' });
  const answers: PromiseWithResolvers<string>[] = [];
  const guarded = guardSource(
    {
      dataset: DATASET,
      at: (_lon: number, _lat: number, _signal: AbortSignal) => {
        const answer = Promise.withResolvers<string>();
        answers.push(answer);
        return answer.promise;
      },
    },
    () => now,
  );
  const first = guarded.at(1, 1, SIGNAL);
  answers[0]?.reject(down);
  await assert.rejects(first, down);
  for (const end of [new Error('nobody waits'), null]) {
    now += 10_000;
    const leave = new AbortController();
    const probe = guarded.at(1, 1, leave.signal);
    await assert.rejects(guarded.at(2, 2, SIGNAL), down);
    if (end === null) answers.at(-1)?.resolve('there');
    else {
      leave.abort(end);
      answers.at(-1)?.reject(end);
    }
    assert.equal(await probe.catch((error: unknown) => error), end ?? 'there');
  }
  assert.equal(answers.length, 3);
  const both = [guarded.at(1, 1, SIGNAL), guarded.at(2, 2, SIGNAL)];
  for (const answer of answers) answer.resolve('there');
  assert.deepEqual(await Promise.all(both), ['there', 'there']);
});

it('a lookup that was given up, or met a broken file, does not stop the next', async () => {
  const faults = [new Error('nobody waits'), Object.assign(new Error('damaged'), { kind: 'damaged' })];
  const { asked, source } = failing(() => faults.shift() ?? null);
  const guarded = guardSource(source);
  await assert.rejects(guarded.at(1, 1, SIGNAL), /nobody/);
  await assert.rejects(guarded.at(1, 1, SIGNAL), /damaged/);
  assert.equal(await guarded.at(1, 1, SIGNAL), 'there');
  assert.equal(asked.length, 3);
});
