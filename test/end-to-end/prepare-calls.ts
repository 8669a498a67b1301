import assert from 'node:assert/strict';
import { plotsAndMill, type Prepared, type RouteCall } from './client-calls.ts';
import { writeOut, type Operation } from './document-calls.ts';

/** Sends a request with the credentials of the account that the calls are made for. */
type Caller = (path: string, init?: RequestInit) => Promise<Response>;

const POINT = { type: 'Feature', geometry: { type: 'Point', coordinates: [102.6012, 4.6177] }, properties: {} };

/** Makes what the calls of all routes need. `delivery` is one that is there already: a minute allows ten tests of a webhook. */
export async function prepareCalls(
  call: Caller,
  { delivery, ...account }: Pick<Prepared, 'receiver' | 'email' | 'password' | 'delivery'>,
): Promise<Prepared> {
  await call('/webhooks/remove', { method: 'DELETE' });
  await post(call, '/webhooks/register', { url: account.receiver });
  const test = async () => (await post<{ delivery_id: string }>(call, '/webhooks/test')).delivery_id;
  const delivered = delivery === '' ? await test() : delivery;
  const { id: tokenId } = await post<{ id: string }>(call, '/tokens', { label: 'spare', scopes: ['validate'] });
  const [task, spareTask, spareForestTask] = await Promise.all([lookUp(call), lookUp(call), lookUp(call)]);
  const staged = await upload(call, '/stage_plots', { collection_name: 'staged' });
  const spareCollection = await upload(call, '/stage_plots', { collection_name: 'spare' });
  const batch = { collection_name: 'batch', stats: 'true', monitoring_end: '2024-12-31' };
  const collection = await upload(call, '/batch_process', batch);
  await until(call, `/batch_progress?tracking_id=${collection}`);
  // Two batches of it can be compared.
  const form = new FormData();
  const again = { filename: collection, stats: 'true', monitoring_end: batch.monitoring_end };
  for (const [name, value] of Object.entries(again)) form.append(name, value);
  await readAnswer(await call('/batch_process', { method: 'POST', body: form }));
  await until(call, `/batch_progress?tracking_id=${collection}`);
  // A watch begins its first run some time after it was requested, in a worker.
  await post(call, `/collections/${collection}/watch`);
  await until(
    call,
    `/collections/${collection}/watch`,
    ({ runs }) => runs?.[0] !== undefined && runs[0].state !== 'measuring',
  );
  const made = { collection, spareCollection, staged, tracking: collection, task, spareTask, spareForestTask };
  return { ...account, ...made, delivery: delivered, tokenId };
}

/** Sends the call of a route as `fetch` does, with `more` at the end of its address. */
export function sendCall(
  call: Caller,
  route: string,
  wanted: RouteCall,
  operation: Operation,
  more = '',
): Promise<Response> {
  const { method, path, query = {}, json, form, file } = writeOut(route, wanted, operation);
  const given = Object.entries(query).filter(([, value]) => value !== null) as [string, string][];
  const address = `${path}?${new URLSearchParams(given)}${given.length > 0 && more !== '' ? '&' : ''}${more}`;
  if (json !== undefined)
    return call(address, { method, body: JSON.stringify(json), headers: { 'content-type': 'application/json' } });
  if (form === undefined) return call(address, { method });
  const body = new FormData();
  for (const [name, value] of Object.entries(form))
    if (value !== null) body.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  if (file !== undefined) body.append('file', new Blob([file.content]), file.name);
  return call(address, { method, body });
}

export async function readAnswer<T>(answer: Response): Promise<T> {
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.url}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

async function post<T>(call: Caller, path: string, body: object = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return readAnswer<T>(await call(path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function lookUp(call: Caller): Promise<string> {
  const path = '/forest_polygon/lookup?async_mode=true';
  const { task_id: id } = await post<{ task_id: string }>(call, path, { features: [POINT] });
  await until(call, `/tasks/${id}`);
  return id;
}

async function upload(call: Caller, path: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', plotsAndMill(), 'plots.geojson');
  return (await readAnswer<{ collection_id: string }>(await call(path, { method: 'POST', body }))).collection_id;
}

interface Progress {
  readonly status?: string;
  readonly runs?: readonly { readonly state: string }[];
}

const isCompleted = ({ status }: Progress): boolean => status === 'completed';

async function until(call: Caller, path: string, isDone = isCompleted): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const now = await readAnswer<Progress>(await call(path));
    if (isDone(now)) return;
    const { status } = now;
    assert.ok(status !== 'failed' && status !== 'cancelled', `${path}: ${status}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`${path} did not complete`);
}
