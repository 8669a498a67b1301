import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { everyFormat } from '../sample-location-files.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runService, type RunningProcess } from './run-service.ts';

const KEY = 'internal-key-of-the-end-to-end-tests';
const MAX_MB = 3;

let service: RunningProcess;
before(async () => {
  service = await runService({ env: { INTERNAL_API_KEY: KEY, MAX_COLLECTION_MB: String(MAX_MB) } });
});
after(() => service[Symbol.asyncDispose]());

interface Progress {
  readonly done: number;
  readonly total: number | null;
}
interface Work {
  readonly collection_id: string;
  readonly collection_name: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly stats: boolean | null;
  readonly monitoring_start: string | null;
  readonly monitoring_end: string | null;
  readonly locations_confidence: string | null;
  readonly confidence_counts: Readonly<Record<string, number>> | null;
  readonly confidence_reasons: readonly string[] | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly task_id: string | null;
  readonly poll_url: string | null;
  readonly urls: Readonly<Record<string, string>> | null;
  readonly task: { readonly status: string; readonly phase: string | null; readonly progress: Progress } | null;
}
interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer?: string; readonly code: string }[];
}

type Fields = Readonly<Record<string, string>>;

/** As a user of an internal service, so that tests do not see each other's collections. */
function as(user: string) {
  const headers = { 'x-internal-api-key': KEY, 'x-user-id': user };
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${service.url}${path}`, { ...init, headers: { ...headers, ...(init.headers as Fields) } });
  const post = (
    path: string,
    file: Blob | string | null,
    fields: Fields = {},
    more: Fields = {},
  ): Promise<Response> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (file !== null) form.append('file', typeof file === 'string' ? new Blob([file]) : file, 'plots.csv');
    return call(path, { method: 'POST', body: form, headers: more });
  };
  return {
    call,
    post,
    async work(path: string, file: Blob | string | null, fields: Fields = {}, status = 202): Promise<Work> {
      return read<Work>(await post(path, file, fields), status);
    },
    async refused(path: string, file: Blob | string | null, fields: Fields, status: number): Promise<Refusal> {
      return read<Refusal>(await post(path, file, fields), status);
    },
    get: async (path: string, status = 200): Promise<Work> => read<Work>(await call(path), status),
    async ended(id: string): Promise<Work> {
      for (;;) {
        const work = await read<Work>(await call(`/batch_progress?tracking_id=${id}`), 200);
        if (work.status !== 'processing') return work;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

async function read<T>(answer: Response, status: number): Promise<T> {
  const text = await answer.text();
  assert.equal(answer.status, status, text.slice(0, 800));
  return JSON.parse(text) as T;
}

const CSV = [
  'id,name,lat,lon,country,area_ha,type',
  'a,Plot A,4.590001,102.600001,MY,1.5,plot',
  'b,Plot B,4.600001,102.610001,MY,9,plot',
  'c,Mill C,4.595001,102.605001,MY,,facility',
  'd,Nowhere,,,,,plot',
].join('\n');
const NAMED = { collection_name: 'lot 7' };
const QUICK = { ...NAMED, stats: 'false' };

describe('a collection', () => {
  test('goes from a file to results in one request, and shows how far it is', async () => {
    const ana = as('ana');
    const answer = await ana.post('/batch_process', CSV, {
      ...NAMED,
      description: 'Harvest 2026',
      crop_type: 'oil palm',
      validate_locations: 'true',
      monitoring_start: '2018-01-01',
      monitoring_end: '2024-12-31',
    });
    const begun = await read<Work>(answer, 202);
    assert.equal(answer.headers.get('location'), begun.poll_url);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.deepEqual([begun.status, begun.poll_url], ['processing', `/batch_progress?tracking_id=${begun.task_id}`]);
    const done = await ana.ended(begun.task_id!);
    assert.deepEqual([done.status, done.error], ['completed', null]);
    assert.deepEqual(done.counts, {
      locations: 4,
      plots: 3,
      facilities: 1,
      measured: 2,
      problems: 1,
      groups: { deforested: 0, open: 1, cleared: 0, left_out: 2, excluded: 0, facility: 1 },
    });
    assert.deepEqual(done.task?.progress, { done: 4, total: 4 });
    assert.deepEqual([done.monitoring_start, done.monitoring_end], ['2018-01-01', '2024-12-31']);
    assert.equal(done.locations_confidence, 'low', 'plot b has 9 ha as a point');
    assert.equal(done.confidence_counts?.['not processed: geocoding failed'], 1);
    assert.ok(done.confidence_reasons?.includes('1 plot fails the check area.'), String(done.confidence_reasons));
    assert.equal(Object.keys(done.urls ?? {}).length, 5);
    assert.deepEqual(
      (await ana.get(`/collections/${begun.collection_id}`)).collection_id,
      (await ana.get(`/get_collections/${begun.collection_id}`)).collection_id,
    );
    const plots = await ana.call(`/fetch_plots?filename=${begun.collection_id}`);
    const lines = (await plots.text()).trim().split('\n');
    assert.equal(lines.length, 4, 'every location is there, also the one without a place');
  });

  test('is staged first and processed later, with the way its file is read', async () => {
    const ben = as('ben');
    const odd = 'code,east,north\nx,102.6,4.6\ny,102.61,4.61\n';
    const staged = await ben.work(
      '/stage_plots',
      odd,
      {
        request_data: JSON.stringify({
          collection_name: 'odd columns',
          description: '',
          mapping: { east: 'longitude', north: 'latitude', code: 'location_id' },
          location_type: 'plot',
        }),
      },
      201,
    );
    assert.deepEqual([staged.status, staged.task_id, staged.locations_confidence], ['staged', null, null]);
    assert.equal((await ben.get(`/batch_progress?tracking_id=${staged.collection_id}`)).status, 'staged');
    const answer = await ben.call('/upload_plots', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ filename: staged.collection_id }),
    });
    await read<Work>(answer, 202);
    const read1 = await ben.ended(staged.collection_id);
    assert.deepEqual([read1.counts?.['locations'], read1.counts?.['measured'], read1.stats], [2, 0, false]);
    const batch = await ben.work('/batch_process', null, {
      filename: staged.collection_id,
      collection_name: 'renamed',
    });
    assert.equal(batch.collection_id, staged.collection_id);
    const measured = await ben.ended(staged.collection_id);
    assert.deepEqual([measured.collection_name, measured.counts?.['measured'], measured.stats], ['renamed', 2, true]);
  });

  test('has one confidence stored when it is staged with validation', async () => {
    const eva = as('eva');
    const staged = await eva.work('/stage_plots', CSV, { collection_name: 'x', validate_locations: 'true' });
    assert.equal(staged.status, 'processing');
    const checked = await eva.ended(staged.collection_id);
    assert.deepEqual([checked.status, checked.locations_confidence, checked.counts], ['staged', 'low', null]);
    assert.ok(checked.confidence_reasons!.length > 0);
    const shown = await eva.call(`/fetch_deforestation_check?filename=${staged.collection_id}`);
    assert.equal(shown.status, 200);
    const lines = (await shown.text()).trim().split('\n');
    for (const line of lines) {
      const { properties } = JSON.parse(line) as { properties: Record<string, unknown> };
      assert.equal(properties['locations_confidence'], 'low');
      assert.notEqual(properties['location_confidence'], null);
      assert.equal(properties['noncompliance_area_ha'], null, 'nothing is measured');
      if (properties['location_type'] === 'plot') assert.equal(properties['eudr_status'], 'unknown');
    }
    assert.ok(lines.length > 1, String(lines.length));
    assert.equal((await eva.call(`/fetch_biodiversity?filename=${staged.collection_id}`)).status, 409);
    await eva.work('/batch_process', null, {
      filename: staged.collection_id,
      stats: 'false',
    });
    const done = await eva.ended(staged.collection_id);
    assert.deepEqual([done.status, done.locations_confidence], ['completed', 'low'], 'the stored confidence stays');
  });

  test('has no confidence of an earlier batch once a batch without validation took its place', async () => {
    const may = as('may');
    const { collection_id: id } = await may.work('/batch_process', CSV, { ...QUICK, validate_locations: 'true' });
    assert.equal((await may.ended(id)).locations_confidence, 'low');
    for (const attempt of [1, 2]) {
      await may.work('/batch_process', null, { filename: id, stats: 'false', mapping: '{"name": null}' });
      const done = await may.ended(id);
      assert.deepEqual(
        [done.status, done.locations_confidence, done.confidence_counts, done.confidence_reasons],
        ['completed', null, null, null],
        `attempt ${attempt}`,
      );
    }
  });

  test('that is processed while it is checked is validated by its batch', async () => {
    const finn = as('finn');
    const staged = await finn.work('/stage_plots', madeUpPlots(1_000), {
      collection_name: 'x',
      validate_locations: 'true',
    });
    const batch = await finn.work('/batch_process', null, { filename: staged.collection_id, stats: 'false' });
    assert.notEqual(batch.task_id, staged.task_id);
    const done = await finn.ended(staged.collection_id);
    assert.deepEqual([done.status, done.counts?.['locations']], ['completed', 1_000]);
    assert.ok(done.locations_confidence !== null);
    assert.equal((await finn.get(`/batch_progress?tracking_id=${staged.task_id}`)).task?.status, 'cancelled');
  });

  test('is made once for an idempotency key', async () => {
    const gil = as('gil');
    const key = { 'idempotency-key': 'batch-1' };
    const [first, second] = await Promise.all([1, 2].map(() => gil.post('/batch_process', CSV, QUICK, key)));
    const [a, b] = [await read<Work>(first!, 202), await read<Work>(second!, 202)];
    assert.deepEqual([a.collection_id, a.task_id], [b.collection_id, b.task_id]);
    await gil.ended(a.collection_id);
    const again = await read<Work>(await gil.post('/batch_process', CSV, QUICK, key), 202);
    assert.deepEqual([again.task_id, again.status], [a.task_id, 'completed']);
    const other = await gil.post('/batch_process', `${CSV}\n`, QUICK, key);
    assert.equal((await read<Refusal>(other, 422)).code, 'idempotency_mismatch');
    const list = await read<{ collections: readonly Work[] }>(await gil.call('/get_collections'), 200);
    assert.equal(list.collections.length, 1);
  });

  test('is one batch at a time, followed by its events, and deleted while it runs', async () => {
    const hal = as('hal');
    const begun = await hal.work('/batch_process', madeUpPlots(8_000), { ...NAMED, validate_locations: 'true' });
    const again = await hal.refused('/batch_process', null, { filename: begun.collection_id }, 409);
    assert.equal(again.code, 'collection_busy');
    const events = await hal.call(`/batch_progress?tracking_id=${begun.collection_id}`, {
      headers: { accept: 'text/event-stream' },
    });
    assert.match(events.headers.get('content-type') ?? '', /^text\/event-stream/);
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/"done":[1-9]\d*,"total":8000\},"phase":"measuring"/.test(text)) {
      const { value, done } = await reader.read();
      assert.ok(!done, text);
      text += value;
    }
    assert.match(text, /^event: progress\ndata: \{/);
    const removed = await hal.call(`/collections/${begun.collection_id}`, { method: 'DELETE' });
    assert.equal(removed.status, 200);
    while (!/event: (gone|cancelled)/.test(text)) {
      const { value, done } = await reader.read();
      assert.ok(!done, text);
      text += value;
    }
    await hal.get(`/collections/${begun.collection_id}`, 404);
    await hal.get(`/batch_progress?tracking_id=${begun.task_id}`, 404);
    assert.equal((await hal.call(`/tasks/${begun.task_id}`)).status, 404);
    assert.equal((await hal.call(`/collections/${begun.collection_id}`, { method: 'DELETE' })).status, 404);
  });

  test('whose task is cancelled is cancelled, and can be processed again', async () => {
    const ida = as('ida');
    const begun = await ida.work('/batch_process', madeUpPlots(1_000), NAMED);
    await ida.call(`/tasks/${begun.task_id}`, { method: 'DELETE' });
    assert.equal((await ida.get(`/collections/${begun.collection_id}`)).status, 'cancelled');
    await ida.work('/batch_process', null, { filename: begun.collection_id, stats: 'false' });
    assert.equal((await ida.ended(begun.collection_id)).counts?.['locations'], 1_000);
  });

  test('does not exist for another user', async () => {
    const [jan, kim] = [as('jan'), as('kim')];
    const { collection_id: id, task_id: task } = await jan.work('/batch_process', CSV, QUICK);
    await jan.ended(id);
    for (const path of [`/collections/${id}`, `/get_collections/${id}`, `/batch_progress?tracking_id=${id}`])
      assert.equal((await read<Refusal>(await kim.call(path), 404)).code, 'collection_not_found', path);
    await kim.get(`/batch_progress?tracking_id=${task}`, 404);
    assert.equal((await kim.call(`/collections/${id}`, { method: 'DELETE' })).status, 404);
    assert.equal((await kim.refused('/batch_process', null, { filename: id }, 404)).code, 'collection_not_found');
    const list = await read<{ collections: readonly Work[] }>(await kim.call('/get_collections'), 200);
    assert.deepEqual(list.collections, []);
    await jan.get(`/collections/${id}`);
  });

  test('is listed page by page, newest first', async () => {
    const lea = as('lea');
    const ids: string[] = [];
    for (const name of ['1', '2', '3'])
      ids.unshift((await lea.work('/stage_plots', CSV, { collection_name: name }, 201)).collection_id);
    interface Page {
      readonly collections: readonly Work[];
      readonly next: string | null;
    }
    const first = await read<Page>(await lea.call('/get_collections?limit=2'), 200);
    const second = await read<Page>(await lea.call(`/get_collections?limit=2&before=${first.next}`), 200);
    assert.deepEqual(
      [...first.collections, ...second.collections].map(({ collection_id: id }) => id),
      ids,
    );
    assert.equal(second.next, null);
  });

  test('is counted by its status in the metrics', async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^firstmile_collections\{status="completed"\} [1-9]/m);
  });

  test('is made of any format of locations', async () => {
    const mia = as('mia');
    const places = [
      { name: 'One', lon: 102.6, lat: 4.6 },
      { name: 'Two', lon: 102.61, lat: 4.61 },
    ] as unknown as Parameters<typeof everyFormat>[0];
    for (const [format, bytes] of Object.entries(everyFormat(places))) {
      const { collection_id: id } = await mia.work('/batch_process', new Blob([Buffer.from(bytes)]), QUICK);
      const { status, counts, error } = await mia.ended(id);
      assert.deepEqual([status, error, counts?.['locations']], ['completed', null, 2], format);
    }
  });
});

describe('what cannot be a collection', () => {
  const nik = as('nik');

  test('is refused with what was wanted', async () => {
    const cases: readonly [Fields, string, string][] = [
      [{ stats: 'false' }, '/form/collection_name', 'missing'],
      [{ ...NAMED, colour: 'red' }, '/form/colour', 'unknown_field'],
      [{ ...NAMED, stats: 'maybe' }, '/form/stats', 'invalid'],
      [{ ...NAMED, monitoring_start: '2017-13-01' }, '/form/monitoring_start', 'invalid'],
      [{ ...NAMED, monitoring_start: '01/02/2017' }, '/form/monitoring_start', 'invalid'],
      [{ ...NAMED, monitoring_start: '2021-01-01' }, '/form/monitoring_start', 'invalid'],
      [{ ...NAMED, monitoring_end: '2019-01-01' }, '/form/monitoring_end', 'invalid'],
      [{ ...NAMED, monitoring_end: '2999-01-01' }, '/form/monitoring_end', 'invalid'],
      [{ ...NAMED, filename: 'x' }, '/form/filename', 'file_and_filename'],
      [{ ...NAMED, fetch_data: 'true' }, '/form/fetch_data', 'without_dry_run'],
      [{ ...NAMED, country: 'Atlantis' }, '/form/country', 'invalid'],
    ];
    for (const [fields, pointer, code] of cases) {
      const refusal = await nik.refused('/batch_process', CSV, fields, 422);
      assert.deepEqual(
        refusal.errors?.map((one) => [one.pointer, one.code]),
        [[pointer, code]],
        refusal.detail,
      );
    }
    const bad = await nik.refused('/stage_plots', CSV, { request_data: '[1]' }, 422);
    assert.equal(bad.errors?.[0]?.pointer, '/form/request_data');
    const nul = await nik.refused('/stage_plots', CSV, { request_data: '{"collection_name":"a\\u0000b"}' }, 422);
    assert.equal(nul.errors?.[0]?.pointer, '/form/collection_name');
    const none = await nik.refused('/batch_process', null, NAMED, 422);
    assert.equal(none.errors?.[0]?.code, 'missing_file');
    assert.equal((await nik.refused('/batch_process', null, { filename: 'x' }, 404)).code, 'collection_not_found');
    assert.equal((await nik.call('/batch_progress')).status, 422);
    const json = await nik.call('/batch_process', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(json.status, 415);
  });

  test('is an empty file, or one that holds no locations', async () => {
    assert.equal((await nik.refused('/batch_process', '', QUICK, 400)).code, 'malformed_file');
    assert.equal((await nik.refused('/stage_plots', '%%% not a table', NAMED, 400)).code, 'malformed_file');
    const empty = await nik.refused('/batch_process', '{"type":"FeatureCollection","features":[]}', QUICK, 400);
    assert.equal(empty.code, 'malformed_file');
    assert.match(empty.detail, /no location/);
  });

  test('with no usable location is completed and says so of each', async () => {
    const { collection_id: id } = await nik.work('/batch_process', 'name,lat,lon\na,,\nb,95,200\n', {
      ...NAMED,
      validate_locations: 'true',
    });
    const { status, counts, locations_confidence: confidence } = await nik.ended(id);
    assert.deepEqual([status, counts?.['problems'], counts?.['measured']], ['completed', 2, 0]);
    assert.match(confidence ?? '', /^(invalid|not processed: geocoding failed)$/);
  });

  test('is larger than the limit, declared or not', async () => {
    const large = new Blob([CSV, ' '.repeat(MAX_MB * 1e6)]);
    assert.equal((await nik.refused('/batch_process', large, QUICK, 413)).code, 'too_large');
    const limits = await read<{ limits: readonly { name: string; value: unknown }[] }>(await nik.call('/limits'), 200);
    assert.equal(limits.limits.find(({ name }) => name === 'collection_mb')?.value, MAX_MB);
    assert.match(await answerToDeclared(1_100_000_000), /^HTTP\/1\.1 413 /);
    const list = await read<{ collections: readonly Work[] }>(await nik.call('/get_collections?limit=100'), 200);
    assert.ok(list.collections.every(({ collection_name: name }) => name === 'lot 7'));
  });

  test('is for a token without the scope', async () => {
    const answer = await fetch(`${service.url}/get_collections`);
    assert.equal(answer.status, 401);
  });
});

/** The first line of the answer to a form that says how long it is and sends nothing of it. */
function answerToDeclared(bytes: number): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        [
          'POST /batch_process HTTP/1.1',
          `host: ${hostname}`,
          `x-internal-api-key: ${KEY}`,
          'x-user-id: nik',
          'content-type: multipart/form-data; boundary=x',
          `content-length: ${bytes}`,
          '',
          '',
        ].join('\r\n'),
      );
    });
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n')[0]!);
    });
    socket.once('error', reject);
  });
}
