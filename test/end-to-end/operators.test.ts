import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runService, shareSampleDistrict } from './run-service.ts';
import { runCommand } from './run-command.ts';

async function withFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-operators-'));
  try {
    await shareSampleDistrict(dataDir);
    await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
}

describe('the first start', () => {
  test('prints its token to people, and none where the output is a structured log', async () => {
    await withFolder(async (dataDir) => {
      await using service = await runService({ dataDir, firstStart: true, env: { LOG_FORMAT: 'json' } });
      const { out, err } = service.output();
      assert.doesNotMatch(out + err, /fm_[0-9A-Za-z]{33}/);
      assert.match(out, /token create makes one\. None is printed where output is kept as a structured log/);
      const made = await runCommand(['token', 'create', '--label', 'mine'], { DATA_DIR: dataDir });
      const token = /fm_[0-9A-Za-z]{33}/.exec(made.out)?.[0];
      const answer = await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 200);

      const removed = await runCommand(['user', 'remove', 'nobody@example.org'], { DATA_DIR: dataDir });
      assert.equal(removed.code, 2);
      assert.equal(
        (await runCommand(['user', 'add', 'ana@example.org', '--no-password'], { DATA_DIR: dataDir })).code,
        0,
      );
      const changed = await runCommand(
        ['user', 'add', 'ana@example.org', '--password-stdin'],
        { DATA_DIR: dataDir },
        'a new password of ana',
      );
      assert.equal(changed.code, 0, changed.err);
      const listed = await runCommand(['user', 'list'], { DATA_DIR: dataDir });
      assert.match(listed.out, /dev@localhost[\s\S]*ana@example\.org/);
      const gone = await runCommand(['user', 'remove', 'ana@example.org'], { DATA_DIR: dataDir });
      assert.equal(gone.code, 0, gone.err);
      const acts = await runCommand(['audit', 'list', '--json'], { DATA_DIR: dataDir });
      assert.deepEqual(
        (JSON.parse(acts.out) as { act: string; target: string; source: string }[]).map(({ act, target, source }) => [
          act,
          target,
          source,
        ]),
        [
          ['user_removed', 'ana@example.org', 'firstmile user remove'],
          ['password_changed', 'ana@example.org', 'firstmile user add'],
          ['user_added', 'ana@example.org', 'firstmile user add'],
          ['token_created', 'mine', 'firstmile token create'],
        ],
      );
      assert.ok(!acts.out.includes(String(token)));
    });
    await withFolder(async (dataDir) => {
      await using service = await runService({ dataDir, env: { LOG_FORMAT: 'text' } });
      const { out, err } = service.output();
      assert.match(out, /Token: +fm_[0-9A-Za-z]{33} +\(dev@localhost; shown only now\)/);
      assert.doesNotMatch(err, /fm_[0-9A-Za-z]{33}/);
    });
  });
});
