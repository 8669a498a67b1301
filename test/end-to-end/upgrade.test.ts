import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { oneEngine } from '../contracts/engines.ts';
import {
  loadRelease,
  unpackReleaseFolder,
  RELEASE,
  RELEASE_SECRETS_KEY,
  RELEASE_TOKEN,
} from '../upgrade/load-release.ts';
import { runCommand } from './run-command.ts';
import { runService } from './run-service.ts';

type Json = Readonly<Record<string, unknown>>;

const PATIENCE_MS = 120_000;

// The embedded database is opened by the folder below.
for (const engine of oneEngine()) {
  describe(`an upgrade from ${RELEASE} on ${engine.name}`, { skip: engine.skip }, () => {
    it('reads all of it, finishes what waited, and is backed up into a file that is whole', async (t) => {
      const release = await loadRelease(engine);
      t.after(() => release.drop());
      const env = {
        SECRETS_KEY: RELEASE_SECRETS_KEY,
        FIRSTMILE_TOKEN: RELEASE_TOKEN,
        WEBHOOK_ALLOW_LOCAL: 'on',
        PUBLIC_DATA: 'off',
        ...(release.databaseUrl && { DATABASE_URL: release.databaseUrl }),
      };
      await using service = await runService({ dataDir: release.dataDir, env });
      const headers = { authorization: `Bearer ${RELEASE_TOKEN}` };
      const get = async (path: string): Promise<Json> => {
        const response = await service.fetch(path, { headers });
        assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
        return (await response.json()) as Json;
      };
      const idOf = async (name: string): Promise<string> => {
        const { collections } = (await get('/get_collections')) as { collections: readonly Json[] };
        return String(collections.find((one) => one['collection_name'] === name)?.['collection_id']);
      };
      const [waiting, done] = [await idOf('Waiting'), await idOf('Lote de prueba')];
      // The batch that no process had begun is begun and completed by this release.
      const before = Date.now();
      for (;;) {
        const { status } = await get(`/collections/${waiting}`);
        if (status === 'completed') break;
        assert.ok(Date.now() - before < PATIENCE_MS, `the batch is ${String(status)}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      // Both hold the same plots, so what the older release made of them is read as what this one makes.
      for (const path of ['/fetch_plots', '/fetch_deforestation_check', '/fetch_biomass_emissions']) {
        const [older, newer] = await Promise.all(
          [done, waiting].map(async (id) => {
            const response = await service.fetch(`${path}?filename=${id}`, { headers });
            const lines = (await response.text()).trim().split('\n');
            return lines.map((line) => (JSON.parse(line) as { properties: Json }).properties['location_id']);
          }),
        );
        assert.deepEqual([path, older], [path, newer]);
        assert.ok(older.includes('A-1'), JSON.stringify(older));
      }

      // The sealed secret is opened: an attempt is signed with it.
      const webhook = await get('/webhooks');
      assert.match(JSON.stringify(webhook), /127\.0\.0\.1:9\/none/);
      const deliveries = await get('/webhooks/deliveries');
      assert.equal((deliveries['deliveries'] as readonly Json[]).length, 2);

      const folder = await mkdtemp(join(tmpdir(), 'firstmile-upgraded-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const settings = { ...env, DATA_DIR: release.dataDir };
      const users = await runCommand(['user', 'list'], settings);
      assert.match(users.out, /ana@example\.org/);
      const emails = await runCommand(['email', 'list', '--json'], settings);
      assert.equal(emails.code, 0, emails.err);
      const acts = await runCommand(['audit', 'list'], settings);
      assert.match(acts.out, /webhook_registered/);
      const path = join(folder, 'upgraded.zip');
      const backup = await runCommand(['backup', path], settings);
      assert.match(backup.err, /Read back: every checksum agrees\.\nNot in it: the sealing key \(SECRETS_KEY\)/);
      const check = await runCommand(['restore', path, '--check'], settings);
      assert.match(check.out, /is whole: \d+ tables with [\d,]+ rows and \d+ files/);
      const again = await runCommand(['restore', path], settings);
      assert.equal(again.code, 1);
      assert.match(again.err, /is in use/);
    });
  });
}

describe(`the data folder of ${RELEASE}`, () => {
  it('is opened with its database, packs, registries and models, and the key that sealed its secrets', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-upgraded-'));
    t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
    await unpackReleaseFolder(dataDir);
    const env = { FIRSTMILE_TOKEN: RELEASE_TOKEN, WEBHOOK_ALLOW_LOCAL: 'on', PUBLIC_DATA: 'off' };
    await using service = await runService({ dataDir, env });
    const headers = { authorization: `Bearer ${RELEASE_TOKEN}` };
    const get = async (path: string, method = 'GET'): Promise<string> => {
      const answer = await service.fetch(path, { method, headers });
      const body = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${body}`);
      return body;
    };

    const { collections } = JSON.parse(await get('/get_collections')) as { collections: readonly Json[] };
    assert.deepEqual(
      collections.map((one) => [one['collection_name'], one['status']]),
      [['Lote de prueba', 'completed']],
    );
    const plots = await get(`/fetch_plots?filename=${String(collections[0]?.['collection_id'])}`);
    assert.match(plots, /"location_id":"A-1"/);
    const datasets = await get('/datasets');
    for (const id of ['own-mills', 'made-up-roads', 'district-palm']) assert.ok(datasets.includes(`"${id}`), id);
    const road = `geometry=${encodeURIComponent('POINT(10.5 10.5004)')}&commodity_type=cocoa`;
    assert.match(await get(`/validate_facility?${road}`), /"made-up-roads/);
    const mill = `geometry=${encodeURIComponent('POINT(102.6124 4.5821)')}&commodity_type=palm&commodity_radius=400`;
    const answer = await get(`/validate_facility?${mill}&facility_name=Kilang%20Contoh%20Bersama`);
    for (const id of ['own-mills', 'district-palm']) assert.ok(answer.includes(`"${id}`), id);

    // Nobody listens there, which is found only with the secret at hand.
    const { attempt } = JSON.parse(await get('/webhooks/test', 'POST')) as { attempt: Json };
    assert.match(String(attempt['reason']), /ECONNREFUSED|refused|connect/i, JSON.stringify(attempt));
    assert.equal(await readFile(join(dataDir, 'packs/ports.pack'), 'utf8'), 'made up\n', 'what shipped is used');
    const settings = { DATA_DIR: dataDir };
    assert.match((await runCommand(['user', 'list'], settings)).out, /ana@example\.org/);
    const heads = await runCommand(['models', 'test'], settings);
    assert.equal(heads.code, 0, heads.err);
    const verified = await runCommand(['data', 'verify'], settings);
    assert.equal(verified.code, 0, verified.err);
  });
});
