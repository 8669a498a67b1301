import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { SCOPES, type Scope } from '../auth/scopes.ts';
import { peerCommand, peerSkip } from '../../test/end-to-end/peers.ts';
import { testServer } from '../../test/memory/test-server.ts';
import { serviceLimits } from '../app/limits.ts';
import { readConfig } from '../config/settings.ts';
import { Problem } from '../errors.ts';
import type { DatasetInfo } from '../service/datasets/catalogue.ts';
import type { ReadinessCheck } from './server/server-deps.ts';

describe('/readyz', () => {
  const good: ReadinessCheck = { name: 'database', check: async () => {} };

  it('is 200 when every check passes', async () => {
    await using server = testServer({ readiness: [good] });
    assert.deepEqual((await server.app.inject('/readyz')).json(), { status: 'ready', checks: ['database'], notes: [] });
  });

  it('is a 503 problem that names what fails, without the words of the error', async () => {
    const checks: ReadinessCheck[] = [
      good,
      {
        name: 'disk',
        check: async () => Promise.reject(new Problem('dependency_unavailable', 'The disk has 3 MB left; wanted 100.')),
      },
      { name: 'task runner', check: async () => Promise.reject(new Error('postgres://user:hunter2@db')) },
    ];
    await using server = testServer({ readiness: checks });
    const answer = await server.app.inject('/readyz');
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.headers['retry-after'], '5');
    const { errors } = answer.json<{ errors: { code: string; detail: string }[] }>();
    assert.deepEqual(
      errors.map(({ code, detail }) => `${code}: ${detail}`),
      ['disk: The disk has 3 MB left; wanted 100.', 'task runner: The task runner is not available.'],
    );
    assert.doesNotMatch(answer.body, /hunter2/);
    assert.equal((await server.app.inject('/healthz')).statusCode, 200);
  });

  it('queries once for requests of the same second', async () => {
    let now = 0;
    let asked = 0;
    await using server = testServer({ clock: () => now, readiness: [{ name: 'x', check: async () => void asked++ }] });
    await Promise.all(Array.from({ length: 20 }, () => server.app.inject('/readyz')));
    assert.equal(asked, 1);
    now += 1000;
    await server.app.inject('/readyz');
    assert.equal(asked, 2);
  });

  it('does not wait for ever for a check that hangs', async () => {
    await using server = testServer({ readiness: [{ name: 'database', check: () => new Promise(() => {}) }] });
    assert.match((await server.app.inject('/readyz')).body, /did not answer within 2000 ms/);
  });
});

describe('/limits and /datasets', () => {
  it('show what is in force', async () => {
    await using server = testServer({}, { RATE_LIMIT: '7/min,9/h' });
    type Rows = readonly { readonly name: string; readonly value: unknown }[];
    const { limits, thresholds } = (await server.app.inject('/limits')).json<{ limits: Rows; thresholds: Rows }>();
    const valueOf = (name: string, rows: Rows) => rows.find((row) => row.name === name)?.value;
    assert.equal(valueOf('requests_per_minute', limits), 7);
    assert.equal(valueOf('url_length', limits), 16_384);
    assert.equal(valueOf('road_m', thresholds), 1_000);
    assert.equal(valueOf('level_high_from', thresholds), 0.7);
    const names = [...limits, ...thresholds].map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  it('show the limits that messages name', async () => {
    const names = serviceLimits(readConfig({})).limits.map(({ name }) => name);
    const sources = globSync('src/**/*.ts', { exclude: (path) => path.endsWith('.test.ts') });
    const named = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\((\w+) in \/limits\)/g)].map(([, name]) => name),
    );
    assert.ok(named.length >= 9);
    assert.deepEqual(
      named.filter((name) => !names.includes(String(name))),
      [],
    );
  });

  it('show every dataset with its licence', async () => {
    const dataset: DatasetInfo = {
      id: 'x',
      role: 'countries',
      kind: 'packed',
      version: '1',
      date: null,
      licence: 'ODbL-1.0',
      attribution: 'a',
      coverage: [-180, -90, 180, 90],
      synthetic: false,
      mapped: null,
      fetched_cells: null,
    };
    await using local = testServer({ datasets: async () => [dataset] });
    assert.deepEqual((await local.app.inject('/datasets')).json(), { datasets: [{ ...dataset, contract: null }] });
    const info = {
      state: 'broken',
      checked_at: '2026-11-23T05:00:00.000Z',
      held_at: '2026-11-01T05:00:00.000Z',
      failing_since: '2026-11-22T05:00:00.000Z',
      mirror: null,
      fault: 'example.org: there is nothing at its address',
      remedy: 'look up its new address and name it in CATALOGUE',
      newer: null,
    } as const;
    await using outside = testServer({
      datasets: async () => [dataset],
      contracts: async () => [{ dataset: 'x', licence: 'ODbL-1.0', info }],
    });
    assert.deepEqual((await outside.app.inject('/datasets')).json(), { datasets: [{ ...dataset, contract: info }] });
    const ready = await outside.app.inject('/readyz');
    assert.equal(ready.statusCode, 200);
    assert.match(ready.json<{ notes: string[] }>().notes[0] ?? '', /x \(since 2026-11-22\)/);
    const metrics = (await outside.app.inject('/metrics')).body;
    assert.match(metrics, /firstmile_dataset_contract_held\{dataset="x"\} 0/);
    assert.match(metrics, /firstmile_dataset_contract_held_timestamp_seconds\{dataset="x"\} 1793509200/);
    // Several datasets are made of one thing that is fetched; the id of another dataset may begin alike by chance.
    const [roads, other] = [
      { ...dataset, id: 'overture-auto-roads' },
      { ...dataset, id: 'x-other' },
    ];
    await using fetched = testServer({
      datasets: async () => [roads, other],
      contracts: async () => [
        { dataset: 'overture-auto', licence: 'ODbL-1.0', info, isFetched: true },
        { dataset: 'x', licence: 'ODbL-1.0', info },
      ],
    });
    assert.deepEqual((await fetched.app.inject('/datasets')).json(), {
      datasets: [
        { ...roads, contract: info },
        { ...other, contract: null },
      ],
    });
  });
});

describe('/queue', () => {
  it('is for administrators alone', async () => {
    await using server = testServer();
    const get = async (scopes: readonly Scope[]): Promise<number> => {
      const { authorization } = await server.login(scopes);
      return (await server.app.inject({ url: '/queue', headers: { authorization } })).statusCode;
    };
    assert.equal((await server.app.inject('/queue')).statusCode, 401);
    assert.equal(await get(SCOPES.filter((scope) => scope !== 'admin')), 403);
    assert.equal(await get(['admin']), 200);
  });
});

describe('/metrics', () => {
  it('counts requests by route and status, and tasks by state', async () => {
    await using server = testServer({
      countTasks: async () => ({ processing: 3 }),
      measureQueue: async () => ({ oldestWaitingS: 61.5, running: 2, limit: 10 }),
    });
    await server.app.inject('/healthz');
    await server.app.inject('/tasks/123');
    await server.app.inject('/no/such/address');
    const { body, headers } = await server.app.inject('/metrics');
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.match(body, /^firstmile_request_duration_seconds_count\{method="GET",route="\/healthz",status="200"\} 1$/m);
    assert.match(body, /route="\/tasks\/:task_id",status="401"/);
    assert.match(body, /route="unknown",status="404"/);
    assert.match(body, /^firstmile_requests_in_flight 1$/m);
    assert.match(body, /^firstmile_tasks\{status="processing"\} 3$/m);
    assert.match(body, /^firstmile_tasks_oldest_waiting_seconds 61\.5$/m);
    assert.match(body, /^firstmile_tasks_running 2$/m);
    assert.match(body, /^firstmile_tasks_limit 10$/m);
    assert.match(body, /^nodejs_eventloop_lag_seconds /m);
    assert.match(body, /^process_resident_memory_bytes /m);
    assert.doesNotMatch(body, /no\/such\/address/);
  });

  it('answers when the tasks cannot be counted', async () => {
    await using server = testServer({
      countTasks: async () => Promise.reject(new Error('no database')),
      measureQueue: async () => Promise.reject(new Error('no database')),
    });
    const { statusCode, body } = await server.app.inject('/metrics');
    assert.equal(statusCode, 200);
    assert.doesNotMatch(body, /^firstmile_tasks\w* \d/m, 'a queue that cannot be seen is not one without tasks');
  });
});

describe('/docs/api', () => {
  it('needs nothing from elsewhere', async () => {
    await using server = testServer();
    const page = await server.app.inject('/docs/api');
    const addresses = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map((match) => match[1]!)
      .filter((address) => address.startsWith('/docs/api/'));
    assert.ok(addresses.length >= 4);
    for (const address of addresses)
      assert.equal(
        (await server.app.inject({ url: address, headers: { accept: 'text/html' } })).statusCode,
        200,
        address,
      );
    assert.match(String(page.headers['content-security-policy']), /script-src 'self';/);
    assert.doesNotMatch(page.body, /<script>|onload=|https?:\/\//);
  });

  it('is sent once and compressed', async () => {
    await using server = testServer();
    const plain = await server.app.inject('/docs/api/swagger-ui-bundle.js');
    const packed = await server.app.inject({
      url: '/docs/api/swagger-ui-bundle.js',
      headers: { 'accept-encoding': 'gzip, br' },
    });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload));
    assert.equal(
      (await server.app.inject({ url: '/docs/api/swagger-ui-bundle.js', headers: { 'accept-encoding': 'gzip;q=0' } }))
        .headers['content-encoding'],
      undefined,
    );
    const again = await server.app.inject({
      url: '/docs/api/swagger-ui-bundle.js',
      headers: { 'if-none-match': String(plain.headers['etag']) },
    });
    assert.equal(again.statusCode, 304);
  });

  it('serves no other file, however it is requested', async () => {
    await using server = testServer();
    for (const path of [
      'package.json',
      'index.html',
      '../package.json',
      '..%2fpackage.json',
      '%2e%2e/package.json',
      'swagger-ui.css/../package.json',
      'swagger-ui.css%00',
      '//etc/passwd',
      'swagger-ui-bundle.js.map',
    ])
      assert.equal((await server.app.inject(`/docs/api/${path}`)).statusCode, 404, path);
  });
});

describe('/', () => {
  it('leads on, as JSON and as a page', async () => {
    await using server = testServer();
    const { links } = (await server.app.inject('/')).json<{ links: Record<string, string> }>();
    for (const link of Object.values(links)) assert.equal((await server.app.inject(link)).statusCode, 200, link);
    const page = await server.app.inject({
      url: '/',
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.equal((await server.app.inject('/page.css')).statusCode, 200);
  });
});

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 with an id, a summary, tags, security and errors on every operation', async () => {
    await using server = testServer({}, { PUBLIC_URL: 'https://firstmile.example.org' });
    const document = (await server.app.inject('/openapi.json')).json<{
      openapi: string;
      servers: unknown;
      paths: Record<string, Record<string, Record<string, unknown>>>;
    }>();
    assert.match(document.openapi, /^3\.1\./);
    assert.deepEqual(document.servers, [{ url: 'https://firstmile.example.org', description: 'This installation' }]);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const operation of operations) {
      for (const field of ['operationId', 'summary', 'description', 'security', 'tags'])
        assert.ok(operation[field] !== undefined, `${String(operation['operationId'])}: ${field}`);
      assert.ok('422' in (operation['responses'] as object), String(operation['operationId']));
    }
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
    const described = new Set(Object.keys(document.paths).map((path) => path.replace(/\{(\w+)\}/g, ':$1')));
    const hidden = [
      '/docs',
      '/docs/site.css',
      '/docs/site.js',
      '/docs/icon.svg',
      '/docs/minisearch.js',
      '/docs/search.json',
      '/docs/decisions/:page',
      '/docs/pictures/:file',
      '/docs/api',
      '/docs/api/start.js',
      '/docs/api/swagger-ui.css',
      '/docs/api/swagger-ui-bundle.js',
      '/docs/api/favicon-32x32.png',
      '/llms.txt',
      '/page.css',
      '/mcp',
      '/console',
      '/console/*',
      '/console/settings.json',
      '/verify',
    ];
    assert.deepEqual(
      server.app.knownRoutes.map(({ url }) => url).filter((url) => !described.has(url) && !hidden.includes(url)),
      [],
    );
  });

  it('passes the recommended rules without an error or a warning', { skip: peerSkip('Redocly 2.77.0') }, async () => {
    await using server = testServer();
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      await writeFile(file, (await server.app.inject('/openapi.json')).body);
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [peerCommand('Redocly 2.77.0'), 'lint', file, '--extends=recommended', '--format=json'],
        { env, cwd: folder },
      );
      assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf('{'))).totals, { errors: 0, warnings: 0, ignored: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
