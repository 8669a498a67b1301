import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { madeUpPlots } from '../end-to-end/made-up-plots.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { FAKE_CREDENTIALS } from '../traces/fake-traces.ts';

/* Work of every kind, done by a service and waited for, for the views that show it. */

const FILED = {
  operatorRole: 'OPERATOR',
  activityType: 'DOMESTIC',
  countryOfActivity: 'DE',
  geoLocationConfidential: false,
  commodities: [
    { hsHeading: '1511', descriptionOfGoods: 'Palm oil', netWeight: 1000, percentageEstimationOrDeviation: 5 },
  ],
};

async function json<T>(service: RunningProcess, path: string, init: RequestInit = {}): Promise<T> {
  const answer = await service.fetch(path, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function ended(service: RunningProcess, id: string): Promise<void> {
  for (;;) {
    const { status } = await json<{ status: string }>(service, `/tasks/${id}`);
    if (status === 'completed') return;
    if (status !== 'processing') throw new Error(`task ${id} is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Rates places and gives the id of the task. */
export async function checked(service: RunningProcess, rows: string, name = 'suppliers.csv'): Promise<string> {
  const body = new FormData();
  body.append('check_water_access', 'true');
  body.append('check_port_proximity', 'true');
  body.append('file', new File([rows], name));
  const { task_id: id } = await json<{ task_id: string }>(service, '/validate_locations?async_mode=true', {
    method: 'POST',
    body,
  });
  await ended(service, id);
  return id;
}

/** Processes a file and gives the id of the collection. */
export async function processed(
  service: RunningProcess,
  name: string,
  file: File,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new FormData();
  const fields = { collection_name: name, stats: 'true', validate_locations: 'true', ...more };
  for (const [field, value] of Object.entries(fields)) body.append(field, value);
  body.append('file', file);
  const work = await json<{ collection_id: string; task_id: string }>(service, '/batch_process', {
    method: 'POST',
    body,
  });
  await ended(service, work.task_id);
  return work.collection_id;
}

/** Once more, so that there is something to compare. */
export async function processedAgain(service: RunningProcess, id: string): Promise<void> {
  const body = new FormData();
  body.append('filename', id);
  body.append('stats', 'true');
  body.append('validate_locations', 'true');
  const { task_id: task } = await json<{ task_id: string }>(service, '/batch_process', { method: 'POST', body });
  await ended(service, task);
}

/** Records what somebody decided of some rows. */
export async function reviewed(
  service: RunningProcess,
  id: string,
  rows: readonly number[],
  state: string,
  note: string,
): Promise<void> {
  await json(service, `/reviews/${id}`, posted({ rows, state, note }));
}

/** The batches of a collection, the newest first. */
export async function runsOf(service: RunningProcess, id: string): Promise<readonly string[]> {
  const { runs } = await json<{ runs: readonly { run_id: string }[] }>(service, `/collections/${id}`);
  return runs.map(({ run_id: run }) => run);
}

/** Looks up the forest patches of places and gives the id of the task. */
export async function lookedUp(
  service: RunningProcess,
  places: readonly (readonly [name: string, lon: number, lat: number])[],
): Promise<string> {
  const features = places.map(([name, ...coordinates]) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates },
    properties: { name },
  }));
  const path = '/forest_polygon/lookup?async_mode=true';
  const { task_id: id } = await json<{ task_id: string }>(service, path, posted({ features }));
  await ended(service, id);
  return id;
}

/** Has a collection watched, and waits for the first run. */
export async function watched(service: RunningProcess, id: string): Promise<void> {
  await json(service, `/collections/${id}/watch`, posted({}));
  for (;;) {
    const { runs } = await json<{ runs: readonly { state: string }[] }>(service, `/collections/${id}/watch`);
    if (runs.length > 0 && runs.every(({ state }) => state !== 'measuring')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A collection with a statement that was filed and is available. */
export async function filed(service: RunningProcess): Promise<string> {
  await json(service, '/traces/credentials/test', {
    ...posted({
      username: FAKE_CREDENTIALS.username,
      authentication_key: FAKE_CREDENTIALS.authenticationKey,
      client_id: FAKE_CREDENTIALS.clientId,
    }),
    method: 'PUT',
  });
  const id = await processed(service, 'Filed lot', new File([await madeUpPlots(3).arrayBuffer()], 'lot-7.geojson'));
  const { id: submission } = await json<{ id: string }>(
    service,
    '/traces/submissions',
    posted({ collection_id: id, answers: FILED }),
  );
  for (;;) {
    const { state } = await json<{ state: string }>(service, `/traces/submissions/${submission}`);
    if (state === 'available') return id;
    if (state === 'failed') throw new Error('the statement could not be filed');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function posted(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A delivery that failed for the moment, and one that arrived. */
export async function deliveries(service: RunningProcess): Promise<void> {
  let status = 500;
  const receiver: Server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('the receiver says so'));
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await json(service, '/webhooks/register', posted({ url }));
    await service.fetch('/webhooks/test', { method: 'POST' });
    status = 200;
    await service.fetch('/webhooks/test', { method: 'POST' });
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
