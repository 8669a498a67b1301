import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_FILES, testServer } from '../../../../test/memory/test-server.ts';
import { memoryTasks } from '../../../../test/memory/tasks.ts';
import { Problem } from '../../../errors.ts';
import { FOREST_TASK } from '../../../service/forest/task.ts';
import { forestRoutes } from './forest.ts';

interface TaskView {
  readonly task_id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

const POINT = { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [0, 0] }, properties: {} };

async function open() {
  const server = testServer();
  const { authorization, userId } = await server.login(['forest']);
  const ask = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'DELETE' = 'GET') =>
    server.app.inject({ method, url, headers: { authorization, ...headers } });
  const post = (payload: string | object, headers: Record<string, string> = {}, query = '') =>
    server.app.inject({
      method: 'POST',
      url: `/forest_polygon/lookup${query}`,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      payload,
    });
  const task = await server.tasks.submit({ kind: FOREST_TASK, userId, params: {}, input: null, idempotency: null });
  return { server, ask, post, task, userId };
}

describe('POST /forest_polygon/lookup', () => {
  it('takes GeoJSON as it is written: by either media type, with a mark, other members and its own CRS', async () => {
    const { server, post } = await open();
    await using _ = server;
    for (const crs of ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326']) {
      const body = {
        name: 'layer',
        crs: { type: 'name', properties: { name: crs } },
        bbox: [0, 0, 1, 1],
        features: [POINT],
      };
      const answer = await post(`\uFEFF${JSON.stringify(body)}`, { 'content-type': 'application/geo+json' });
      assert.equal(answer.statusCode, 200, answer.body);
    }
    assert.equal((await post('features', { 'content-type': 'text/plain' })).statusCode, 415);
    for (const crs of ['EPSG:3857', 5, { type: 'link' }, []])
      assert.equal((await post({ features: [POINT], crs })).statusCode, 422, JSON.stringify(crs));
    assert.equal((await post({ features: [POINT], crs: null })).statusCode, 200);
  });

  it('answers in the media type that is requested', async () => {
    const { server, post } = await open();
    await using _ = server;
    const types = { '*/*': /^application\/geo\+json/, 'application/json': /^application\/json/ };
    for (const [accept, type] of Object.entries(types)) {
      const answer = await post({ features: [POINT] }, { accept });
      assert.match(String(answer.headers['content-type']), type);
      assert.equal(answer.headers['vary'], 'accept, accept-language, accept-encoding');
    }
    assert.equal((await post({ features: [POINT] }, { accept: 'text/csv' })).statusCode, 406);
  });

  it('is not taken for a task that could be deleted', async () => {
    const { server, ask } = await open();
    await using _ = server;
    const answer = await ask('/forest_polygon/lookup');
    assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'POST']);
  });

  it('says when to come again when too many lookups wait', async () => {
    const full = {
      lookUp: () => Promise.reject(new Problem('queue_full', 'Too many lookups wait.', { retryAfterS: 5 })),
    };
    await using server = testServer({
      routes: [forestRoutes({ forest: full, tasks: memoryTasks(), files: NO_FILES })],
    });
    const { authorization } = await server.login();
    const answer = await server.app.inject({
      method: 'POST',
      url: '/forest_polygon/lookup',
      headers: { authorization },
      payload: { features: [POINT] },
    });
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5']);
  });

  it('takes 1 to 100 features, and says how many came in place of repeating them', async () => {
    const { server, post } = await open();
    await using _ = server;
    assert.equal((await post({ features: Array.from({ length: 100 }, () => POINT) })).statusCode, 200);
    const wanted = '/features: wanted a list of 1 to 100 items, got ';
    for (const [count, got] of [
      [0, '[].'],
      [101, 'one of 101.'],
    ] as const) {
      const answer = await post({ features: Array.from({ length: count }, () => POINT) });
      assert.equal(answer.statusCode, 422);
      assert.equal(answer.json<{ detail: string }>().detail, wanted + got);
    }
  });

  it('refuses an unreadable idempotency key, and async_mode that is no truth value', async () => {
    const { server, post } = await open();
    await using _ = server;
    assert.equal((await post({ features: [POINT] }, { 'idempotency-key': '' }, '?async_mode=true')).statusCode, 400);
    assert.equal((await post({ features: [POINT] }, {}, '?async_mode=maybe')).statusCode, 422);
    assert.equal((await post({ features: [POINT] }, {}, '?async_mode=false')).statusCode, 200);
  });
});

describe('a forest task', () => {
  it('says when to poll again while it is processing', async () => {
    const { server, ask, task } = await open();
    await using _ = server;
    const status = await ask(`/forest_polygon/${task.id}/status`);
    assert.equal(status.headers['retry-after'], '2');
    assert.deepEqual(status.json(), {
      task_id: task.id,
      status: 'processing',
      progress: { done: 0, total: null },
      error: null,
      poll_url: `/forest_polygon/${task.id}/status`,
      results_url: `/forest_polygon/${task.id}/results`,
    });
    const results = await ask(`/forest_polygon/${task.id}/results`);
    assert.deepEqual([results.statusCode, results.headers['retry-after']], [409, '2']);
    assert.equal(results.json<{ code: string }>().code, 'task_not_ready');
  });

  it('has results in either media type once it is completed, and sends them once', async () => {
    const { server, ask, task } = await open();
    await using _ = server;
    const finishedAt = new Date();
    server.tasks.set(task.id, { status: 'completed', resultType: 'application/geo+json', finishedAt }, ['{"a"', ':1}']);
    const url = `/forest_polygon/${task.id}/results`;
    const answer = await ask(url, { accept: 'application/json' });
    assert.deepEqual([answer.statusCode, answer.body], [200, '{"a":1}']);
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    assert.match(String((await ask(url)).headers['content-type']), /^application\/geo\+json/);
    const again = await ask(url, { 'if-none-match': String(answer.headers['etag']) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
    assert.deepEqual([(await ask(url, {}, 'HEAD')).statusCode, (await ask(url, {}, 'HEAD')).body], [200, '']);
  });

  it('that failed says why, in its state and in place of its results', async () => {
    const { server, ask, task } = await open();
    await using _ = server;
    server.tasks.set(task.id, { status: 'failed', error: { code: 'task_failed', detail: 'its worker died' } });
    const { status, error } = (await ask(`/forest_polygon/${task.id}/status`)).json<TaskView>();
    assert.deepEqual([status, error], ['failed', { code: 'task_failed', detail: 'its worker died' }]);
    const results = await ask(`/forest_polygon/${task.id}/results`);
    assert.deepEqual([results.statusCode, results.json<{ detail: string }>().detail], [409, 'its worker died']);
  });

  it('that is cancelled is failed to those who wait for it; a finished one is left as it is', async () => {
    const { server, ask, task, userId } = await open();
    await using _ = server;
    const cancelled = (await ask(`/forest_polygon/${task.id}`, {}, 'DELETE')).json<TaskView>();
    assert.deepEqual([cancelled.status, cancelled.error?.code], ['failed', 'task_cancelled']);
    const results = await ask(`/forest_polygon/${task.id}/results`);
    assert.deepEqual([results.statusCode, results.json<{ code: string }>().code], [409, 'task_cancelled']);
    const done = await server.tasks.submit({ kind: FOREST_TASK, userId, params: {}, input: null, idempotency: null });
    server.tasks.set(done.id, { status: 'completed' });
    assert.equal((await ask(`/forest_polygon/${done.id}`, {}, 'DELETE')).json<TaskView>().status, 'completed');
  });

  it('is unknown by another id, to another user and when it is of another kind', async () => {
    const { server, ask, userId } = await open();
    await using _ = server;
    const other = await server.tasks.submit({ kind: 'k', userId, params: {}, input: null, idempotency: null });
    const foreign = await server.tasks.submit({
      kind: FOREST_TASK,
      userId: 'x',
      params: {},
      input: null,
      idempotency: null,
    });
    for (const id of [other.id, foreign.id, 'x', '%00', 'lookup'])
      for (const url of [`/forest_polygon/${id}/status`, `/forest_polygon/${id}/results`])
        assert.equal((await ask(url)).statusCode, 404, url);
  });
});
