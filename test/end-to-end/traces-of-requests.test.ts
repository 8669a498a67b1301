import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { openTracing } from '../../src/app/operate/open-tracing.ts';
import { readConfig } from '../../src/config/settings.ts';
import { createLog } from '../../src/log.ts';
import { testEngines, type TestEngine } from '../contracts/engines.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
}

/** What others keep with the trace. */
const STATE = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const PATIENCE_MS = 120_000;
const PLOT = {
  type: 'Feature',
  properties: { location_id: 'A', commodity_type: 'palm', location_type: 'plot', country: 'MY' },
  geometry: { type: 'Point', coordinates: [102.607, 4.586] },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A server on this machine; `answer` hears of every request. */
async function listen(t: TestContext, answer: (request: IncomingMessage, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      answer(request, body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function until<T>(what: string, look: () => Promise<T | null | undefined> | T | null | undefined): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    assert.ok(Date.now() - begun < PATIENCE_MS, `no ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Followed {
  readonly create: TestEngine['create'];
  /** Whether tasks run in another process than that of the service. */
  readonly hasWorker: boolean;
}

for (const { name, skip, create } of testEngines()) {
  const hasWorker = name === 'postgres';
  const where = hasWorker ? 'in another process' : 'in the same process';
  it(`follows a request through its task ${where} to the delivery of its webhook on ${name}`, { skip }, (t) =>
    followRequest(t, { create, hasWorker }),
  );
}

async function followRequest(t: TestContext, { create, hasWorker }: Followed): Promise<void> {
  const database = await create();
  t.after(() => database.drop());
  const spans: OtlpSpan[] = [];
  const services = new Set<string>();
  const collector = await listen(t, (request, body) => {
    assert.equal(request.url, '/v1/traces');
    assert.match(request.headers['content-type'] ?? '', /^application\/json/);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: {
        resource: { attributes: { value: { stringValue?: string } }[] };
        scopeSpans: { spans: OtlpSpan[] }[];
      }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { value } of resource.attributes) services.add(value.stringValue ?? '');
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
  });
  const received: (readonly unknown[])[] = [];
  const receiver = await listen(
    t,
    ({ headers }) => void received.push([headers['traceparent'], headers['tracestate']]),
  );
  const env = {
    ...(database.databaseUrl !== null && { DATABASE_URL: database.databaseUrl }),
    SECRETS_KEY: `k:${Buffer.alloc(32, 1).toString('base64')}`,
    WEBHOOK_ALLOW_LOCAL: 'on',
    PUBLIC_DATA: 'off',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_SERVICE_NAME: 'firstmile-test',
  };
  await using service: RunningProcess = await runService(
    hasWorker ? { env: { ...env, RUN_TASKS: 'off' } } : { env, dataDir: database.dataDir },
  );
  if (hasWorker) {
    const worker = await runService({ env: { ...env, PUBLIC_URL: service.url }, command: 'worker' });
    t.after(() => worker.stop());
  }
  const headers = { authorization: `Bearer ${service.token}` };
  const registered = await service.fetch('/webhooks/register', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiver}/hook` }),
  });
  assert.ok(registered.ok, await registered.text());
  const form = new FormData();
  form.append('collection_name', 'traced');
  form.append('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features: [PLOT] })]), 'plots.geojson');
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const sent = await service.fetch('/batch_process', {
    method: 'POST',
    headers: { ...headers, traceparent, tracestate: STATE },
    body: form,
  });
  assert.equal(sent.status, 202, await sent.text());

  const mine = (name: RegExp) => spans.filter((span) => span.traceId === TRACE && name.test(span.name));
  const delivery = await until('delivery', () => mine(/^webhook batch_zonal_stats_complete$/)[0]);
  const request = await until('request', () => mine(/^POST \/batch_process$/)[0]);
  assert.deepEqual([request.parentSpanId, request.kind], [CALLER, 2]);
  const tasks = await until('task', () => (mine(/^task /).length > 0 ? mine(/^task /) : null));
  for (const task of tasks)
    assert.deepEqual([task.parentSpanId, task.kind, task.status.code ?? 0], [request.spanId, 5, 0]);
  const ended = await until('run that recorded the event', () =>
    mine(/^task /).find(({ spanId }) => spanId === delivery.parentSpanId),
  );
  assert.equal(ended.kind, 5);
  assert.equal(delivery.kind, 3);
  assert.deepEqual(received, [[`00-${TRACE}-${delivery.spanId}-01`, STATE]]);
  assert.ok(services.has('firstmile-test'));

  // Whoever sends none begins a trace; a text that is none is as none.
  const other = await service.fetch('/healthz', { headers: { traceparent: '00-nonsense' } });
  assert.equal(other.status, 200);
  const health = await until('span', () =>
    spans.find(({ name, traceId }) => name === 'GET /healthz' && traceId !== TRACE),
  );
  assert.ok(!health.parentSpanId);
}

it('passes on the state of a trace that it takes up, and no other', async (t) => {
  const log = createLog({ level: 'silent', json: true });
  const tracing = (await openTracing(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }), log))!;
  t.after(() => tracing.close());
  const stateOf = (traceparent: string, tracestate: string) =>
    tracing.begin('made up', { kind: 'server', parent: { traceparent, tracestate } }).headers.tracestate;
  const valid = `00-${TRACE}-${CALLER}-00`;
  assert.equal(stateOf(valid, STATE), STATE);
  assert.equal(stateOf('00-nonsense', STATE), undefined);
  for (const broken of ['', 'no state', 'a=\r\nx: y', `a=${'x'.repeat(600)}`])
    assert.equal(stateOf(valid, broken), undefined);
});

it('is off, and loads nothing, unless a collector is named', async () => {
  const log = createLog({ level: 'silent', json: true });
  assert.equal(await openTracing(readConfig({}), log), null);
  const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' };
  assert.equal(await openTracing(readConfig(disabled), log), null);
  const loaded = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /^import (?!type).*'@opentelemetry/m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(loaded, []);
  assert.throws(
    () => readConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
    /OTEL_EXPORTER_OTLP_PROTOCOL: wanted one of http\/json/,
  );
});
