import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { runCommand } from './run-command.ts';
import { runService } from './run-service.ts';

const KEY = 'internal-key-of-the-test-of-user-give';

for (const engine of oneEngine())
  describe(`user give, on ${engine.name}`, { skip: engine.skip }, () => {
    test('gives the collections and tasks of one owner to another, once, and records it', async () => {
      const database = await engine.create();
      try {
        const env = {
          DATA_DIR: database.dataDir,
          ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
        };
        const command = (...words: string[]) => runCommand(words, env);
        await using service = await runService({ dataDir: database.dataDir, env: { ...env, INTERNAL_API_KEY: KEY } });
        const as =
          (user: string) =>
          async (path: string, init: RequestInit = {}) => {
            const headers = { 'x-internal-api-key': KEY, 'x-user-id': user };
            const answer = await fetch(`${service.url}${path}`, { ...init, headers });
            return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
          };
        const ana = as('auth0-ana');
        const form = new FormData();
        form.append('collection_name', 'lot 7');
        form.append('stats', 'false');
        form.append('file', new Blob(['id,lat,lon\na,4.590001,102.600001\n']), 'plots.csv');
        const begun = await ana('/batch_process', { method: 'POST', body: form });
        assert.equal(begun.status, 202, JSON.stringify(begun.body));
        const [collection, task] = [`/collections/${begun.body['collection_id']}`, `/tasks/${begun.body['task_id']}`];
        while ((await ana(collection)).body['status'] === 'processing')
          await new Promise((resolve) => setTimeout(resolve, 50));

        assert.equal((await command('user', 'add', 'ben@example.org', '--no-password')).code, 0);
        const same = await command('user', 'give', 'auth0-ana', 'auth0-ana');
        assert.deepEqual([same.code, /FROM and TO are the same/.test(same.err)], [2, true], same.err);
        const given = await command('user', 'give', 'auth0-ana', 'ben@example.org');
        assert.equal(given.code, 0, given.err);
        assert.match(given.err, /^1 collection and 1 task of auth0-ana belong to [0-9a-f-]{36} now\./);
        const ben = as(/belong to (\S+) now/.exec(given.err)![1]!);
        for (const path of [collection, task]) {
          assert.equal((await ben(path)).status, 200, path);
          assert.equal((await ana(path)).status, 404, path);
        }
        const again = await command('user', 'give', 'auth0-ana', 'ben@example.org');
        assert.deepEqual([again.code, again.err.startsWith('0 collections and 0 tasks')], [1, true], again.err);

        const back = await command('user', 'give', 'ben@example.org', 'auth0-ana');
        assert.equal(back.code, 0, back.err);
        assert.equal((await ana(collection)).status, 200);

        const acts = await command('audit', 'list', '--act', 'user_data_given', '--json');
        assert.deepEqual(
          (JSON.parse(acts.out) as { target: string; source: string; detail: { args: string[] } }[]).map(
            ({ target, source, detail }) => [target, source, detail.args],
          ),
          [
            ['ben@example.org', 'firstmile user give', ['ben@example.org', 'auth0-ana']],
            ['auth0-ana', 'firstmile user give', ['auth0-ana', 'ben@example.org']],
          ],
          'only what changed hands is recorded',
        );
      } finally {
        await database.drop();
      }
    });
  });
