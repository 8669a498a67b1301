import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { memoryTasks } from '../../../../test/memory/tasks.ts';
import { testServer } from '../../../../test/memory/test-server.ts';
import { SCOPES, type Scope } from '../../../auth/scopes.ts';
import { createToken } from '../../../auth/tokens.ts';
import { FOREST_TASK as FOREST } from '../../../service/forest/task.ts';
import type { TASK_KINDS } from '../../../service/task-kinds.ts';
import { taskEvents } from './task-events.ts';

async function withTask() {
  const server = testServer();
  const { authorization, userId } = await server.login();
  const task = await server.tasks.submit({ kind: 'k', userId, params: {}, input: null, idempotency: null });
  const ask = (url: string, headers = {}, method: 'GET' | 'HEAD' | 'DELETE' = 'GET') =>
    server.app.inject({ method, url, headers: { authorization, ...headers } });
  return { server, task, userId, authorization, ask };
}

describe('GET /tasks', () => {
  it('pages through the tasks of the caller, newest first', async () => {
    const { server, userId, ask } = await withTask();
    await using _ = server;
    for (let i = 0; i < 6; i++)
      await server.tasks.submit({ kind: `k${i}`, userId, params: {}, input: null, idempotency: null });
    await server.tasks.submit({ kind: 'foreign', userId: 'somebody', params: {}, input: null, idempotency: null });
    const kinds: string[] = [];
    let url: string | null = '/tasks?limit=3';
    while (url !== null) {
      const page: { tasks: { kind: string }[]; next: string | null } = (await ask(url)).json();
      kinds.push(...page.tasks.map(({ kind }) => kind));
      url = page.next === null ? null : `/tasks?limit=3&before=${page.next}`;
    }
    assert.deepEqual(kinds, ['k5', 'k4', 'k3', 'k2', 'k1', 'k0', 'k']);
  });

  it('distinguishes a page after a task that is gone from the last page', async () => {
    const { server, ask } = await withTask();
    await using _ = server;
    const gone = await ask('/tasks?before=00000000-0000-4000-8000-000000000000');
    assert.equal(gone.statusCode, 422);
    assert.match(gone.json<{ detail: string }>().detail, /whose last task is still there.*begin again without it/);
  });

  it('shows only one state on request', async () => {
    const { server, task, ask } = await withTask();
    await using _ = server;
    assert.equal((await ask('/tasks?status=processing')).json<{ tasks: unknown[] }>().tasks.length, 1);
    assert.equal((await ask('/tasks?status=completed')).json<{ tasks: unknown[] }>().tasks.length, 0);
    server.tasks.set(task.id, { status: 'completed' });
    assert.equal((await ask('/tasks?status=completed')).json<{ tasks: unknown[] }>().tasks.length, 1);
  });
});

describe('the results of a task with reviews', () => {
  it('have what was decided, and no ETag, because they change with each review', async () => {
    const review = { state: 'accepted', note: 'Seen.', by: 'ana@example.org', at: '2026-01-02T03:04:05.000Z' } as const;
    await using server = testServer({ reviews: { all: async () => new Map([[0, review]]) } });
    const { authorization, userId } = await server.login();
    const task = await server.tasks.submit({ kind: 'k', userId, params: {}, input: null, idempotency: null });
    const ask = () => server.app.inject({ url: `/tasks/${task.id}/results?reviews=true`, headers: { authorization } });
    assert.equal((await ask()).json<{ code: string }>().code, 'task_not_ready');
    const line = '{"type":"Feature","geometry":null,"properties":{"name":"a"}}\n';
    server.tasks.set(task.id, { status: 'completed', resultType: 'application/x-ndjson' }, [line]);
    const answer = await ask();
    assert.equal(answer.headers['content-type'], 'application/x-ndjson');
    assert.equal(answer.headers['etag'], undefined);
    assert.deepEqual(answer.json<{ properties: unknown }>().properties, {
      name: 'a',
      review_state: 'accepted',
      review_note: 'Seen.',
      review_by: 'ana@example.org',
      review_at: '2026-01-02T03:04:05.000Z',
    });
  });
});

describe('a task', () => {
  it('says when to poll again while it is processing', async () => {
    const { server, task, ask } = await withTask();
    await using _ = server;
    const answer = await ask(`/tasks/${task.id}`);
    assert.equal(answer.headers['retry-after'], '2');
    const view = answer.json<Record<string, unknown>>();
    assert.equal(view['status'], 'processing');
    assert.equal(view['results_url'], `/tasks/${task.id}/results`);
    const results = await ask(`/tasks/${task.id}/results`);
    assert.equal(results.statusCode, 409);
    assert.equal(results.headers['retry-after'], '2');
    assert.equal(results.json<{ code: string }>().code, 'task_not_ready');
  });

  it('streams its results once, and answers 304 to those who have them', async () => {
    const { server, task, ask } = await withTask();
    await using _ = server;
    server.tasks.set(
      task.id,
      { status: 'completed', resultType: 'application/geo+json', finishedAt: new Date(), attempt: 1 },
      ['{"a"', ':1}'],
    );
    const answer = await ask(`/tasks/${task.id}/results`);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body, '{"a":1}');
    assert.match(String(answer.headers['content-type']), /^application\/geo\+json/);
    const etag = String(answer.headers['etag']);
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask(`/tasks/${task.id}/results`, { 'if-none-match': tag });
      assert.equal(again.statusCode, 304, tag);
      assert.equal(again.body, '');
    }
    assert.equal((await ask(`/tasks/${task.id}/results`, { 'if-none-match': '"x"' })).statusCode, 200);
    const head = await ask(`/tasks/${task.id}/results`, {}, 'HEAD');
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, '');
  });

  it('that failed or was cancelled has no results and says so', async () => {
    const { server, task, ask } = await withTask();
    await using _ = server;
    server.tasks.set(task.id, { status: 'failed', error: { code: 'malformed_file', detail: 'The file ends early.' } });
    const failed = await ask(`/tasks/${task.id}/results`);
    assert.equal(failed.statusCode, 409);
    assert.deepEqual(
      [failed.json<{ code: string }>().code, failed.json<{ detail: string }>().detail],
      ['task_failed', 'The file ends early.'],
    );
    server.tasks.set(task.id, { status: 'cancelled', error: null });
    assert.equal((await ask(`/tasks/${task.id}/results`)).json<{ code: string }>().code, 'task_cancelled');
  });

  it('is cancelled by DELETE, and left alone once finished', async () => {
    const { server, task, ask } = await withTask();
    await using _ = server;
    assert.equal((await ask(`/tasks/${task.id}`, {}, 'DELETE')).json<{ status: string }>().status, 'cancelled');
    server.tasks.set(task.id, { status: 'completed' });
    assert.equal((await ask(`/tasks/${task.id}`, {}, 'DELETE')).json<{ status: string }>().status, 'completed');
  });

  it('that is unknown is 404, whatever the id looks like', async () => {
    const { server, ask } = await withTask();
    await using _ = server;
    for (const id of ['x', '%00', 'x'.repeat(150), crypto.randomUUID(), '%F0%9F%8C%B4'])
      for (const url of [`/tasks/${id}`, `/tasks/${id}/results`, `/tasks/${id}/events`])
        assert.equal((await ask(url)).json<{ code: string }>().code, 'task_not_found', url);
  });
});

describe('the events of a task', () => {
  it('are its progress and its end', async () => {
    const tasks = memoryTasks();
    const { id } = await tasks.submit({ kind: 'k', userId: 'ana', params: {}, input: null, idempotency: null });
    const events: string[] = [];
    for await (const text of taskEvents(tasks, 'ana', id, new AbortController().signal, {
      pollMs: 1,
      heartbeatMs: 3,
    })) {
      events.push(text.split('\n')[0]!);
      assert.match(text, /\n\n$/);
      if (events.length === 1) tasks.set(id, { progress: { done: 5, total: 10 } });
      if (events.length === 3) tasks.set(id, { status: 'completed' });
    }
    assert.deepEqual(events, ['event: progress', 'event: progress', ': still processing', 'event: completed']);
  });

  it('leave out the state that the client has, and never the end', async () => {
    const tasks = memoryTasks();
    const { id } = await tasks.submit({ kind: 'k', userId: 'ana', params: {}, input: null, idempotency: null });
    const texts = async (lastId: string | null, wanted: number) => {
      const came: string[] = [];
      const signal = new AbortController();
      const options = { pollMs: 1, heartbeatMs: 3 };
      for await (const text of taskEvents(tasks, 'ana', id, signal.signal, options, lastId))
        if (came.push(text) === wanted) break;
      return came;
    };
    const lastId = /^id: (\S+)$/m.exec((await texts(null, 1))[0]!)![1]!;
    assert.equal((await texts(lastId, 1))[0], ': still processing\n\n');
    tasks.set(id, { progress: { done: 1, total: 2 } });
    assert.match((await texts(lastId, 1))[0]!, /^event: progress\ndata: .*"done":1/);
    tasks.set(id, { status: 'completed' });
    const end = /^id: (\S+)$/m.exec((await texts(lastId, 1))[0]!)![1]!;
    assert.match((await texts(end, 1))[0]!, /^event: completed\n/);
  });

  it('end with gone when the task is deleted, and with the signal', async () => {
    const tasks = memoryTasks();
    const { id } = await tasks.submit({ kind: 'k', userId: 'ana', params: {}, input: null, idempotency: null });
    const gone = await Array.fromAsync(taskEvents({ get: async () => null }, 'ana', id, new AbortController().signal));
    assert.deepEqual(gone, [`event: gone\ndata: {"task_id":"${id}"}\n\n`]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    assert.equal(
      (await Array.fromAsync(taskEvents(tasks, 'ana', id, controller.signal, { pollMs: 60_000, heartbeatMs: 60_000 })))
        .length,
      1,
    );
  });

  it('reach a client as they happen and stop when it leaves', async () => {
    const { server, task, authorization } = await withTask();
    await using _ = server;
    const base = `http://127.0.0.1:${await server.listen()}`;
    const controller = new AbortController();
    const answer = await fetch(`${base}/tasks/${task.id}/events`, {
      headers: { authorization, accept: 'text/event-stream' },
      signal: controller.signal,
    });
    assert.match(answer.headers.get('content-type')!, /^text\/event-stream/);
    const reader = answer.body!.getReader();
    assert.match(Buffer.from((await reader.read()).value!).toString(), /^event: progress\ndata: \{"task_id"/);
    controller.abort();
    for (let i = 0; i < 100 && server.lines.every(({ route }) => route !== '/tasks/:task_id/events'); i++)
      await wait(10);
    assert.equal(server.lines.find(({ route }) => route === '/tasks/:task_id/events')?.['status'], 499);
    const live = await fetch(`${base}/tasks/${task.id}/events`, { headers: { authorization } });
    server.tasks.set(task.id, { status: 'failed', error: { code: 'internal', detail: 'x' } });
    assert.match(await live.text(), /event: failed\n/);
  });

  it('are limited to 20 streams a principal', async () => {
    const { server, task, authorization } = await withTask();
    await using _ = server;
    const base = `http://127.0.0.1:${await server.listen()}`;
    const follow = () => fetch(`${base}/tasks/${task.id}/events`, { headers: { authorization } });
    const open = await Promise.all(Array.from({ length: 20 }, follow));
    assert.ok(open.every(({ status }) => status === 200));
    assert.equal((await follow()).status, 429);
    await Promise.all(open.map((answer) => answer.body!.cancel()));
    await wait(50);
    const again = await follow();
    assert.equal(again.status, 200);
    await again.body!.cancel();
  });
});

describe('the scopes of tasks', () => {
  const KINDS = {
    validate_facilities: 'validate',
    validate_locations: 'validate',
    normalize_locations: 'validate',
    forest_lookup: 'forest',
    label_tile: 'admin',
    collection_batch: 'collections',
    collection_check: 'collections',
    eudr_dds_export: 'collections',
  } as const satisfies Record<(typeof TASK_KINDS)[number], Scope>;

  it('hold on every route of a task: state, results, events and cancellation', async () => {
    await using server = testServer();
    const { userId, authorization } = await server.login();
    const tokenWith = async (scope: Scope): Promise<string> => {
      const { token, hash } = createToken();
      await server.credentials.addToken({ userId, label: scope, scopes: [scope], hash, expiresAt: null });
      return `Bearer ${token}`;
    };
    const tokens = Object.fromEntries(
      await Promise.all(SCOPES.map(async (scope) => [scope, await tokenWith(scope)] as const)),
    );
    for (const [kind, wanted] of Object.entries(KINDS)) {
      const { id } = await server.tasks.submit({ kind, userId, params: {}, input: null, idempotency: null });
      for (const scope of SCOPES) {
        const headers = { authorization: tokens[scope]! };
        const shown = (await server.app.inject({ url: '/tasks?limit=100', headers })).json<{
          tasks: { task_id: string }[];
        }>();
        assert.equal(
          shown.tasks.some((task) => task.task_id === id),
          scope === wanted,
          `${kind} in the list of ${scope}`,
        );
        if (scope === wanted) {
          assert.equal((await server.app.inject({ url: `/tasks/${id}`, headers })).statusCode, 200);
          continue;
        }
        for (const [method, path] of [
          ['GET', ''],
          ['GET', '/results'],
          ['GET', '/events'],
          ['DELETE', ''],
        ] as const) {
          const answer = await server.app.inject({ method, url: `/tasks/${id}${path}`, headers });
          assert.equal(answer.statusCode, 403, `${method} ${kind}${path} with ${scope}`);
          assert.match(answer.json<{ detail: string }>().detail, new RegExp(`needs the scope ${wanted}`));
        }
      }
      assert.equal((await server.tasks.get(userId, id))?.status, 'processing');
      const cancelled = await server.app.inject({
        method: 'DELETE',
        url: `/tasks/${id}`,
        headers: { authorization: tokens[wanted]! },
      });
      assert.equal(cancelled.json<{ status: string }>().status, 'cancelled');
    }
    const all = await server.app.inject({ url: '/tasks?limit=100', headers: { authorization } });
    assert.equal(all.json<{ tasks: unknown[] }>().tasks.length, Object.keys(KINDS).length);
  });
});

describe('waiting for a task', () => {
  it('costs nothing of the request limit, in any of the ways to wait', async () => {
    await using server = testServer({}, { RATE_LIMIT: '5/min,5/h' });
    const { userId, authorization } = await server.login();
    const { id } = await server.tasks.submit({ kind: FOREST, userId, params: {}, input: null, idempotency: null });
    const look = (url: string) => server.app.inject({ url, headers: { authorization } });
    for (let i = 0; i < 20; i++) {
      assert.equal((await look(`/tasks/${id}`)).statusCode, 200);
      assert.equal((await look(`/forest_polygon/${id}/status`)).statusCode, 200);
      assert.equal((await look(`/forest_polygon/${id}/results`)).statusCode, 409);
      assert.equal((await look(`/tasks/${id}/results`)).statusCode, 409);
    }
    server.tasks.set(id, { status: 'completed', finishedAt: new Date() }, ['x']);
    assert.equal((await look(`/tasks/${id}/events`)).statusCode, 200);
    assert.equal((await look('/tasks')).statusCode, 200);
    const request = await look('/principal');
    assert.equal(request.statusCode, 200);
    assert.equal(request.headers['ratelimit-remaining'], '4');
  });

  it('has a limit of its own', async () => {
    await using server = testServer({}, { RATE_LIMIT: '5/min,5/h' });
    const { userId, authorization } = await server.login();
    const { id } = await server.tasks.submit({ kind: FOREST, userId, params: {}, input: null, idempotency: null });
    const look = () => server.app.inject({ url: `/tasks/${id}`, headers: { authorization } });
    for (let i = 0; i < 600; i++) await look();
    const refused = await look();
    assert.equal(refused.statusCode, 429);
    assert.match(refused.json<{ detail: string }>().detail, /looks at tasks a minute/);
    assert.equal((await server.app.inject({ url: '/principal', headers: { authorization } })).statusCode, 200);
  });

  it('should poll after 2 s at first, and after 30 s for long work', async () => {
    await using server = testServer();
    const { userId, authorization } = await server.login();
    const { id } = await server.tasks.submit({ kind: FOREST, userId, params: {}, input: null, idempotency: null });
    const wait = async (url: string) =>
      (await server.app.inject({ url, headers: { authorization } })).headers['retry-after'];
    assert.equal(await wait(`/tasks/${id}`), '2');
    server.tasks.set(id, { createdAt: new Date(Date.now() - 600_000), progress: { done: 1, total: 1_000 } });
    for (const url of [
      `/tasks/${id}`,
      `/tasks/${id}/results`,
      `/forest_polygon/${id}/status`,
      `/forest_polygon/${id}/results`,
    ])
      assert.equal(await wait(url), '30', url);
  });
});
