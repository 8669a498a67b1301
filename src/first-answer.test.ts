import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstAnswer, firstAnswerOrFailure, type SourceFailure } from './first-answer.ts';

type Reply = string | null | Error;
const now = (reply: Reply): string | null => {
  if (reply instanceof Error) throw reply;
  return reply;
};
const later = async (reply: Reply): Promise<string | null> => {
  await Promise.resolve();
  return now(reply);
};
const broken = new Error('broken');

describe('firstAnswer', () => {
  it('answers at once when its sources do, without a promise', () => {
    assert.equal(firstAnswer([null, 'b', 'c'], now), 'b');
    assert.equal(firstAnswer([null], now), null);
    assert.equal(firstAnswer([], now), null);
  });

  it('queries no source after the one that answers', async () => {
    const queried: number[] = [];
    const query = (reply: Reply, i: number) => (queried.push(i), i === 1 ? later(reply) : now(reply));
    assert.equal(await firstAnswer([null, null, 'c', 'd'], query), 'c');
    assert.deepEqual(queried, [0, 1, 2]);
  });

  it('ends at the first failure unless failures are collected', async () => {
    assert.throws(() => firstAnswer([broken, 'b'], now), broken);
    await assert.rejects(async () => await firstAnswer([null, broken, 'c'], later), broken);
    for (const query of [now, later]) {
      const failures: SourceFailure<Reply>[] = [];
      assert.equal(await firstAnswer([broken, null, 'c'], query, { failures }), 'c');
      assert.deepEqual(failures, [{ source: broken, error: broken }]);
    }
  });

  it('ends at a failure after its signal was aborted', async () => {
    const stop = new AbortController();
    const failures: SourceFailure<Reply>[] = [];
    const options = { failures, signal: stop.signal };
    const answer = firstAnswer([broken, 'b'], later, options);
    stop.abort();
    await assert.rejects(async () => await answer, broken);
    assert.deepEqual(failures, []);
  });
});

describe('firstAnswerOrFailure', () => {
  it('throws the first failure only when no source answers', async () => {
    for (const query of [now, later]) {
      assert.equal(await firstAnswerOrFailure([broken, 'b'], query), 'b');
      await assert.rejects(async () => await firstAnswerOrFailure([null, broken, new Error('second')], query), broken);
      assert.equal(await firstAnswerOrFailure([null, null], query), null);
    }
  });

  it('notes the first failure on the answer of a later source', async () => {
    const note = (answer: string, failure: SourceFailure<Reply>) => `${answer} (${(failure.error as Error).message})`;
    for (const query of [now, later]) {
      assert.equal(await firstAnswerOrFailure([broken, new Error('second'), 'c'], query, { note }), 'c (broken)');
      assert.equal(await firstAnswerOrFailure([null, 'b'], query, { note }), 'b');
    }
  });
});
