import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '../log.ts';
import { openTaskThreads } from './task-threads.ts';

/** A thread that answers whatever it is sent. */
const ECHO =
  "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (m) => parentPort.postMessage(m));";
const ENTRY = new URL(`data:text/javascript,${encodeURIComponent(ECHO)}`);

describe('task threads', () => {
  it('end after a task where they hold more than they may from then on, and serve the next one where they do not', async () => {
    const ended: number[] = [];
    const gone = Promise.withResolvers<void>();
    const threads = openTaskThreads({
      entry: ENTRY,
      data: null,
      memoryMb: 64,
      log: createLog({ level: 'silent', json: true }),
      onEnd: (id) => (ended.push(id), gone.resolve()),
    });
    /** Lends a thread, has it answer, and gives it back. */
    const work = async (mostMb?: number): Promise<void> => {
      const answered = Promise.withResolvers<void>();
      const thread = threads.lend({
        onMessage: () => answered.resolve(),
        onExit: (why) => answered.reject(new Error(why)),
      });
      thread.post({ type: 'abort', run: 1, reason: 'nothing is at work' });
      await answered.promise;
      thread.release(mostMb);
    };
    await work();
    await work(1_000);
    await work(1_000);
    assert.deepEqual(ended, []);
    // No thread is as small as that.
    await work(1);
    await gone.promise;
    assert.equal(ended.length, 1);
    await work();
    await threads.close();
    assert.equal(ended.length, 2);
    assert.notEqual(ended[0], ended[1]);
  });
});
