import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { type Client, createClient, FirstmileError } from '../../clients/typescript/client.ts';
import { browserSkip, findChromium } from '../console/browser.ts';
import { plotsAndMill } from './client-calls.ts';
import { installClient } from './install-client.ts';
import { isWholeRun } from '../property-runs.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);
const MAX_GZIPPED_BYTES = 15_000;
const MILL = {
  type: 'Feature',
  id: 'mill',
  geometry: { type: 'Point', coordinates: [102.6012, 4.6177] },
  properties: { facility_name: 'synthetic mill' },
} as const;

let service: RunningProcess;
let client: Client;
/** Where the examples of the documentation run, with the files that they read. */
let folder: string;
/** Two sites with an empty page, which the service allows the first of to call it. */
let sites: readonly Server[];
const originOf = (site: Server): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
before(async () => {
  sites = await Promise.all([0, 1].map(openSite));
  service = await runService({ env: { CORS_ORIGINS: originOf(sites[0]!) } });
  folder = await mkdtemp(join(tmpdir(), 'firstmile-clients-'));
  await writeFile(join(folder, 'mills.csv'), 'name,latitude,longitude,country\nSynthetic mill,4.6177,102.6012,MY\n');
  await writeFile(join(folder, 'mills.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [MILL] }));
  await writeFile(join(folder, 'plots.geojson'), await plotsAndMill().text());
  process.env['FIRSTMILE_URL'] = `${service.url}/`;
  process.env['FIRSTMILE_TOKEN'] = service.token;
  client = createClient();
});
after(async () => {
  // The last is set by Vite.
  for (const name of ['FIRSTMILE_URL', 'FIRSTMILE_TOKEN', 'NODE_ENV']) delete process.env[name];
  await service?.[Symbol.asyncDispose]();
  for (const site of sites) site.close().closeAllConnections();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

function openSite(): Promise<Server> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>page</title>');
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

describe('the TypeScript client', () => {
  it('rates places one after the other, as the service rates each', async () => {
    const rating = client.facilities.validate([MILL, { ...MILL, id: 'again' }], { commodity_type: 'palm' });
    const rated = await Array.fromAsync(rating);
    const one = await client.GET('/validate_facility', {
      query: { geometry: 'POINT(102.6012 4.6177)', commodity_type: 'palm', facility_name: 'synthetic mill' },
    });
    assert.deepEqual(
      rated.map(({ id, properties }) => [id, properties.confidence_score, properties.country_code]),
      ['mill', 'again'].map((id) => [id, one.features[0]!.properties.confidence_score, 'MY']),
    );
    assert.equal(rating.aggregate?.total_facilities, 2);
  });

  it('reads locations out of a table', async () => {
    const file = new File(['name,lat,lon,country\nMill,4.6177,102.6012,MY\n'], 'mills.csv');
    const [mill] = await Array.fromAsync(client.locations.validate(file, { location_type: 'facility' }));
    assert.deepEqual([mill?.properties.name, mill?.properties.country_code], ['Mill', 'MY']);
  });

  it('takes a file from upload to verdicts, and begins it once however often it is sent', async () => {
    const sent: number[] = [];
    const states: string[] = [];
    const options = {
      collection_name: 'lot 7',
      monitoring_end: '2024-12-31',
      idempotencyKey: 'lot 7, sent twice',
      onSent: (bytes: number, total: number): void => void sent.push(bytes / total),
      onTask: ({ status }: { status: string }): void => void states.push(status),
    };
    const file = new File([plotsAndMill()], 'lot7.geojson');
    const collection = await client.collections.run(file, options);
    assert.deepEqual([collection.status, collection.counts?.plots], ['completed', 2]);
    assert.equal(collection.file.name, 'lot7.geojson');
    assert.equal(sent.at(-1), 1);
    assert.equal(states.at(-1), 'completed');
    const again = await client.collections.run(file, options);
    assert.equal(again.collection_id, collection.collection_id);
    const found = client.collections.features(collection.collection_id, 'deforestation_check', { plots_only: true });
    const verdicts = await Array.fromAsync(found, ({ properties }) => properties.convergence_verdict);
    assert.equal(verdicts.length, 2);
    assert.ok(verdicts.every((verdict) => ['low', 'more_information_needed', 'high'].includes(String(verdict))));
    const table = await client.raw('GET', '/fetch_plots', {
      query: { filename: collection.collection_id },
      accept: 'text/csv',
    });
    assert.match(await table.text(), /^[\w,]+\r\n/);
  });

  it('calls every other operation by method and path', async () => {
    const scope = await client.GET('/eudr/scope', { query: { cn: '1801', country: 'GH' } });
    assert.equal(scope.in_scope, 'yes');
    const point = { type: 'Feature', geometry: { type: 'Point', coordinates: [102.61, 4.6] } } as const;
    const features = [{ ...point, geometry: { ...point.geometry, coordinates: [...point.geometry.coordinates] } }];
    const patches = await client.POST('/forest_polygon/lookup', { body: { features } });
    assert.equal('features' in patches && patches.features[0]?.geometry?.type, 'Polygon');
    const parcels = await client.GET('/cadastral/parcels/search', { query: { lon: 102.61, lat: 4.6 } });
    assert.equal(parcels.features.length, 1);
    const verified = client.POST('/webhooks/verify', { body: { body: '{}', signature: 't=1, v1=00' } });
    await assert.rejects(verified, { code: 'webhook_not_found' });
    const tasks = await client.GET('/tasks');
    const states = await Array.fromAsync(client.tasks.follow(tasks.tasks[0]!.task_id), ({ status }) => status);
    assert.deepEqual(states, ['completed']);
  });

  it('says what was refused, and why', async () => {
    const stranger = createClient({ token: 'a-wrong-token-0123456789abcdef012345' });
    await assert.rejects(stranger.GET('/principal'), { name: 'Unauthenticated', code: 'invalid_token', status: 401 });
    const upload = stranger.collections.run(new Blob(['x'.repeat(5_000_000)]), {
      collection_name: 'x',
      onSent: () => {},
    });
    await assert.rejects(upload, { name: 'Unauthenticated' });
    await assert.rejects(client.GET('/tasks/{task_id}', { path: { task_id: 'x' } }), { name: 'NotFound' });
    const empty = client.collections.run(new Blob(['']), { collection_name: 'x' });
    await assert.rejects(empty, (error) => error instanceof FirstmileError && error.name === 'InvalidRequest');
    assert.equal((await createClient({ token: null }).GET('/healthz')).status, 'ok');
  });
});

describe('the TypeScript client as one file', () => {
  let code: string;
  before(async () => {
    const [{ output }] = (await build({
      configFile: false,
      logLevel: 'error',
      build: {
        write: false,
        target: 'es2022',
        lib: { entry: join(ROOT, 'clients/typescript/client.ts'), formats: ['iife'], name: 'Firstmile' },
      },
    })) as [Rolldown.RolldownOutput];
    code = output[0].code;
  });

  it('is less than 15 kB, compressed', () => {
    const size = gzipSync(code).length;
    assert.ok(size < MAX_GZIPPED_BYTES, `${size} bytes`);
  });

  it('does the same in a browser, with the progress of uploads', { skip: browserSkip() }, async () => {
    const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${service.url}/console`);
      await page.evaluate(`${code}; globalThis.Firstmile = Firstmile`);
      const plots = await plotsAndMill().text();
      const seen = await page.evaluate(inBrowser, [service.token, plots, service.url] as const);
      assert.deepEqual(seen, SEEN_IN_BROWSER);
    } finally {
      await browser.close();
    }
  });

  it(
    'does the same in a page of another origin that is allowed, and nothing in one that is not',
    { skip: browserSkip() },
    async () => {
      const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        const plots = await plotsAndMill().text();
        await page.goto(originOf(sites[0]!));
        await page.evaluate(`${code}; globalThis.Firstmile = Firstmile`);
        const seen = await page.evaluate(inBrowser, [service.token, plots, service.url] as const);
        assert.deepEqual(seen, SEEN_IN_BROWSER);
        const read = `fetch(${JSON.stringify(`${service.url}/principal`)}, { headers: { authorization: 'Bearer ${service.token}' } })`;
        assert.match(await page.evaluate<string>(`${read}.then((answer) => answer.headers.get('x-request-id'))`), /./);
        await page.goto(originOf(sites[1]!));
        assert.equal(await page.evaluate<string>(`${read}.then(() => 'read', (error) => error.name)`), 'TypeError');
      } finally {
        await browser.close();
      }
    },
  );
});

const PYTHON = '/usr/bin/python3';

describe('the Python client', { skip: missing('httpx, hatchling, pip') }, () => {
  let python: string;
  before(async () => {
    const sources = join(folder, 'python');
    await cp(join(ROOT, 'clients/python'), sources, { recursive: true });
    await run(PYTHON, ['-m', 'hatchling', 'build', '-t', 'wheel'], { cwd: sources });
    // With the packages of the system for httpx and pip: nothing is fetched.
    await run(PYTHON, ['-m', 'venv', '--system-site-packages', '--without-pip', join(folder, 'environment')]);
    python = join(folder, 'environment/bin/python');
    const wheels = await readdir(join(sources, 'dist'));
    assert.deepEqual(wheels, [`firstmile-${await productVersion()}-py3-none-any.whl`]);
    const words = ['-m', 'pip', '--python', python, 'install', '--quiet', '--no-index', '--disable-pip-version-check'];
    await run(PYTHON, [...words, join(sources, 'dist', wheels[0]!)]);
  });

  for (const name of ['failures', 'messages', 'webhooks', 'service'])
    it(`holds tests/test_${name}.py`, async () => {
      const env = { ...process.env, FIRSTMILE_FILES: folder };
      await run(python, ['-W', 'error::ResourceWarning', join(ROOT, `clients/python/tests/test_${name}.py`)], {
        env,
        cwd: folder,
      }).catch((error: { stderr: string }) => assert.fail(error.stderr));
    });

  it('does what docs/clients.md says', { skip: missing('geopandas') }, async () => {
    await writeFile(join(folder, 'examples.py'), await examplesOf('python'));
    const { stdout } = await run(python, ['examples.py'], { cwd: folder }).catch((error: { stderr: string }) =>
      assert.fail(error.stderr),
    );
    for (const wanted of [...EXAMPLES, /^header_malformed$/m, /^mill\ncompleted$/m]) assert.match(stdout, wanted);
  });

  it(
    'runs the notebook from a list of mills to a map and verdicts',
    { skip: missing('nbclient, ipykernel, geopandas') },
    async () => {
      const target = join(folder, 'notebook');
      await cp(join(ROOT, 'examples/notebook'), target, { recursive: true });
      const notebook = join(target, 'mills-and-plots.ipynb');
      const { cells } = JSON.parse(await readFile(notebook, 'utf8')) as {
        cells: readonly { outputs?: readonly unknown[]; execution_count?: number | null }[];
      };
      // Outputs would be those of somebody's machine.
      assert.ok(
        cells.every(({ outputs = [], execution_count: count = null }) => outputs.length === 0 && count === null),
      );
      const [packages = ''] = globSync('lib/*/site-packages', { cwd: join(folder, 'environment') });
      const env = { ...process.env, PYTHONPATH: join(folder, 'environment', packages) };
      const words = [join(ROOT, 'test/end-to-end/run_notebook.py'), notebook];
      const { stdout } = await run(PYTHON, words, { env, maxBuffer: 1 << 26 }).catch((error: { stderr: string }) =>
        assert.fail(error.stderr),
      );
      const shown = JSON.parse(stdout) as readonly (string | Readonly<Record<string, string>>)[];
      const picture = shown.map((one) => (typeof one === 'string' ? '' : (one['image/svg+xml'] ?? ''))).join('');
      const count = (of: RegExp): number => [...picture.matchAll(of)].length;
      assert.deepEqual([count(/class="mill"/g), count(/class="plot"/g)], [4, 3]);
      assert.deepEqual(
        [...picture.matchAll(/>risk: ([\w ]+)</g)].map(([, verdict]) => verdict),
        ['low', 'high', 'more information needed'],
      );
      assert.deepEqual(picture.match(/https?:[^"]*/g), ['http://www.w3.org/2000/svg']);
      assert.match(shown.filter((one) => typeof one === 'string').join(''), /^commodity_presence +present/m);
    },
  );

  it('is typed, and says so', { skip: missing('mypy') }, async () => {
    const program = `import firstmile
client = firstmile.Client()
for mill in client.facilities.validate("mills.geojson", commodity_type="palm"):
    level: str = mill["properties"]["confidence_level"]
client.facilities.validate("mills.geojson", commodity="palm")
client.collections.features("c", "no such thing")
event: firstmile.WebhookEvent = firstmile.verify_webhook(b"", "", "")
`;
    await writeFile(join(folder, 'typed.py'), program);
    // What it is built on is checked with it in a whole run: that is most of the processor time.
    const alone = isWholeRun ? [] : ['--no-site-packages', '--ignore-missing-imports', '--no-warn-return-any'];
    const words = ['-m', 'mypy', '--cache-dir', join(folder, 'mypy'), ...alone, 'src', '../typed.py'];
    const { stdout } = await run(PYTHON, words, { cwd: join(folder, 'python') }).catch(
      (error: { stdout: string }) => error,
    );
    const found = [...stdout.matchAll(/^(.+): error: /gm)].map(([, place]) => place);
    assert.deepEqual(found, ['../typed.py:5', '../typed.py:6'], stdout);
    const installed = join(folder, 'environment/lib');
    assert.equal(globSync('*/site-packages/firstmile/py.typed', { cwd: installed }).length, 1);
  });
});

async function productVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** False, or why the tests that need modules of Debian's Python are skipped. With CI=true that is a failure. */
function missing(modules: string): string | false {
  if (spawnSync(PYTHON, ['-c', `import ${modules}`]).status === 0) return false;
  const line = `${PYTHON} cannot import ${modules}; Debian: apt-get install python3-httpx python3-hatchling python3-pip mypy python3-geopandas python3-nbclient python3-ipykernel`;
  if (process.env['CI'] === 'true') throw new Error(`CI=true and ${line}`);
  console.error(`SKIPPED: the Python client was not tried: ${line}`);
  return line;
}

describe('docs/clients.md', () => {
  it('has examples in TypeScript that are compiled and run as they stand', async () => {
    await installClient(folder);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    await writeFile(join(folder, 'examples.mts'), await examplesOf('ts'));
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const flags = ['--strict', '--target', 'esnext', '--module', 'nodenext', ...types];
    await run(tsc, [...flags, 'examples.mts'], { cwd: folder }).catch((error: { stdout: string }) =>
      assert.fail(error.stdout),
    );
    const { stdout } = await run(process.execPath, ['examples.mjs'], { cwd: folder });
    for (const wanted of EXAMPLES) assert.match(stdout, wanted);
  });
});

/** Among what the examples print. */
const EXAMPLES = [/^mill \w+ \d/m, /^Synthetic mill Malaysia/m, /^100 % sent$/m, /^yes /m, /^header_malformed$/m];

/** The examples of the page in a language as one program, in their order. */
async function examplesOf(language: string): Promise<string> {
  const page = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language);
  return blocks.map(([, , code]) => code).join('\n');
}

const SEEN_IN_BROWSER = { ids: ['mill'], status: 'completed', plots: 2, progress: 1, refused: 'Unauthenticated' };

/** Runs in a page, which calls the service at an address. */
async function inBrowser([token, plots, url]: readonly [token: string, plots: string, url: string]) {
  const { createClient } = (globalThis as unknown as { Firstmile: typeof import('../../clients/typescript/client.ts') })
    .Firstmile;
  const client = createClient({ token, url });
  const mill = { type: 'Feature', id: 'mill', geometry: { type: 'Point', coordinates: [102.6, 4.6] } } as const;
  const ids: unknown[] = [];
  for await (const { id } of client.facilities.validate([mill])) ids.push(id);
  let progress = 0;
  let seen = 0;
  const collection = await client.collections.run(new File([plots], 'plots.geojson'), {
    collection_name: 'from a browser',
    stats: false,
    onSent: (sent, total) => (progress = sent / total),
    onTask: () => seen++,
  });
  let counted = 0;
  for await (const _ of client.collections.features(collection.collection_id, 'plots', { plots_only: true })) counted++;
  const refused = await createClient({ token: 'wrong', url })
    .GET('/principal')
    .catch((error: Error) => error.name);
  return { ids, status: seen > 0 && collection.status, plots: counted, progress, refused };
}
