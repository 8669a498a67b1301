import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { runService, type RunningProcess } from './run-service.ts';

const KEY = 'internal-key-for-fairness-0123456789';
const BOUNDARY = 'firstmile-fairness';

let service: RunningProcess;
before(async () => {
  service = await runService({
    env: { FILE_THREADS: '1', UPLOADS_PER_USER: '3', STORED_MB_PER_USER: '2', INTERNAL_API_KEY: KEY },
  });
});
after(() => service[Symbol.asyncDispose]());

/** So many rows that their answer fits into no buffer, and that they are worked on in a thread. */
const ROWS = 12_000;
const LARGE = `name,lat,lon\n${`${'A mill with a long name '.repeat(4)},6.75,-1.625\n`.repeat(ROWS)}`;

const as = (user: string) => ({ 'x-internal-api-key': KEY, 'x-user-id': user });

function formOf(file: string, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([file]), 'places.csv');
  return form;
}

function post(user: string, path: string, body: FormData): Promise<Response> {
  return fetch(`${service.url}${path}`, { method: 'POST', body, headers: as(user) });
}

/** Sends a request and leaves its answer, or the rest of its body, where it is. */
function begin(user: string, file: string, isWhole: boolean): ClientRequest {
  const sent = request(`${service.url}/normalize_locations`, {
    method: 'POST',
    headers: { ...as(user), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  sent.on('error', () => {});
  sent.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}`);
  if (isWhole) sent.end(`\r\n--${BOUNDARY}--\r\n`);
  return sent;
}

describe('users of one service', () => {
  test('get their files answered while another fills every thread', async () => {
    const heavy = [begin('heavy', LARGE, true), begin('heavy', LARGE, true)];
    try {
      const [first] = (await once(heavy[0], 'response')) as [IncomingMessage];
      assert.equal(first.statusCode, 200);
      // Its answer is not read, so its thread is not free; the second file of the same user waits.
      const answer = await post('light', '/normalize_locations', formOf(LARGE));
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as { features: unknown[] }).features.length, ROWS);
    } finally {
      for (const one of heavy) one.destroy();
    }
  });

  test('get 429 for more uploads at once than one user may send, and others do not', async () => {
    const sending = Array.from({ length: 3 }, () => begin('eager', 'name,lat,lon\n', false));
    const small = 'name,lat,lon\nMill,6.75,-1.625\n';
    try {
      let refused = await post('eager', '/normalize_locations', formOf(small));
      // The three are counted when their headers have arrived.
      while (refused.status === 200) refused = await post('eager', '/normalize_locations', formOf(small));
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      const problem = (await refused.json()) as { code: string; detail: string };
      assert.equal(problem.code, 'quota_exceeded');
      assert.match(problem.detail, /at most 3 at the same time \(uploads_per_user in \/limits\)/);
      assert.equal((await post('patient', '/normalize_locations', formOf(small))).status, 200);
    } finally {
      for (const one of sending) one.destroy();
    }
    let again = await post('eager', '/normalize_locations', formOf(small));
    while (again.status === 429) again = await post('eager', '/normalize_locations', formOf(small));
    assert.equal(again.status, 200);
  });

  test('get 413 for a collection that they have no room for, until they delete one', async () => {
    const stage = (user: string): Promise<Response> =>
      post(user, '/stage_plots', formOf(LARGE, { request_data: JSON.stringify({ collection_name: 'mills' }) }));
    const kept = await stage('keeper');
    assert.equal(kept.status, 201, await kept.clone().text());
    const { collection_id: id } = (await kept.json()) as { collection_id: string };
    const refused = await stage('keeper');
    assert.equal(refused.status, 413);
    const problem = (await refused.json()) as { code: string; detail: string };
    assert.equal(problem.code, 'storage_full');
    assert.match(problem.detail, /more than 2 MB.*stored_mb_per_user/);
    assert.equal((await stage('other')).status, 201);
    const deleted = await fetch(`${service.url}/collections/${id}`, { method: 'DELETE', headers: as('keeper') });
    assert.equal(deleted.status, 200);
    assert.equal((await stage('keeper')).status, 201);
  });
});
