import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { crashRounds } from './crash-rounds.ts';
import { timeRerun } from './time-rerun.ts';

const ROUNDS = Number(process.env['FIRSTMILE_CRASH_ROUNDS'] ?? 3);

for (const engine of oneEngine()) {
  describe(`a process killed at a random moment, on ${engine.name}`, { skip: engine.skip }, () => {
    it(`loses no acknowledged row and leaves no task stuck in ${ROUNDS} rounds`, async () => {
      const database = await engine.create();
      try {
        const report = await crashRounds(database, {
          rounds: ROUNDS,
          // The last round lets the process get to work, so that the test never passes on nothing at all.
          killAfterMs: (round) => (round === ROUNDS - 1 ? { fromFirstTask: 1_500 } : 200 + Math.random() * 3_500),
        });
        assert.deepEqual(report.lost, []);
        assert.equal(report.stuck, 0);
        assert.ok(report.acknowledged.tokens > 0 && report.acknowledged.tasks > 0, JSON.stringify(report));
        assert.ok(report.completed + report.failed >= report.acknowledged.tasks, JSON.stringify(report));
      } finally {
        await database.drop();
      }
    });

    // The promise, which leaves room for a busy machine: a lease is over after 8 s. bench/crash.ts measures how soon.
    it('has its task run again elsewhere within 30 s', async () => {
      const database = await engine.create();
      try {
        const tookMs = await timeRerun(database);
        assert.ok(tookMs < 30_000, `${tookMs} ms`);
      } finally {
        await database.drop();
      }
    });
  });
}
