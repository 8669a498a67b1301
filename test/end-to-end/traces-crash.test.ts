import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testEngines } from '../contracts/engines.ts';
import { runs } from '../property-runs.ts';
import { TRACES_CRASH_POINTS, tracesCrashRounds } from './traces-crash-rounds.ts';

describe('a submission to the information system', () => {
  const engines = testEngines().filter(({ skip }) => skip === false);
  // Every day one engine is enough: the way is the same, and every kill waits until a lost message cannot arrive.
  for (const engine of runs(2, 1) === 2 ? engines : engines.slice(-1))
    it(`is filed once, wherever its process is killed (${engine.name})`, async () => {
      const database = await engine.create();
      try {
        const rows = await tracesCrashRounds(database, TRACES_CRASH_POINTS, runs(25, 1));
        assert.deepEqual(
          rows.map(({ point, lost, doubles, faults }) => ({ point, lost, doubles, faults })),
          TRACES_CRASH_POINTS.map((point) => ({ point, lost: 0, doubles: 0, faults: [] })),
        );
      } finally {
        await database.drop();
      }
    });
});
