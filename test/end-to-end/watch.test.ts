import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { runCommand } from './run-command.ts';
import { arrived, openWatchSite, type WatchSite } from './watch-site.ts';

for (const engine of oneEngine())
  describe(`a watched collection on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let site: WatchSite;
    let id: string;

    before(async () => {
      database = await engine.create();
      site = await openWatchSite(database);
      site.publish('none', '2024');
      await site.start();
      id = await site.measured();
    });
    after(async () => {
      await site?.[Symbol.asyncDispose]();
      await database?.drop();
    });

    const countsOf = async (finished: number) => {
      const [run] = await site.runs(id, finished);
      const { plots, unchanged, changed, not_measured: unmeasured } = run!.counts!;
      assert.equal(unchanged! + changed! + unmeasured!, plots);
      return [run!.state, changed, unmeasured];
    };

    it('is measured again at once, and nothing is reported where nothing changed', async () => {
      const { watch } = await site.json<{ watch: { collection_name: string } }>(`/collections/${id}/watch`, {
        method: 'POST',
      });
      assert.equal(watch.collection_name, 'lot 7');
      assert.deepEqual(await countsOf(1), ['unchanged', 0, 0]);
      assert.equal((await site.json<{ watches: unknown[] }>('/watches')).watches.length, 1);
      assert.deepEqual([site.events.length, (await site.mails()).length], [0, 0]);
    });

    it('is reported when a new version of a dataset changes what is found: once, by event and email, plot by plot', async () => {
      site.publish('some', '2025');
      assert.deepEqual(await countsOf(2), ['changed', 1, 0]);
      const [event] = await arrived(site, 1);
      const { data } = event!;
      assert.deepEqual(
        [data.collection_id, data.run, data.outcome, data.datasets],
        [id, 2, 'changed', [{ dataset: 'loss', before: '2024', after: '2025' }]],
      );
      const [change] = data.changes;
      assert.deepEqual([change!.plot, change!.direction, change!.before.loss_m2], ['p1', 'worse', 0]);
      assert.ok(change!.after.loss_m2! > 100_000 && change!.after.rules.length > 0, JSON.stringify(change));
      assert.ok(data.url.endsWith(`/collections/${id}/watch/runs/2`));
      const run = await site.json<{ changes: unknown; counts: Record<string, number> }>(new URL(data.url).pathname);
      assert.deepEqual([run.changes, run.counts['worse']], [data.changes, 1]);
      assert.deepEqual(await site.mails(), ['Changed: lot 7']);
      const verdicts = await (await site.call(`/fetch_deforestation_check?filename=${id}`)).text();
      assert.equal(verdicts.match(/"eudr_status":"deforestation_found"/g)?.length, 1);
    });

    it('is recorded and not reported when a new version finds the same', async () => {
      site.publish('some', '2025b');
      assert.deepEqual(await countsOf(3), ['unchanged', 0, 0]);
      assert.deepEqual([site.events.length, (await site.mails()).length], [1, 1]);
    });

    it('says once that it could not be measured when a dataset fails, which is neither better nor worse', async () => {
      site.publish('missing', '2026');
      assert.deepEqual(await countsOf(4), ['not_measured', 0, 3]);
      const [, event] = await arrived(site, 2);
      const { data } = event!;
      assert.deepEqual([data.outcome, data.changes.length, data.not_measured.length], ['not_measured', 0, 3]);
      assert.match(data.not_measured[0]!.reasons.join(), /loss/);
      site.publish('missing', '2026b');
      assert.deepEqual(await countsOf(5), ['not_measured', 0, 3]);
      const { watch } = await site.json<{ watch: { again_at: string | null } }>(`/collections/${id}/watch`);
      assert.notEqual(watch.again_at, null);
      site.publish('some', '2026c');
      assert.deepEqual(await countsOf(6), ['unchanged', 0, 0]);
      assert.deepEqual(await site.mails(), ['Could not be measured: lot 7', 'Changed: lot 7']);
      assert.equal(site.events.length, 2);
    });

    it('is measured again when a new layer of alerts arrives', async () => {
      site.publish('some', '2026c', true);
      assert.deepEqual(await countsOf(7), ['changed', 1, 0]);
      const event = (await arrived(site, 3))[2]!;
      assert.deepEqual(event.data.datasets, [{ dataset: 'alerts', before: null, after: '2026c' }]);
      // The second plot is as grave as it can be already.
      const [change] = event.data.changes;
      assert.deepEqual([change!.plot, change!.before.loss_m2, change!.after.loss_m2], ['p0', 0, 0]);
      assert.notDeepEqual(change!.before.rules, change!.after.rules);
    });

    it('is shown and given up on the command line, and shows its runs afterwards', async () => {
      const command = (...words: string[]) => runCommand(words, site.env);
      const listed = await command('collections', 'watched', '--user', 'ada');
      assert.match(
        listed.out,
        new RegExp(`^${id}\\n[^]*changed +1\\n +new +0\\n +not measured +0\\n +name +lot 7$`, 'm'),
        listed.err,
      );
      const runs = await command('collections', 'watched', id, '--user', 'ada');
      assert.match(runs.out, /is watched since/);
      assert.match(runs.out, /^ +7 +\S+ +changed +1 .*alerts new\n.*-> 2026c$/m);
      const run = await command('collections', 'watched', id, '--run', '2', '--user', 'ada');
      assert.match(run.out, /^p1 +worse +.* 0\.00 +.* 1[01]\.\d+\n +ha lost, .* ha lost, /m);
      const again = await command('collections', 'watch', id, '--user', 'ada');
      assert.equal(again.code, 0, again.err);
      const stopped = await command('collections', 'watch', id, '--stop', '--user', 'ada');
      assert.match(stopped.out, /is not watched any more/);
      const { watch, runs: kept } = await site.json<{ watch: null; runs: unknown[] }>(`/collections/${id}/watch`);
      assert.deepEqual([watch, kept.length], [null, 7]);
      await site.json(`/collections/${id}/watch`, { method: 'DELETE' }, 404);
      await site.json(`/collections/${id}/watch/runs/99`, {}, 404);
      await site.json(`/collections/${crypto.randomUUID()}/watch`, { method: 'POST' }, 404);
    });
  });
