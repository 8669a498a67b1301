import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { testEngines } from '../contracts/engines.ts';
import { startTestBucket } from '../test-bucket.ts';
import { fillDataFolder } from './fill-data-folder.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { prepareCalls, readAnswer } from './prepare-calls.ts';
import { runCommand } from './run-command.ts';
import { ROOT, runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';
import { isSigned, type Received } from './webhooks/is-signed.ts';

const EMAIL = 'ana@example.org';
const PASSWORD = 'correct horse battery staple';
const SCOPES = 'validate,forest,collections,review,webhooks,traces,admin';
const MILL = 'POINT(102.6124 4.5821)';
const [, postgres] = testEngines();

const PASSING = /"(?:duration_ms|took_ms|elapsed_ms|last_used_at)":(?:null|[\d.]+|"[^"]*")/g;

type Call = (path: string, init?: RequestInit) => Promise<Response>;

it(
  'a service whose database, bucket and host are lost answers as before from its backup, which was made while it worked',
  { skip: postgres?.skip ?? true },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-lost-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const received: Received[] = [];
    const receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await textOf(request) });
      response.end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      receiver.close();
      receiver.closeAllConnections();
    });
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

    const place = async (name: string) => {
      const [database, bucket] = [await postgres.create(), await startTestBucket()];
      t.after(() => database.drop());
      t.after(() => bucket[Symbol.asyncDispose]());
      const dataDir = join(folder, name);
      await mkdir(dataDir);
      const env = {
        ...bucket.env,
        DATABASE_URL: database.databaseUrl!,
        DATA_DIR: dataDir,
        DATA_DIR_SHARED: 'off',
        SECRETS_KEY: `one:${Buffer.alloc(32, 7).toString('base64')}`,
        PUBLIC_RASTERS: 'off',
        RATE_LIMIT: 'off',
        WEBHOOK_ALLOW_LOCAL: 'on',
      };
      return { database, bucket, dataDir, env };
    };
    const run = async (words: readonly string[], env: Readonly<Record<string, string>>, input = '') => {
      const result = await runCommand(words, env, input);
      assert.equal(result.code, 0, `${words.join(' ')}: ${result.err}`);
      return result;
    };

    const lost = await place('lost');
    await shareSampleDistrict(lost.dataDir);
    await fillDataFolder(lost.dataDir, folder, (words) => run(words, lost.env));
    await run(['user', 'add', EMAIL, '--password-stdin'], lost.env, PASSWORD);
    const token = (await run(['token', 'create', '--user', EMAIL, '--scopes', SCOPES], lost.env)).out.trim();
    const callOn =
      (service: RunningProcess): Call =>
      (path, init = {}) =>
        service.fetch(path, {
          ...init,
          headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
        });

    const service = await runService({ ownProcess: true, dataDir: lost.dataDir, env: lost.env });
    t.after(() => service[Symbol.asyncDispose]());
    const call = callOn(service);
    const made = await prepareCalls(call, { receiver: hook, email: EMAIL, password: PASSWORD, delivery: '' });
    const { client_secret: secret } = await readAnswer<{ client_secret: string }>(
      await call('/webhooks/rotate?revoke_now=true', { method: 'POST' }),
    );
    const paths = [
      ...['plots', 'deforestation_check', 'biomass_emissions', 'biodiversity', 'supply_shed'].map(
        (name) => `/fetch_${name}?filename=${made.collection}`,
      ),
      `/export_eudr_dds?filename=${made.collection}`,
      `/collections/${made.collection}`,
      `/collections/${made.collection}/changes`,
      `/reviews/${made.collection}`,
      `/tasks/${made.task}/results`,
      `/webhooks/deliveries/${made.delivery}`,
      '/webhooks',
      '/tokens?include_revoked=true',
      '/datasets',
      `/validate_facility?geometry=${encodeURIComponent(MILL)}&commodity_type=palm&commodity_radius=400&facility_name=Kilang%20Contoh%20Bersama`,
    ];
    const before = await answersOf(call, paths);
    const named = [...before.values()].map(({ text }) => text).join('');
    for (const name of ['district-palm', 'own-mills', 'made-up']) assert.ok(named.includes(`"${name}`), name);

    // Uploads come and go while the backup is made.
    const over = new AbortController();
    const writing = keepWriting(call, over.signal);
    const path = join(folder, 'a.zip');
    const backup = await run(['backup', path], lost.env);
    over.abort();
    assert.ok((await writing) > 0);
    assert.match(backup.err, /Read back: every checksum agrees/);
    await service.stop('SIGKILL');
    await lost.bucket[Symbol.asyncDispose]();
    await lost.database.drop();
    await rm(lost.dataDir, { recursive: true, maxRetries: 5 });

    const found = await place('found');
    const { bucket, env, dataDir } = found;
    bucket.fault = (line) => (/^PUT .*\/blobs\//.test(line) ? 'hang' : null);
    assert.equal(
      await killedRestore(path, env, () => bucket.seen.some((line) => bucket.fault(line) !== null)),
      'SIGKILL',
    );
    bucket.fault = () => null;
    const restored = await run(['restore', path], env);
    assert.match(restored.out, /rows and \d+ files are restored into the database/);
    assert.match(restored.out, /files of .* are restored into .*files\/here/);
    const again = await runCommand(['restore', path], { ...env, DATA_DIR: join(folder, 'third') });
    assert.deepEqual([again.code, /is in use/.test(again.err)], [1, true], again.err);

    const wrong = { ...env, SECRETS_KEY: `two:${Buffer.alloc(32, 8).toString('base64')}` };
    await assert.rejects(runService({ dataDir, env: wrong }), /SECRETS_KEY/);
    await using next = await runService({ dataDir, env });
    const callNext = callOn(next);
    for (const [answered, { text, digest }] of await answersOf(callNext, paths)) {
      assert.equal(text, before.get(answered)?.text, answered);
      assert.equal(digest, before.get(answered)?.digest, answered);
    }
    // A file that was uploaded and not worked on yet is read from the new bucket.
    const { task_id: task } = await readAnswer<{ task_id: string }>(
      await callNext('/upload_plots', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ filename: made.staged }),
      }),
    );
    await completed(callNext, task);
    received.length = 0;
    await readAnswer(await callNext('/webhooks/test', { method: 'POST' }));
    assert.ok(isSigned(received[0], secret));
    assert.ok(!isSigned(received[0], `${secret.slice(0, -4)}AAA=`));
  },
);

/** Answers without how long they took and when a token was last used; archives byte for byte. */
async function answersOf(call: Call, paths: readonly string[]) {
  const answers = new Map<string, { readonly text: string; readonly digest: string }>();
  for (const path of paths) {
    const answer = await call(path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200, `${path}: ${bytes.toString('utf8').slice(0, 500)}`);
    const isText = !String(answer.headers.get('content-type')).includes('zip');
    const text = isText ? bytes.toString('utf8').replaceAll(PASSING, '""') : '';
    answers.set(path, { text, digest: isText ? '' : bytes.toString('base64') });
  }
  return answers;
}

/** Stages files and deletes all but the last; returns how many were staged. */
async function keepWriting(call: Call, signal: AbortSignal): Promise<number> {
  const plots = await madeUpPlots(20).text();
  for (let count = 0; ; count++) {
    if (signal.aborted) return count;
    const form = new FormData();
    form.set('collection_name', `written ${count}`);
    form.set('file', new Blob([plots]), 'plots.geojson');
    const answer = await call('/stage_plots', { method: 'POST', body: form });
    const { collection_id: id } = await readAnswer<{ collection_id: string }>(answer);
    if (count % 3 > 0) await call(`/collections/${id}`, { method: 'DELETE' });
  }
}

/** Kills a restore once something holds; the signal that it ended with. */
async function killedRestore(path: string, env: Readonly<Record<string, string>>, when: () => boolean) {
  const child = spawn(process.execPath, [join(ROOT, 'bin/firstmile.js'), 'restore', path], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  const looking = setInterval(() => when() && child.kill('SIGKILL'), 20);
  const [, signal] = (await ended) as [number | null, string | null];
  clearInterval(looking);
  return signal;
}

async function completed(call: Call, task: string): Promise<void> {
  for (let i = 0; i < 1_200; i++) {
    const { status } = await readAnswer<{ status: string }>(await call(`/tasks/${task}`));
    if (status === 'completed') return;
    assert.ok(status === 'queued' || status === 'running' || status === 'processing', status);
    await wait(50);
  }
  assert.fail(`${task} did not complete`);
}
