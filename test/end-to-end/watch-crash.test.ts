import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { arrived, openWatchSite } from './watch-site.ts';

/** Changes of the data, each with a kill at another moment of its run. More with WATCH_CRASHES. */
const ROUNDS = Number(process.env['WATCH_CRASHES'] ?? 4);

for (const engine of oneEngine())
  describe(`a watched collection whose processes are killed, on ${engine.name}`, { skip: engine.skip }, () => {
    it('reports each change once, whatever process begins, measures and ends its run', async () => {
      const database = await engine.create();
      try {
        await using site = await openWatchSite(database);
        // An embedded database has one process.
        const processes = database.databaseUrl === null ? 1 : 2;
        site.publish('none', '0');
        for (let i = 0; i < processes; i++) await site.start(true);
        const id = await site.measured();
        await site.json(`/collections/${id}/watch`, { method: 'POST' });
        await site.runs(id, 1);
        for (let round = 1; round <= ROUNDS; round++) {
          site.publish(round % 2 === 1 ? 'some' : 'none', String(round));
          // From before the run is begun to after it is reported.
          await new Promise((resolve) => setTimeout(resolve, (4_000 * (round - 1)) / ROUNDS));
          const killed = site.services.shift()!;
          await killed.stop('SIGKILL');
          await site.start(true);
          await site.runs(id, round + 1);
        }
        const runs = await site.runs(id, ROUNDS + 1);
        assert.deepEqual(
          runs.map(({ run, state }) => [run, state]),
          [...Array(ROUNDS).keys()].map((i) => [ROUNDS + 1 - i, 'changed']).concat([[1, 'unchanged']]),
        );
        const events = await arrived(site, ROUNDS);
        const ids = new Set(events.map((event) => event.id));
        const reported = new Set(events.map((event) => event.data.run));
        // A delivery whose answer was lost comes again with the same id.
        assert.deepEqual([ids.size, reported.size, (await site.mails()).length], [ROUNDS, ROUNDS, ROUNDS]);
      } finally {
        await database.drop();
      }
    });
  });
