import { Problem } from '../../src/errors.ts';
import { runTaskThread } from '../../src/jobs/run-task-thread.ts';
import type { TaskContext } from '../../src/jobs/task.ts';

/** The tasks that the contract of the runner works on. */
runTaskThread({
  /** Sends its input back. */
  async echo({ input, write, progress }) {
    let done = 0;
    for await (const bytes of input) {
      await write(bytes);
      progress((done += bytes.length), null);
    }
    return { resultType: 'application/octet-stream' };
  },

  /** Works for `params.ms` milliseconds in steps, reports them, and stops on request. */
  async steps({ params, progress, signal, write }) {
    const { ms } = params as { ms: number };
    const until = performance.now() + ms;
    for (let done = 0; performance.now() < until; done++) {
      signal.throwIfAborted();
      progress(done, 1_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await write(new TextEncoder().encode('finished'));
    return { resultType: 'text/plain' };
  },

  /** Computes without a pause and so never hears that it should stop. */
  async deaf() {
    for (;;);
  },

  /** Hears nothing either, and takes no processor time from what is tried next to it. */
  async stuck() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return { resultType: 'text/plain' };
  },

  async problem() {
    throw new Problem('invalid_geometry', 'wanted a ring that closes, got one that does not');
  },

  async bug() {
    return ((undefined as unknown as { secret: () => never }).secret(), { resultType: 'text/plain' });
  },

  /** Writes, then takes the thread down, until the attempt given in `params.until`. */
  async exits(context) {
    return dieUntil(context, () => process.exit(7));
  },

  /** Stages ten parts, two an attempt, and dies after each two; its parts are their input, and what joins them writes it. */
  async keeps({ stage, input, kept, write }) {
    if (stage.type === 'part') {
      const [bytes] = await Array.fromAsync(input);
      return { summary: { seq: stage.part.seq }, bytes: bytes! };
    }
    if (stage.type === 'join') {
      const all = await kept.list();
      for (const { seq } of all) await write(await kept.read(seq));
      return { resultType: 'text/plain', summary: all.map(({ summary }) => summary) };
    }
    const before = await kept.staged();
    for (let seq = before.length; seq < 10; seq++) {
      if (seq === before.length + 2) process.exit(9);
      const bytes = new TextEncoder().encode(`part ${seq} after ${before.length};`);
      await kept.stage({ seq, first: seq * 3, count: 3 }, bytes, false);
    }
    return { parts: 10, total: 30, phase: 'joining', cut: null };
  },

  /** Stages five parts, each after as many milliseconds as `params.ms`. */
  async keepsSlowly({ kept, params, signal }) {
    const { ms } = params as { ms: number };
    for (let seq = (await kept.staged()).length; seq < 5; seq++) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      signal.throwIfAborted();
      await kept.stage({ seq, first: seq, count: 1 }, new Uint8Array([seq]), false);
    }
    return { resultType: 'text/plain' };
  },

  async outOfMemory() {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 1_000_000 }, (_, index) => index + kept.length));
  },
});

async function dieUntil({ input, write }: TaskContext, die: () => never): Promise<{ resultType: string }> {
  for await (const bytes of input) await write(bytes);
  await write(new Uint8Array(600_000));
  await new Promise((resolve) => setTimeout(resolve, 100));
  return die();
}
