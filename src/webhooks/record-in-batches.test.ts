import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createLog } from '../log.ts';
import type { RecordedOutcome } from './delivery-queue.ts';
import { recordInBatches } from './record-in-batches.ts';

const log = createLog({ level: 'silent', json: true });
const never = new AbortController().signal;
const fault = (code: string) => Object.assign(new Error(code), { code });
const outcome = (id: string) => ({ delivery: { id } }) as unknown as RecordedOutcome;
const ids = (batch: readonly RecordedOutcome[]): string => batch.map(({ delivery }) => delivery.id).join();

/** Runs `work` with a clock that jumps whenever everything waits. */
async function withClock(work: () => Promise<unknown>): Promise<number> {
  mock.timers.enable({ apis: ['setTimeout'] });
  let passed = 0;
  const done = new AbortController();
  try {
    const working = work().finally(() => done.abort());
    while (!done.signal.aborted) {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      mock.timers.tick(50);
      passed += 50;
    }
    await working;
  } finally {
    mock.timers.reset();
  }
  return passed;
}

describe('recordInBatches', () => {
  it('writes together what comes together', async () => {
    const written: string[] = [];
    const recorder = recordInBatches(async (batch) => void written.push(ids(batch)), log, never);
    await withClock(() => Promise.all(['a', 'b', 'c'].map((id) => recorder.add(outcome(id)))));
    assert.deepEqual(written, ['a,b,c']);
  });

  for (const code of ['dependency_unavailable', '53100', '25006'])
    it(`tries as long as it takes when the database answers ${code}`, async () => {
      let tries = 0;
      const recorder = recordInBatches(
        async () => {
          if (++tries < 60) throw fault(code);
        },
        log,
        never,
      );
      const passed = await withClock(() => recorder.add(outcome('a')));
      assert.equal(tries, 60);
      assert.ok(passed > 55_000 && passed < 65_000, String(passed));
    });

  it('gives up one outcome that can never be written, and writes the others', async () => {
    const written: string[] = [];
    const recorder = recordInBatches(
      async (batch) => {
        if (ids(batch).includes('bad')) throw fault('22P02');
        written.push(ids(batch));
      },
      log,
      never,
    );
    await withClock(() => Promise.all(['a', 'bad', 'c'].map((id) => recorder.add(outcome(id)))));
    assert.deepEqual(written, ['a', 'c']);
  });

  it('tries nothing again once the process is to end', async () => {
    const ending = new AbortController();
    let tries = 0;
    const recorder = recordInBatches(
      async () => {
        if (++tries === 3) ending.abort();
        throw fault('dependency_unavailable');
      },
      log,
      ending.signal,
    );
    await withClock(() => recorder.add(outcome('a')));
    assert.equal(tries, 3);
  });
});
