import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryTasks } from '../../../../test/memory/tasks.ts';
import { testServer } from '../../../../test/memory/test-server.ts';
import { Problem } from '../../../errors.ts';
import type { ParcelSource } from '../../../parcels/parcel.ts';
import { FOREST_TASK } from '../../../service/forest/task.ts';
import { createParcelService } from '../../../service/parcels/search.ts';
import type { NewTask, Task, Tasks } from '../../../jobs/task.ts';
import { parcelRoutes } from './parcels.ts';

interface Collection {
  readonly crs?: unknown;
  readonly features: readonly {
    readonly id?: string | number;
    readonly geometry: { readonly type: string } | null;
    readonly properties: Readonly<Record<string, unknown>> & {
      readonly warnings: readonly { readonly code: string; readonly message: string }[];
    };
  }[];
}

const RING = Float64Array.of(0, 0, 1, 0, 1, 1, 0, 1, 0, 0);
/** A cadastre of the box 0 to 2 degrees with one parcel in its lower left quarter. */
const CADASTRE: ParcelSource = {
  dataset: { id: 'county', version: '7', synthetic: false },
  jurisdiction: 'US-WI-025',
  covers: (lon, lat) => lon >= 0 && lat >= 0 && lon <= 2 && lat <= 2,
  near: async () => ({ parcels: [{ id: 'p-1', polygons: [[RING]], attributes: { owner: 'x' } }], isCut: false }),
};
const [INSIDE, ROAD, OUTSIDE] = [
  [0.5, 0.5],
  [1.5, 1.5],
  [10, 10],
];
const point = (coordinates: unknown, id?: string | number, properties: unknown = {}) => ({
  type: 'Feature',
  ...(id === undefined ? {} : { id }),
  geometry: { type: 'Point', coordinates },
  properties,
});
const PATCH = { type: 'Polygon', coordinates: [[[10, 10]]] };

/** Tasks that end as they are told as soon as they are submitted. */
function endingTasks(part: Partial<Task>, results: (features: readonly { id?: unknown }[]) => string) {
  const memory = memoryTasks();
  const submitted: NewTask[] = [];
  const tasks: Tasks = {
    ...memory,
    async submit(task) {
      submitted.push(task);
      assert.ok(task.input !== null && Symbol.asyncIterator in task.input);
      const chunks = await Array.fromAsync(task.input);
      const made = await memory.submit(task);
      memory.set(made.id, part, [results(JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown }[])]);
      return made;
    },
  };
  return { memory, tasks, submitted };
}

const patches = (features: readonly { id?: unknown }[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: features.map((feature) => ({
      ...feature,
      geometry: PATCH,
      properties: { input_point: OUTSIDE, source: 'aef-watershed', warnings: [], big: 1, of: feature.id },
    })),
  }).replaceAll('"big":1', '"big":900719925474099312345');

async function open(tasks: Tasks = memoryTasks(), waitMs = 1_000, sources: readonly ParcelSource[] = [CADASTRE]) {
  const config = { parcelTimeoutMs: 1_000, forestBatchTimeoutMs: waitMs };
  const server = testServer({ routes: [parcelRoutes(createParcelService({ sources, tasks, config }))] });
  const { authorization, userId } = await server.login(['forest']);
  const get = (query: string, headers: Record<string, string> = {}) =>
    server.app.inject({ url: `/cadastral/parcels/search?${query}`, headers: { authorization, ...headers } });
  const post = (payload: string | object) =>
    server.app.inject({
      method: 'POST',
      url: '/cadastral/parcels/search',
      headers: { authorization, 'content-type': 'application/json' },
      payload,
    });
  const head = (query: string) =>
    server.app.inject({ method: 'HEAD', url: `/cadastral/parcels/search?${query}`, headers: { authorization } });
  return { server, get, head, post, userId };
}

describe('POST /cadastral/parcels/search', () => {
  it('answers each point in order, ids and properties kept, whatever is wrong with the others', async () => {
    const { server, post } = await open();
    await using _ = server;
    const features = [
      point(INSIDE, 'a', { supplier: 'S', parcel_id: 'theirs' }),
      point(ROAD, 7),
      point(OUTSIDE, 0),
      { type: 'Feature', id: 'bad', geometry: null },
      'nothing',
      point([200, 0]),
    ];
    const answer = await post({ features });
    assert.equal(answer.statusCode, 200, answer.body);
    const collection = answer.json<Collection>();
    assert.deepEqual(
      collection.features.map(({ id, geometry, properties }) => [id, geometry?.type, properties.warnings[0]?.code]),
      [
        ['a', 'Polygon', undefined],
        [7, undefined, 'no_parcel'],
        [0, undefined, 'outside_parcel_footprint'],
        ['bad', undefined, 'invalid_point'],
        [undefined, undefined, 'invalid_point'],
        [undefined, undefined, 'invalid_point'],
      ],
    );
    const { properties } = collection.features[0];
    assert.deepEqual([properties['supplier'], properties['parcel_id'], properties['source']], ['S', 'p-1', 'parcels']);
    assert.equal(collection.crs, undefined);
  });

  it('has a crs member when another one is requested', async () => {
    const { server, post } = await open();
    await using _ = server;
    const answer = await post({ features: [point(INSIDE)], output_crs: 'EPSG:32631' });
    const named = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::32631' } };
    assert.deepEqual(answer.json<Collection>().crs, named);
  });

  it('refuses bodies that it cannot use', async () => {
    const { server, post } = await open();
    await using _ = server;
    const many = Array.from({ length: 101 }, () => point(INSIDE));
    for (const [body, status] of [
      [{ features: [] }, 422],
      [{ features: many }, 422],
      [{}, 422],
      [{ features: [point(INSIDE)], forest_fallback: 'maybe' }, 422],
      [{ features: [point(INSIDE)], output_crs: 'EPSG:1' }, 422],
      ['{', 400],
    ] as const)
      assert.equal((await post(body)).statusCode, status, JSON.stringify(body).slice(0, 80));
  });

  it('wants a token with the scope forest', async () => {
    const { server } = await open();
    await using _ = server;
    const { authorization } = await server.login(['validate']);
    const url = '/cadastral/parcels/search?lon=0.5&lat=0.5';
    assert.equal((await server.app.inject({ url, headers: { authorization } })).statusCode, 403);
    assert.equal((await server.app.inject({ url })).statusCode, 401);
  });
});

describe('the forest fallback', () => {
  it('gives one forest task of the caller the points outside of every footprint, and only those', async () => {
    const { tasks, submitted } = endingTasks({ status: 'completed' }, patches);
    const { server, post, userId } = await open(tasks);
    await using _ = server;
    const features = [point(OUTSIDE, 'x', { supplier: 'S' }), point(INSIDE, 'y'), point(ROAD), point(OUTSIDE, 'z')];
    const answer = await post({ features, forest_fallback: true, output_crs: 'EPSG:3857' });
    const found = answer.json<Collection>().features;
    assert.deepEqual(
      found.map(({ id, properties }) => [id, properties['source']]),
      [
        ['x', 'aef-watershed'],
        ['y', 'parcels'],
        [undefined, 'parcels'],
        ['z', 'aef-watershed'],
      ],
    );
    assert.deepEqual(
      [found[0].geometry, found[0].properties['supplier'], found[3].properties['of']],
      [PATCH, 'S', 'z'],
    );
    assert.match(answer.body, /"big":900719925474099312345/);
    assert.equal(submitted.length, 1);
    assert.deepEqual(
      [submitted[0].kind, submitted[0].userId, submitted[0].params],
      [FOREST_TASK, userId, { crs: 'EPSG:3857' }],
    );
  });

  it('submits no task when nothing lies outside, or when it is not wanted', async () => {
    const { tasks, submitted } = endingTasks({ status: 'completed' }, patches);
    const { server, post } = await open(tasks);
    await using _ = server;
    await post({ features: [point(INSIDE), point(ROAD), point([200, 0])], forest_fallback: true });
    const answer = await post({ features: [point(OUTSIDE)] });
    assert.deepEqual(codes(answer.json<Collection>()), ['outside_parcel_footprint']);
    assert.equal(submitted.length, 0);
  });

  it('begins no task for a question that wants the headers alone', async () => {
    const { tasks, submitted } = endingTasks({ status: 'completed' }, patches);
    const { server, get, head } = await open(tasks);
    await using _ = server;
    const [lon, lat] = OUTSIDE;
    const query = `lon=${lon}&lat=${lat}&forest_fallback=true`;
    const answer = await head(query);
    assert.deepEqual([answer.statusCode, answer.body, submitted.length], [200, '', 0]);
    const whole = await get(query);
    assert.equal(answer.headers['content-type'], whole.headers['content-type']);
    assert.equal(submitted.length, 1);
  });

  it('says where the results will be when the task takes longer than the request may', async () => {
    const { server, post } = await open(memoryTasks(), 30);
    await using _ = server;
    const features = [point(INSIDE), point(OUTSIDE), point(OUTSIDE)];
    const answer = await post({ features, forest_fallback: true });
    assert.equal(answer.statusCode, 200);
    const [, , last] = answer.json<Collection>().features;
    const task = last.properties['forest_task'] as Readonly<Record<string, unknown>>;
    assert.equal(task['index'], 1);
    assert.equal(task['results_url'], `/forest_polygon/${String(task['task_id'])}/results`);
    assert.deepEqual(
      last.properties.warnings.map(({ code }) => code),
      ['forest_pending', 'outside_parcel_footprint'],
    );
    assert.ok(last.properties.warnings[0].message.includes(String(task['results_url'])));
  });

  const failures: Readonly<Record<string, readonly [Partial<Task>, string]>> = {
    fails: [{ status: 'failed', error: { code: 'task_failed', detail: 'its worker died three times.' } }, patches([])],
    'is cancelled': [{ status: 'cancelled' }, patches([])],
    'has other results than points': [{ status: 'completed' }, patches([])],
  };
  for (const [name, [part, results]] of Object.entries(failures))
    it(`is reported in the feature alone when the task ${name}`, async () => {
      const { server, post } = await open(endingTasks(part, () => results).tasks);
      await using _ = server;
      const answer = await post({ features: [point(INSIDE), point(OUTSIDE)], forest_fallback: true });
      assert.deepEqual(codes(answer.json<Collection>()), [undefined, 'forest_unavailable']);
    });

  it('is reported in the feature alone when the queue is full', async () => {
    const tasks: Tasks = {
      ...memoryTasks(),
      submit: () => {
        throw new Problem('queue_full', 'Too many tasks are waiting.');
      },
    };
    const { server, post } = await open(tasks);
    await using _ = server;
    const { features } = (await post({ features: [point(OUTSIDE)], forest_fallback: true })).json<Collection>();
    assert.equal(
      features[0].properties.warnings[0].message,
      'The forest fallback gave no answer: Too many tasks are waiting.',
    );
  });

  it('is cancelled with its task when the client leaves', async () => {
    const memory = memoryTasks();
    const { promise: cancelled, resolve } = Promise.withResolvers<string>();
    const leave = new AbortController();
    const tasks: Tasks = {
      ...memory,
      get: (...question) => {
        leave.abort(new Error('left'));
        return memory.get(...question);
      },
      cancel: (userId, id) => {
        resolve(id);
        return memory.cancel(userId, id);
      },
    };
    const config = { parcelTimeoutMs: 1_000, forestBatchTimeoutMs: 60_000 };
    const service = createParcelService({ sources: [], tasks, config });
    const crs = { code: 4326, name: 'EPSG:4326', urn: '', definition: '' };
    const requested = service.search([point(OUTSIDE)], {
      crs,
      forestFallback: true,
      userId: 'u',
      signal: leave.signal,
    });
    await assert.rejects(requested, /left/);
    assert.equal((await memory.get('u', await cancelled))?.status, 'cancelled');
  });
});

describe('GET /cadastral/parcels/search', () => {
  it('answers one point as a collection of one, in the media type that is requested', async () => {
    const { server, get } = await open();
    await using _ = server;
    const answer = await get('lon=0.5&lat=0.5');
    assert.match(String(answer.headers['content-type']), /^application\/geo\+json/);
    assert.equal(answer.json<Collection>().features[0].properties['parcel_id'], 'p-1');
    const plain = await get('lon=0.5&lat=0.5', { accept: 'application/json' });
    assert.match(String(plain.headers['content-type']), /^application\/json/);
  });

  it('takes 0 for a coordinate like any other, and refuses what is none', async () => {
    const { server, get } = await open();
    await using _ = server;
    assert.equal((await get('lon=0&lat=0')).json<Collection>().features[0].properties['parcel_id'], 'p-1');
    for (const query of ['lon=0.5', 'lon=a&lat=1', 'lon=181&lat=1', 'lon=1&lat=1&nearby=1', 'lon=1&lat=1&output_crs=x'])
      assert.equal((await get(query)).statusCode, 422, query);
  });

  it('falls back to the forest as well', async () => {
    const { server, get } = await open(endingTasks({ status: 'completed' }, patches).tasks);
    await using _ = server;
    const { features } = (await get('lon=10&lat=10&forest_fallback=true')).json<Collection>();
    assert.deepEqual(features[0].geometry, PATCH);
  });
});

function codes({ features }: Collection): (string | undefined)[] {
  return features.map(({ properties }) => properties.warnings[0]?.code);
}
