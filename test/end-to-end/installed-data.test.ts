import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { importRegistry } from '../../src/service/datasets/registries.ts';
import { packsFolder, removeInstalledPack } from '../../src/service/datasets/pack-folder.ts';
import { makePack } from '../made-up-pack.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

interface Evidence {
  readonly indicator: string;
  readonly status: string;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  readonly detail: string;
}

interface Result {
  readonly id: number;
  readonly properties: { readonly evidence: readonly Evidence[] };
}

/** In no district and no pack but the one of this test. */
const PLACE = [9.5, 51.2] as const;

describe('what is imported while the service runs', () => {
  let dataDir: string;
  let service: RunningProcess;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'installed-data-'));
    await shareSampleDistrict(dataDir);
    service = await runService({ dataDir });
  });
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('answers the next request and the next task, and is listed', async () => {
    assert.equal((await road()).status, 'unknown');
    assert.equal((await roadOfTask()).status, 'unknown');
    await importPack('1');
    assert.deepEqual(told(await road()), ['present', 'live-roads', '1']);
    assert.deepEqual(told(await roadOfTask()), ['present', 'live-roads', '1']);
    assert.ok((await listed()).includes('live-roads'));
  });

  it('takes the place of what had its name before', async () => {
    await importPack('2');
    assert.deepEqual(told(await road()), ['present', 'live-roads', '2']);
    assert.deepEqual(told(await roadOfTask()), ['present', 'live-roads', '2']);
  });

  it('is queried for producers too', async () => {
    const path = join(dataDir, 'mills.csv');
    await writeFile(path, `name,country,latitude,longitude\nTest Mill Ltd,DE,${PLACE[1]},${PLACE[0]}\n`);
    const terms = { licence: 'CC0-1.0', attribution: 'none', date: null, version: '1' };
    const request = { path, id: 'live-mills', title: 'Live mills', columns: {}, commodities: [], ...terms };
    assert.notEqual((await evidence('producer_confirmation', { facility_name: 'Test Mill' })).dataset, 'live-mills');
    await importRegistry({ dataDir }, request, new AbortController().signal);
    const found = await evidence('producer_confirmation', { facility_name: 'Test Mill' });
    assert.deepEqual([found.status, found.dataset], ['present', 'live-mills']);
  });

  it('may be removed while a batch runs: the batch goes on to its end, in order, and nothing of it fails', async () => {
    const count = 6_000;
    const features = Array.from({ length: count }, (_, id) => ({
      type: 'Feature',
      id,
      properties: {},
      geometry: { type: 'Point', coordinates: [PLACE[0] + (id % 100) * 1e-5, PLACE[1]] },
    }));
    const answer = await post({ type: 'FeatureCollection', features }, { accept: 'application/x-ndjson' });
    const results: Result[] = [];
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (results.length === 0 && lines.length > 0) await removeInstalledPack({ dataDir }, 'live');
      for (const line of lines) {
        const found = JSON.parse(line) as Partial<Result>;
        if (found.properties?.evidence !== undefined) results.push(found as Result);
      }
    }
    assert.deepEqual(
      results.map(({ id }) => id),
      features.map(({ id }) => id),
    );
    for (const { properties } of results) {
      const { status, detail } = of(properties.evidence, 'road_access');
      assert.ok(status === 'present' || status === 'unknown');
      assert.doesNotMatch(detail, /fail|could not/);
    }
    assert.equal((await road()).status, 'unknown');
    assert.equal((await roadOfTask()).status, 'unknown');
    assert.ok(!(await listed()).includes('live-roads'));
  });

  function importPack(version: string): Promise<void> {
    const line = Float64Array.of(PLACE[0] - 0.001, PLACE[1], PLACE[0] + 0.002, PLACE[1]);
    const values = [`way/${version}`, 'residential', null];
    return makePack(packsFolder({ dataDir }), { id: 'live', version, box: [9, 51, 10, 52] }, async (sink) =>
      sink({ theme: 'roads', geometry: { type: 'lineString', line }, values }),
    );
  }

  function post(body: object, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Response> {
    return service.fetch(`/validate_facilities${query}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/geo+json', ...headers },
    });
  }

  async function evidence(indicator: string, properties: object): Promise<Evidence> {
    const answer = await post(facility(properties));
    assert.equal(answer.status, 200, await answer.clone().text());
    return of(((await answer.json()) as { features: Result[] }).features[0].properties.evidence, indicator);
  }

  function road(): Promise<Evidence> {
    return evidence('road_access', {});
  }

  async function roadOfTask(): Promise<Evidence> {
    const accepted = await post(facility({}), {}, '?async_mode=true');
    assert.equal(accepted.status, 202);
    const task = (await accepted.json()) as { poll_url: string; results_url: string };
    for (;;) {
      const { status } = (await (await service.fetch(task.poll_url)).json()) as { status: string };
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((done) => setTimeout(done, 50));
    }
    const { features } = (await (await service.fetch(task.results_url)).json()) as { features: Result[] };
    return of(features[0].properties.evidence, 'road_access');
  }

  async function listed(): Promise<readonly string[]> {
    const { datasets } = (await (await service.fetch('/datasets')).json()) as { datasets: { id: string }[] };
    return datasets.map(({ id }) => id);
  }
});

function facility(properties: object): object {
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', id: 0, properties, geometry: { type: 'Point', coordinates: PLACE } }],
  };
}

function of(evidence: readonly Evidence[], indicator: string): Evidence {
  const found = evidence.find((entry) => entry.indicator === indicator);
  assert.ok(found !== undefined, `no evidence of ${indicator}`);
  return found;
}

function told({ status, dataset, dataset_version: version }: Evidence): unknown[] {
  return [status, dataset, version];
}
