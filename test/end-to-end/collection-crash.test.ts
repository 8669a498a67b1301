import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { isLongRun } from '../property-runs.ts';
import { collectionCrash } from './collection-crash.ts';

/** 100,000 with more kills are bench/collection-crash.ts. */
const PLOTS = 1_000;
const MOST_KILLS = isLongRun ? 2 : 1;
/** A fast machine is done before it could be killed more often. */
const LEAST_KILLS = 1;

for (const engine of oneEngine()) {
  describe(
    `a batch whose process is killed up to ${MOST_KILLS} times, on ${engine.name}`,
    { skip: engine.skip },
    () => {
      it('goes on where it was, and has every location once', async () => {
        const database = await engine.create();
        try {
          const report = await collectionCrash(database, {
            plots: PLOTS,
            kills: MOST_KILLS,
            killAt: (_, kept) => kept + 1,
          });
          assert.equal(report.wrong, 0, JSON.stringify(report));
          assert.deepEqual([report.records, report.measured, report.events], [PLOTS, PLOTS, 1], JSON.stringify(report));
          assert.equal(report.writtenAgain, 0, JSON.stringify(report));
          assert.ok(report.kills >= LEAST_KILLS, JSON.stringify(report));
          assert.ok(report.keptAtKills[0]! > 0, JSON.stringify(report));
        } finally {
          await database.drop();
        }
      });
    },
  );
}
