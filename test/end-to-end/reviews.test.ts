import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { anyDatabase } from '../contracts/engines.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

describe('firstmile reviews', () => {
  it('records and lists while the service runs and while it does not', async () => {
    // Each command that finds no service opens the database, which takes a second of processor time where it is embedded.
    const { dataDir, databaseUrl, drop } = await anyDatabase();
    const env = { DATA_DIR: dataDir, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) };
    const run = (...words: string[]) => runCommand(['reviews', ...words], env);
    try {
      await shareSampleDistrict(dataDir);
      const file = join(dataDir, 'lot.geojson');
      await writeFile(file, Buffer.from(await madeUpPlots(6).arrayBuffer()));
      let id = '';
      {
        await using _service = await runService({ dataDir, env });
        const done = await runCommand(['batch', file, '--name', 'lot', '--wait', '--json'], env);
        assert.equal(done.code, 0, done.err);
        id = (JSON.parse(done.out) as { collection: { id: string } }).collection.id;
        const added = await run('add', id, '--rows', '0,3-4', '--state', 'accepted', '--note', 'Seen on the image.');
        assert.deepEqual([added.code, added.out], [0, '3 rows are accepted now.\n'], added.err);
        assert.match((await run('add', id, '--rows', '6', '--state', 'accepted')).err, /from 0 to 5/);
      }
      assert.equal((await run('add', id, '--rows', '3', '--state', 'open')).code, 0);
      const listed = await run('list', id, '--state', 'accepted');
      assert.deepEqual(
        listed.out.match(/^ +\d+ +accepted .+@.+ Seen on the image\.$/gm)?.map((line) => Number.parseInt(line, 10)),
        [0, 4],
      );
      assert.match(listed.err, /^4 open, 0 reviewed, 2 accepted, 0 rejected\.$/m);
      const history = JSON.parse((await run('list', id, '--row', '3', '--json')).out) as { state: string }[];
      assert.deepEqual(
        history.map(({ state }) => state),
        ['open', 'accepted'],
      );
      const acts = await runCommand(['audit', 'list', '--act', 'review_recorded', '--json'], env);
      assert.equal((JSON.parse(acts.out) as unknown[]).length, 2);
      for (const [words, wanted] of [
        [['add', id, '--rows', '0'], /--state: wanted/],
        [['add', id, '--rows', 'x', '--state', 'open'], /--rows: wanted/],
        [['list', id, '--state', 'good'], /--state: wanted/],
      ] as const) {
        const refused = await run(...words);
        assert.equal(refused.code, 2);
        assert.match(refused.err, wanted);
      }
    } finally {
      await drop();
    }
  });
});
