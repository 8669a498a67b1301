import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type FairSlots, openFairSlots } from './fair-slots.ts';

const STAY = new AbortController().signal;

/** Asks for slots in this order and notes who begins. */
function crowd(slots: FairSlots) {
  const begun: string[] = [];
  const leaving = new Map<string, () => void>();
  return {
    begun,
    ask(user: string, name = user): void {
      void slots.take(user, STAY).then((leave) => {
        begun.push(name);
        leaving.set(name, leave);
      });
    },
    async end(name: string): Promise<void> {
      leaving.get(name)?.();
      await setImmediate();
    },
  };
}

describe('slots shared between users', () => {
  test('let a user who has nothing at work begin next to those who fill every slot', async () => {
    const { begun, ask } = crowd(openFairSlots({ slots: 2, maxWaiting: 100 }));
    for (let i = 1; i <= 5; i++) ask('heavy', `heavy ${i}`);
    ask('light');
    await setImmediate();
    assert.deepEqual(begun, ['heavy 1', 'heavy 2', 'light']);
  });

  test('never let more than one more begin', async () => {
    const { begun, ask, end } = crowd(openFairSlots({ slots: 1, maxWaiting: 100 }));
    for (const user of ['a', 'b', 'c']) ask(user);
    await setImmediate();
    assert.deepEqual(begun, ['a', 'b']);
    await end('a');
    assert.deepEqual(begun, ['a', 'b', 'c']);
  });

  test('go to the user with the least at work, then to the one served longest ago', async () => {
    const { begun, ask, end } = crowd(openFairSlots({ slots: 1, maxWaiting: 100 }));
    for (let i = 1; i <= 3; i++) ask('heavy', `heavy ${i}`);
    for (const user of ['b', 'c']) for (let i = 1; i <= 2; i++) ask(user, `${user} ${i}`);
    await setImmediate();
    for (let i = 0; i < 7; i++) await end(begun[i] ?? '');
    assert.deepEqual(begun, ['heavy 1', 'b 1', 'c 1', 'heavy 2', 'b 2', 'c 2', 'heavy 3']);
  });

  test('pass over those that have left, and give their reason', async () => {
    const slots = openFairSlots({ slots: 1, maxWaiting: 100 });
    const { begun, ask, end } = crowd(slots);
    const abort = new AbortController();
    ask('a', 'a 1');
    const waiting = slots.take('a', abort.signal);
    ask('a', 'a 3');
    abort.abort(new Error('gone'));
    await assert.rejects(waiting, /gone/);
    await setImmediate();
    await end('a 1');
    assert.deepEqual(begun, ['a 1', 'a 3']);
    assert.deepEqual(slots.status(), { working: 1, waiting: 0 });
  });

  test('refuse what is too much to wait, and everything once they are closed', async () => {
    const slots = openFairSlots({ slots: 1, maxWaiting: 1 });
    await slots.take('a', STAY);
    const second = slots.take('a', STAY);
    await assert.rejects(slots.take('a', STAY), { code: 'queue_full' });
    slots.close();
    await assert.rejects(second, { code: 'shutting_down' });
    await assert.rejects(slots.take('b', STAY), { code: 'shutting_down' });
  });
});
