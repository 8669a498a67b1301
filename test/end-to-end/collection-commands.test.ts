import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

interface Shown {
  readonly collection: { readonly id: string; readonly status: string; readonly counts: { readonly measured: number } };
  readonly task: { readonly id: string };
}

describe('firstmile batch and firstmile collections', () => {
  it('process, show and delete while the service runs on its embedded database, and the report goes by email', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-batch-'));
    try {
      await shareSampleDistrict(dataDir);
      const env = { DATA_DIR: dataDir };
      const file = join(dataDir, 'lot.geojson');
      await writeFile(file, Buffer.from(await madeUpPlots(60).arrayBuffer()));
      const alone = await runCommand(['batch', file], env);
      assert.equal(alone.code, 1);
      assert.match(alone.err, /start the service first/);

      await using service = await runService({ dataDir });
      const made = await runCommand(['token', 'create', '--label', 'test', '--scopes', 'collections'], env);
      const token = /fm_\w+/.exec(made.out)?.[0] ?? '';
      const words = ['--name', 'lot 7', '--commodity', 'palm', '--stats', '--validate-locations', '--eudr-dds'];
      const done = await runCommand(['batch', file, ...words, '--wait', '--json'], env);
      assert.equal(done.code, 0, done.err);
      const { collection, task } = JSON.parse(done.out) as Shown;
      assert.deepEqual([collection.status, collection.counts.measured], ['completed', 60]);

      const list = await runCommand(['collections', 'list'], env);
      assert.match(list.out, new RegExp(`^${collection.id} +completed +60: .* lot 7$`, 'm'));
      const groups = [...list.out.matchAll(/(\d+) (?:signs|not|none)/g)].map(([, count]) => Number(count));
      assert.equal(
        groups.reduce((sum, count) => sum + count, 0),
        60,
      );
      const shown = await runCommand(['collections', 'show', collection.id], env);
      assert.match(
        shown.out,
        /Locations +60: 60 plots, 0 facilities; of the plots 60 measured, 0 not; 0 locations with a problem/,
      );

      assert.equal((await runCommand(['queue'], env)).out, 'No task waits, runs or has failed.\n');

      const results = await fetch(`${service.url}/tasks/${task.id}/results`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(results.headers.get('content-type'), 'application/zip');
      const sha256 = createHash('sha256')
        .update(Buffer.from(await results.arrayBuffer()))
        .digest('hex');
      const emails = await runCommand(['email', 'list', '--json'], env);
      const [email] = JSON.parse(emails.out) as {
        readonly id: string;
        readonly to: string;
        readonly subject: string;
      }[];
      assert.deepEqual(
        [email?.to, email?.subject],
        ['dev@localhost', 'Draft of an EUDR due diligence statement: lot 7'],
      );
      const text = (await runCommand(['email', 'show', email!.id], env)).out;
      assert.ok(text.includes(`SHA-256 ${sha256}`), text);
      assert.ok(text.includes(`${service.url}/export_eudr_dds?filename=${collection.id}&`), text);
      assert.match(text, /File: +due-diligence-\S+\.zip \(\d+ bytes\)/);

      assert.equal((await runCommand(['collections', 'delete', collection.id], env)).code, 0);
      const gone = await runCommand(['collections', 'show', collection.id], env);
      assert.equal(gone.code, 1);
      assert.match(gone.err, /no collection with this id/);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('say what is wrong with what they were given', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-batch-'));
    try {
      const env = { DATA_DIR: dataDir };
      const late = await runCommand(['batch', 'x.csv', '--monitoring-start', '2022-01-01'], env);
      assert.deepEqual([late.code, /before the cut-off date 2020-12-31/.test(late.err)], [2, true], late.err);
      const limit = await runCommand(['collections', 'list', '--limit', '0'], env);
      assert.equal(limit.code, 2, limit.err);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
