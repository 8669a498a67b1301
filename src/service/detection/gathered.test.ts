import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gathered } from './gathered.ts';

it('posts what comes in one turn at once, in its order, and what comes later by itself', async () => {
  const posted: (readonly number[])[] = [];
  const send = gathered<number>((messages) => posted.push(messages));
  send(1);
  await Promise.resolve();
  send(2);
  assert.deepEqual(posted, []);
  await setImmediate();
  send(3);
  await setImmediate();
  assert.deepEqual(posted, [[1, 2], [3]]);
});
