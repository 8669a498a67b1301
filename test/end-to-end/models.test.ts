import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { codesOf, MODEL_FOLDER, testVectors } from '../detection-heads.ts';
import { oneEngine } from '../contracts/engines.ts';
import { catalogueOf, MADE_UP_PLACE, writeEmbeddings } from '../made-up-embeddings.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

const ARCHIVES = join(SHARED_DATA, MODEL_FOLDER);

describe('the commands models install, list and test', needsSharedData(MODEL_FOLDER), async () => {
  let dataDir = '';
  let mirror: Server;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-models-'));
    await shareSampleDistrict(dataDir);
    mirror = createServer((request, response) => void serve(request.url ?? '', request.headers.range, response));
    await new Promise<void>((resolve) => void mirror.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    mirror.closeAllConnections();
    mirror.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const run = (...args: string[]) => runCommand(['models', ...args], { DATA_DIR: dataDir });

  it('say what to do while nothing is installed', async () => {
    const listed = await run('list');
    assert.equal(listed.code, 0);
    assert.match(listed.err, /There is no model in .*models install fdp-2026a/);
    const tested = await run('test');
    assert.equal(tested.code, 0, tested.err);
    assert.match(tested.err, /No model is installed .*; the head of the service is tested/);
    assert.match(tested.out, /firstmile-built-up +256 +0 +0 .*passed/);
    const unknown = await run('install', 'fdp-1999');
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /no model "fdp-1999"; there are: fdp-2025b/);
  });

  it('install from a mirror by HTTP, list with licence and credit, and pass the test vectors', async () => {
    const { port } = mirror.address() as AddressInfo;
    const installed = await run('install', 'fdp-2025b', '--from', `http://127.0.0.1:${port}/fdp/`);
    assert.equal(installed.code, 0, installed.err);
    assert.match(installed.err, /Installed fdp-2025b \(MIT\)\. Produced by Google for the Forest Data Partnership/);
    const heads = JSON.parse((await run('list', '--json')).out) as { id: string; threshold: number; from: string }[];
    assert.deepEqual(
      heads.map(({ id, threshold }) => [id, threshold]),
      [
        ['fdp-2025b-cocoa', 0.5],
        ['fdp-2025b-coffee', 0.28],
        ['fdp-2025b-palm', 0.66],
        ['fdp-2025b-rubber', 0.35],
      ],
    );
    assert.ok(heads.every(({ from }) => from.startsWith('https://')));
    const tested = await run('test', '--vectors', join(ARCHIVES, 'test_vectors.json'));
    assert.equal(tested.code, 0, tested.err);
    assert.equal(tested.out.match(/ 262 .*passed$/gm)?.length, 4, tested.out);
    assert.match(tested.err, /24 pixels were compared with what the original model gave/);
    const alone = await run('test');
    assert.equal(alone.code, 0, alone.err);
    assert.equal(alone.out.match(/^fdp-2025b-\w+ +256 +64 +0 .*passed$/gm)?.length, 4, alone.out);
    assert.match(alone.err, /nothing was compared with the original model; give its output with --vectors FILE/);
    const listed = await runCommand(['data', 'list', '--json'], { DATA_DIR: dataDir });
    const datasets = JSON.parse(listed.out) as { id: string; role: string; attribution: string }[];
    assert.equal(datasets.filter(({ role }) => role === 'commodity-model').length, 4);
    assert.equal(datasets.find(({ role }) => role === 'plantation-mask')?.id, 'fdp-2025b');
    assert.doesNotMatch(listed.err, /nothing reads datasets of this kind/);
  });

  it('notice a head whose file is damaged, and vectors that it does not give', async () => {
    const path = join(dataDir, 'models', 'fdp-2025b-palm.head');
    const whole = await readFile(path);
    const broken = Uint8Array.from(whole);
    broken[broken.length >> 1] ^= 1;
    await writeFile(path, broken);
    const tested = await run('test');
    assert.equal(tested.code, 1);
    assert.match(tested.err, /fdp-2025b-palm\.head: damaged: wanted checksum .*install the model again/);
    await writeFile(path, whole);
    const vectors = join(dataDir, 'vectors.json');
    await writeFile(vectors, JSON.stringify({ palm: [{ x: Array.from({ length: 64 }, () => 0.1), calibrated: 0.9 }] }));
    const wrong = await run('test', '--vectors', vectors);
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /fdp-2025b-palm +257 .*FAILED/);
  });

  it('leave what is installed when a mirror holds something else', async () => {
    const { port } = mirror.address() as AddressInfo;
    const refused = await run('install', 'fdp-2025b', '--from', `http://127.0.0.1:${port}/wrong`);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /wanted the published archive \(SHA-256 2b9b/);
    assert.equal((await run('test')).code, 0);
    const absent = await run('install', 'fdp-2025b', '--from', join(dataDir, 'nowhere'));
    assert.equal(absent.code, 1);
    assert.match(absent.err, /ENOENT.*palm_k2pgj00ctino4_2025b\.zip/);
  });

  for (const engine of oneEngine())
    it(
      `measure commodities of a running service, at once and as a task, on ${engine.name}`,
      { skip: engine.skip },
      async () => {
        const database = await engine.create();
        try {
          const [palm, , , other] = testVectors()['palm'].map(({ x }) => codesOf(x));
          const dataset = await writeEmbeddings(join(dataDir, 'own'), (column) => (column % 10 === 0 ? palm : other));
          const catalogue = join(dataDir, 'catalogue.json');
          await writeFile(catalogue, catalogueOf(dataset));
          const engineEnv = database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl };
          // On a busy machine an indicator must not be unknown for its slowness.
          const env = { CATALOGUE: catalogue, SAMPLE_DISTRICT: 'off', CHECK_TIMEOUT_MS: '60000', ...engineEnv };
          await using service = await runService({ dataDir, env });
          const answers: Record<string, string> = {};
          for (const commodity of ['palm', 'rubber', 'soy', 'tea']) {
            const feature = {
              type: 'Feature',
              geometry: { type: 'Point', coordinates: MADE_UP_PLACE },
              properties: {},
            };
            const form = (): FormData => {
              const body = new FormData();
              body.set('commodity_type', commodity);
              body.set('commodity_radius', '1000');
              body.set(
                'file',
                new Blob([JSON.stringify({ type: 'FeatureCollection', features: [feature] })]),
                'a.geojson',
              );
              return body;
            };
            const atOnce = await service.fetch('/validate_facilities', { method: 'POST', body: form() });
            answers[commodity] = await atOnce.text();
            const accepted = await service.fetch('/validate_facilities?async_mode=true', {
              method: 'POST',
              body: form(),
            });
            const { poll_url, results_url } = (await accepted.json()) as { poll_url: string; results_url: string };
            while (((await (await service.fetch(poll_url)).json()) as { status: string }).status !== 'completed')
              await setTimeout(50);
            assert.equal(await (await service.fetch(results_url)).text(), answers[commodity]);
          }
          const found = Object.entries(answers).map(([commodity, text]) => {
            const { features } = JSON.parse(text) as { features: { properties: Record<string, unknown> }[] };
            const evidence = features[0].properties['evidence'] as Record<string, unknown>[];
            const {
              status,
              value,
              dataset: id,
            } = evidence.find(({ indicator }) => indicator === 'commodity_presence') ?? {};
            return [commodity, status, value, id];
          });
          assert.deepEqual(found, [
            ['palm', 'present', 1, 'fdp-2025b-palm'],
            ['rubber', 'absent', 0, 'fdp-2025b-rubber'],
            ['soy', 'absent', 0, 'osm-countries-land'],
            ['tea', 'present', 1, 'fdp-2025b'],
          ]);
          assert.match(answers['palm'], /"licence":"MIT"/);
          assert.match(answers['tea'], /a generic plantation mask \(fdp-2025b\) was used instead/);
        } finally {
          await database.drop();
        }
      },
    );

  it('install themselves when a running service first needs one, and the first answer has it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-models-auto-'));
    try {
      const [palm, , , other] = testVectors()['palm'].map(({ x }) => codesOf(x));
      const dataset = await writeEmbeddings(join(folder, 'own'), (column) => (column % 10 === 0 ? palm : other));
      const catalogue = join(folder, 'catalogue.json');
      await writeFile(catalogue, catalogueOf(dataset));
      const { port } = mirror.address() as AddressInfo;
      const modelsUrl = `http://127.0.0.1:${port}/fdp`;
      // An answer waits half a check's time for the model: here the longest there is, and nothing else outside is waited for.
      const waits = { AUTO_DATA: 'on', PUBLIC_DATA: 'off', MODELS_URL: modelsUrl, CHECK_TIMEOUT_MS: '120000' };
      const env = { CATALOGUE: catalogue, SAMPLE_DISTRICT: 'off', ...waits };
      await using service = await runService({ dataDir: join(folder, 'data'), env });
      const geometry = { type: 'Point', coordinates: MADE_UP_PLACE };
      const ask = async (inTask: boolean): Promise<string> => {
        const body = new FormData();
        body.set('commodity_type', inTask ? 'rubber' : 'palm');
        body.set('commodity_radius', '1000');
        body.set('file', new Blob([JSON.stringify({ type: 'Feature', geometry, properties: {} })]), 'a.geojson');
        const path = `/validate_facilities?async_mode=${inTask}`;
        const answer = await service.fetch(path, { method: 'POST', body });
        if (!inTask) return await answer.text();
        const { poll_url, results_url } = (await answer.json()) as { poll_url: string; results_url: string };
        while (((await (await service.fetch(poll_url)).json()) as { status: string }).status !== 'completed')
          await setTimeout(50);
        return await (await service.fetch(results_url)).text();
      };
      assert.match(await ask(false), /"id":"fdp-2026a-palm","version":"2026a",[^}]*"licence":"MIT"/);
      assert.match(await ask(true), /"id":"fdp-2026a-rubber","version":"2026a",[^}]*"licence":"MIT"/);
      const { out, err } = service.output();
      const line = (out + err).split('\n').find((text) => text.includes('a detection model was installed')) ?? '';
      assert.match(line, /"bytes":3575824,"licence":"MIT".*"sha256":"2b9ba965/);
      const listed = await (await service.fetch('/datasets')).text();
      assert.match(listed, /"id":"fdp-2026a-palm"[^}]*"version":"2026a"[^}]*"licence":"MIT"/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  async function serve(url: string, range: string | undefined, response: ServerResponse): Promise<void> {
    const bytes = url.startsWith('/wrong') ? Buffer.alloc(1000) : await readFile(join(ARCHIVES, archiveAt(url)));
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const [from, to] = [Number(first ?? 0), Math.min(bytes.length - 1, Number(last || bytes.length - 1))];
    const headers = { 'accept-ranges': 'bytes', etag: '"1"', 'content-length': to - from + 1 };
    if (first === undefined) response.writeHead(200, headers);
    else response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${to}/${bytes.length}` });
    response.end(bytes.subarray(from, to + 1));
  }
});

/** The archives of the newest generation could not be had: those of the one before stand in for them. */
function archiveAt(url: string): string {
  const [name = ''] = /(palm|rubber)(?=_2026a\.zip$)/.exec(url) ?? [];
  return { palm: 'palm_k2pgj00ctino4_2025b.zip', rubber: 'rubber_u1mukwfh935e2_2025b.zip' }[name] ?? basename(url);
}
