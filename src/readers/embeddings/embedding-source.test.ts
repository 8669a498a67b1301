import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withinDeadline } from './embedding-source.ts';

const never = new AbortController().signal;

test('a job that never ends, and heeds no signal, is left at the deadline', async () => {
  const wanted = { name: 'ByteSourceError', kind: 'timeout', message: 'aef: no answer within 5 ms' };
  await assert.rejects(
    withinDeadline(5, 'aef', never, () => new Promise(() => {})),
    wanted,
  );
});

test('a job that heeds its signal fails as late, whatever it rejects with', async () => {
  const heeding = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  await assert.rejects(withinDeadline(5, 'aef', never, heeding), { kind: 'timeout' });
});

test('a caller who leaves gets the own reason, and the job of one who has left is not begun', async () => {
  const reason = new Error('the caller left');
  const leaving = new AbortController();
  const waiting = withinDeadline(60_000, 'aef', leaving.signal, () => new Promise(() => {}));
  leaving.abort(reason);
  await assert.rejects(waiting, reason);
  const job = (): Promise<never> => assert.fail('it was begun');
  await assert.rejects(withinDeadline(60_000, 'aef', leaving.signal, job), reason);
});

test('what a job gives or fails with in time is the answer', async () => {
  assert.equal(await withinDeadline(60_000, 'aef', never, async () => 7), 7);
  const failure = new Error('broken');
  await assert.rejects(
    withinDeadline(60_000, 'aef', never, async () => Promise.reject(failure)),
    failure,
  );
});
