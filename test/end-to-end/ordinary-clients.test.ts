import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NOTHING, plotsAndMill, routeCalls, type Prepared } from './client-calls.ts';
import { exampleCalls } from './example-calls.ts';
import { operationsOf, writeOut, type OpenApi, type Operation } from './document-calls.ts';
import { CLIENTS, run, type Service } from './ordinary-clients.ts';
import { prepareCalls, readAnswer, sendCall } from './prepare-calls.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

const EMAIL = 'ana@example.org';
const PASSWORD = 'correct horse battery staple';
const SCOPES = 'validate,forest,collections,review,webhooks,traces,admin';

let service: RunningProcess;
let receiver: Server;
/** With the token of a local user: the bootstrap token belongs to nobody that could have tokens. */
let account: Service;
let operations: Map<string, Operation>;

before(async () => {
  receiver = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
  service = await runService({ env: { WEBHOOK_ALLOW_LOCAL: 'on' } });
  const env = service.settings;
  await runCommand(['user', 'add', EMAIL, '--password-stdin'], env, PASSWORD);
  const { out } = await runCommand(['token', 'create', '--user', EMAIL, '--scopes', SCOPES], env);
  account = { url: service.url, token: out.trim() };
  operations = operationsOf(await readAnswer<OpenApi>(await call('/openapi.json')));
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  receiver?.close();
  receiver?.closeAllConnections();
});

describe('every route of the OpenAPI document', () => {
  it('has a call that ordinary clients make, and a reason where that is refused', () => {
    const calls = routeCalls(NOTHING);
    assert.deepEqual(Object.keys(calls).toSorted(), [...operations.keys()].toSorted());
    for (const [route, { refusal }] of Object.entries(calls)) {
      if (refusal === undefined) continue;
      assert.ok(Object.hasOwn(operations.get(route)!.responses, refusal.status), `${route} documents its refusal`);
      assert.ok(![406, 415].includes(refusal.status) && refusal.status < 500 && refusal.reason !== '', route);
    }
  });

  for (const client of CLIENTS)
    it(`answers ${client.name} as it documents`, { skip: client.skip }, async () => {
      const calls = Object.entries(routeCalls(await prepare()));
      const outcomes = await client.send(
        account,
        calls.map(([route, call]) => writeOut(route, call, operations.get(route)!)),
      );
      assert.equal(outcomes.length, calls.length);
      const wrong = calls.flatMap(([route, { refusal }], i) => {
        const { status, type, body } = outcomes[i]!;
        const wanted =
          refusal === undefined
            ? Object.keys(operations.get(route)!.responses).filter((code) => code.startsWith('2'))
            : [String(refusal.status)];
        const readable = !/^application\/([a-z]+\+)?json\b/.test(type) || isJson(body);
        return wanted.includes(String(status)) && readable ? [] : [`${route}: ${status} ${type} ${body.slice(0, 400)}`];
      });
      assert.deepEqual(wrong, []);
    });
});

describe('a parameter that no route knows', () => {
  const sent = (route: string, prepared: Prepared, more: string): Promise<Response> =>
    sendCall(call, route, routeCalls(prepared)[route]!, operations.get(route)!, more);

  it('is ignored on every route where browsers, caches and campaigns add it', async () => {
    const prepared = await prepare();
    const wrong: string[] = [];
    for (const [route, { refusal }] of Object.entries(routeCalls(prepared))) {
      const answer = await sent(route, prepared, '_=1732300000&_cb=7&utm_source=mail&UTM_Campaign=x');
      const text = await answer.text();
      const isWanted = refusal === undefined ? answer.ok : answer.status === refusal.status;
      if (!isWanted) wrong.push(`${route}: ${answer.status} ${text.slice(0, 300)}`);
    }
    assert.deepEqual(wrong, []);
  });

  it('is refused on every route that reads parameters, with the nearest name there is', async () => {
    const prepared = await prepare();
    const wrong: string[] = [];
    let asked = 0;
    for (const [route, { refusal }] of Object.entries(routeCalls(prepared))) {
      if (refusal !== undefined) continue;
      const known = (operations.get(route)!.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const longest = known.map(({ name }) => name).toSorted((a, b) => b.length - a.length)[0];
      // What is left of a single letter is no name.
      if (longest === undefined || longest.length < 2) continue;
      asked++;
      const answer = await sent(route, prepared, `${longest.slice(0, -1)}=1`);
      const text = await answer.text();
      // OGC wants 400 of its own addresses.
      const refused = /^GET \/(ogc|tiles)\b/.test(route) ? 400 : 422;
      if (answer.status !== refused || !text.includes(`did you mean ${longest}?`))
        wrong.push(`${route}: ${answer.status} ${text.slice(0, 300)}`);
    }
    assert.ok(asked > 15, String(asked));
    assert.deepEqual(wrong, []);
  });
});

describe('the examples of the document', () => {
  it('are accepted by every route', async () => {
    const document = await readAnswer<OpenApi>(await call('/openapi.json'));
    const files = {
      features: await plotsAndMill().text(),
      table: 'name,Koordinat X,latitude,country\nMill,102.6012,4.6177,MY\n',
    };
    const wrong: string[] = [];
    for (const { operationId, method, path, body, type, missing, responses } of exampleCalls(document, files)) {
      if (missing.length > 0) wrong.push(`${operationId}: no example of ${missing.join(', ')}`);
      const leave = new AbortController();
      const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
      const answer = await call(path, { method, body, headers, signal: leave.signal });
      const status = String(answer.status);
      const text = operationId === 'followTask' && answer.ok ? '' : await answer.text();
      leave.abort();
      // Examples name things that do not exist here, so 404 and 409 are answers; what is wrong with the request is not.
      const isUnderstood = responses.includes(status) && !['400', '406', '413', '415'].includes(status);
      const isRefusal = status === '422' && !Object.hasOwn(NOT_TOGETHER, operationId);
      if (!isUnderstood || isRefusal) wrong.push(`${operationId}: ${status} ${text.slice(0, 300)}`);
    }
    assert.deepEqual(wrong, []);
  });
});

/** Why the examples of an operation cannot all be sent together. */
const NOT_TOGETHER: Readonly<Record<string, string>> = {
  exportEudrDds: 'The example of `places` is of a declaration, that of `kind` of a statement.',
  listTasks: 'The page begins at a task that is there.',
};

describe('an upload by curl', () => {
  const curl = CLIENTS.find(({ name }) => name === 'curl')!;

  it('that waits for 100 Continue is made to go on, and is read', { skip: curl.skip }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-expect-'));
    try {
      const file = join(folder, 'plots.csv');
      const rows = Array.from({ length: 2_000 }, (_, i) => `Mill ${i},4.6177,102.6012,MY,${'x'.repeat(700)}`);
      await writeFile(file, `name,latitude,longitude,country,note\n${rows.join('\n')}\n`);
      const words = ['--disable', '--silent', '--dump-header', '-', '--output', join(folder, 'answer')];
      const sent = [
        '--header',
        `Authorization: Bearer ${account.token}`,
        '--form',
        'collection_name=mills',
        '--form',
        `file=@${file}`,
      ];
      const heads = await run('curl', [...words, ...sent, `${account.url}/stage_plots`], '');
      assert.match(heads, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 20[012] /);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

let delivery = '';

/** Makes what one client's calls need. */
async function prepare(): Promise<Prepared> {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const prepared = await prepareCalls(call, { receiver: url, email: EMAIL, password: PASSWORD, delivery });
  ({ delivery } = prepared);
  return prepared;
}

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${account.token}`, ...(init.headers as Record<string, string>) };
  return fetch(`${account.url}${path}`, { ...init, headers });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
