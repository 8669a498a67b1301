import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { keepRows } from './kept-rows.ts';

/** A clock, and a minute of it that passes when the test says so. */
function testTime() {
  let now = 0;
  const works: (() => void)[] = [];
  return {
    clock: () => now,
    repeat: (_: number, work: () => void) => {
      works.push(work);
      return () => void works.splice(works.indexOf(work), 1);
    },
    timers: () => works.length,
    pass(minutes: number): void {
      now += minutes * 60_000;
      for (const work of works) work();
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 1_000, 'it did not come true');
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('rows that are kept', () => {
  it('are removed an hour after they were last looked at, although nothing else is opened', async () => {
    const time = testTime();
    const kept = keepRows<string>(time);
    const open = () =>
      kept.open({ owner: 'a', version: 'a1', isThere: () => Promise.resolve(true) }, (folder) =>
        Promise.resolve(folder),
      );
    const folder = await open();
    time.pass(60);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(existsSync(folder), 'not before');
    assert.equal(await open(), folder);
    time.pass(60);
    assert.equal(await open(), folder);
    time.pass(61);
    await until(() => !existsSync(folder));
    const another = await open();
    assert.notEqual(another, folder);
    await kept.close();
    assert.deepEqual([existsSync(another), time.timers()], [false, 0]);
  });

  it('are removed within a minute when their owner is gone, and stay where that cannot be found out', async () => {
    const time = testTime();
    const kept = keepRows<string>(time);
    const there = { a: Promise.resolve(true), b: Promise.resolve(true) };
    const open = (owner: 'a' | 'b') =>
      kept.open({ owner, version: owner, isThere: () => there[owner] }, (folder) => Promise.resolve(folder));
    const [a, b] = [await open('a'), await open('b')];
    there.a = Promise.resolve(false);
    there.b = Promise.reject(new Error('the database cannot be reached'));
    time.pass(1);
    await until(() => !existsSync(a));
    assert.ok(existsSync(b));
    assert.equal(await open('b'), b);
    await kept.close();
  });
});
