import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../log.ts';
import { startTaskRunner } from './start-task-runner.ts';
import type { TaskQueue, TaskSignal } from './task-queue.ts';

describe('the task runner', () => {
  it('looks at the queue again at once when a signal comes while it looks', async ({ mock }) => {
    // Time stands still: only the signal can lead to another look.
    mock.timers.enable({ apis: ['setTimeout'] });
    const looks: PromiseWithResolvers<null>[] = [];
    let looked = Promise.withResolvers<void>();
    let signal: (signal: TaskSignal) => void = () => {};
    const queue = {
      claim: () => {
        const look = Promise.withResolvers<null>();
        looks.push(look);
        looked.resolve();
        return look.promise;
      },
      onSignal: (listener: (signal: TaskSignal) => void) => {
        signal = listener;
        return () => {};
      },
    } as unknown as TaskQueue;
    const runner = startTaskRunner({
      queue,
      kinds: ['collection'],
      concurrency: 1,
      threadEntry: new URL('file:///never-started.js'),
      threadData: {},
      maxRuntimeS: 60,
      log: createLog({ level: 'silent', json: true }),
    });
    await looked.promise;
    looked = Promise.withResolvers();
    signal({ type: 'waiting' });
    looks[0].resolve(null);
    await looked.promise;
    assert.equal(looks.length, 2);
    const stopped = runner.stop(0);
    looks[1].resolve(null);
    await stopped;
  });
});
