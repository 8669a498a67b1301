import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { LonLat } from '../../src/geo/shapes/shape.ts';
import { openAefSite } from './aef-site.ts';
import { misbehave } from './byte-source-site.ts';
import { copyFirstDatabase } from '../first-database.ts';
import { entryOf, writeForestDistrict } from './forest-district.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Properties {
  readonly source: string | null;
  readonly source_year: number | null;
  readonly dataset: string | null;
  readonly segment_id: string | null;
  readonly synthetic: boolean;
  readonly warnings: readonly { readonly code: string }[];
}
interface Collection {
  readonly features: readonly {
    readonly geometry: { readonly coordinates: readonly (readonly (readonly number[])[])[] } | null;
    readonly properties: Properties;
  }[];
}

/** Places of the sample district, in its western half, which has labels, and in its eastern half. */
const STORED: LonLat = [102.58, 4.6];
const LIVE: LonLat = [102.61, 4.6];

async function lookUp(service: RunningProcess, points: readonly LonLat[], query = ''): Promise<Response> {
  const features = points.map((coordinates) => ({ type: 'Feature', geometry: { type: 'Point', coordinates } }));
  const headers = { 'content-type': 'application/json' };
  return service.fetch(`/forest_polygon/lookup${query}`, {
    method: 'POST',
    body: JSON.stringify({ features }),
    headers,
  });
}

async function patches(answer: Response): Promise<Collection['features']> {
  assert.equal(answer.status, 200);
  return ((await answer.json()) as Collection).features;
}

function tell({ geometry, properties }: Collection['features'][number]) {
  const { source, source_year: year, dataset, synthetic, warnings } = properties;
  return [geometry !== null, source, year, dataset, synthetic, warnings.map(({ code }) => code)];
}

describe('the sample district', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-sample-'));
    // Without the sample district, which is what is made here.
    await copyFirstDatabase(dataDir);
  });
  after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));

  const stored = [true, 'plotids-store', 2025, 'sample-district-labels', true, ['synthetic_data']];
  const live = [true, 'aef-watershed', 2025, 'sample-district', true, ['synthetic_data']];

  it('is made by the first lookup of a service, which it answers from the store and live, at once and as a task', async () => {
    await using service = await runService({ dataDir, firstStart: true });
    const features = await patches(await lookUp(service, [STORED, LIVE]));
    assert.deepEqual(features.map(tell), [stored, live]);
    const task = (await (await lookUp(service, [STORED, LIVE], '?async_mode=true')).json()) as Record<string, string>;
    let status = 'processing';
    while (status === 'processing') {
      await new Promise((done) => setTimeout(done, 50));
      ({ status } = (await (await service.fetch(task['poll_url'] ?? '')).json()) as { status: string });
    }
    assert.deepEqual(await patches(await service.fetch(task['results_url'] ?? '')), features);
    const { datasets } = (await (await service.fetch('/datasets')).json()) as {
      datasets: { id: string; synthetic: boolean }[];
    };
    for (const id of ['sample-district', 'sample-district-labels'])
      assert.equal(datasets.find((dataset) => dataset.id === id)?.synthetic, true, id);
    assert.equal(await service.stop(), 0);
  });

  it('gives on the command line what it gave, and says that it is synthetic', async () => {
    const env = { DATA_DIR: dataDir };
    for (const [point, expected] of [
      [STORED, stored],
      [LIVE, live],
    ] as const) {
      const { code, out, err } = await runCommand(['forest', 'lookup', ...point.map(String)], env);
      assert.equal(code, 0, err);
      assert.deepEqual((JSON.parse(out) as Collection).features.map(tell), [expected]);
      assert.match(err, /synthetic_data: Generated data: .* describes no real place/);
    }
    assert.match(
      (await runCommand(['data', 'list'], env)).out,
      /^sample-district-labels .* synthetic, forest-labels$/m,
    );
  });

  it('is the same patch from the store and live, wherever labels reach', async () => {
    const env = { DATA_DIR: dataDir };
    const [own, cut] = await Promise.all(
      [[], ['--dataset', 'sample-district']].map(async (words) => {
        const { out } = await runCommand(['forest', 'lookup', ...STORED.map(String), ...words], env);
        return (JSON.parse(out) as Collection).features[0];
      }),
    );
    assert.equal(own?.properties.source, 'plotids-store');
    assert.equal(cut?.properties.source, 'aef-watershed');
    assert.deepEqual(own?.geometry, cut?.geometry);
    assert.equal(own?.properties.segment_id, cut?.properties.segment_id);
  });

  it('can be left out', async () => {
    // Without the district only the public embeddings reach its place, and they are elsewhere in this test.
    const { out } = await runCommand(['data', 'list'], { DATA_DIR: dataDir, SAMPLE_DISTRICT: 'off' });
    assert.doesNotMatch(out, /synthetic/);
  });
});

describe('a store that is built while the service runs', () => {
  it('answers from the next request on, and is listed', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-stores-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const { catalogue, stand } = await writeForestDistrict(folder);
    const dataDir = join(folder, 'data');
    await using service = await runService({ dataDir, env: { CATALOGUE: catalogue, FOREST_THREADS: '1' } });
    // Those at the edge of what was built may go on beyond it, so they are cut live.
    const points = [stand(1, 1), stand(4, 4)];
    const before = await patches(await lookUp(service, points));
    assert.deepEqual(
      before.map(({ properties }) => properties.source),
      ['aef-watershed', 'aef-watershed'],
    );
    const built = await runCommand(['store', 'build', '--dataset', 'district'], {
      DATA_DIR: dataDir,
      CATALOGUE: catalogue,
    });
    assert.equal(built.code, 0, built.err);
    const now = await patches(await lookUp(service, points));
    assert.deepEqual(
      now.map(({ properties }) => [properties.source, properties.dataset, properties.synthetic]),
      Array.from({ length: 2 }, () => ['plotids-store', 'district-labels', true]),
    );
    const shapes = (features: Collection['features']) =>
      features.map(({ geometry, properties }) => [geometry, properties.segment_id]);
    assert.deepEqual(shapes(now), shapes(before));
    const { datasets } = (await (await service.fetch('/datasets')).json()) as {
      datasets: { id: string; synthetic: boolean }[];
    };
    assert.equal(datasets.find(({ id }) => id === 'district-labels')?.synthetic, true);
    // One that is taken away is not queried any more.
    await rm(join(dataDir, 'stores'), { recursive: true });
    assert.deepEqual(shapes(await patches(await lookUp(service, points))), shapes(before));
  });
});

describe('a store at an address', () => {
  it('gives what it gives on a disk, and where it cannot be read the embeddings answer', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-stores-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    await using site = await openAefSite(folder);
    const far = { ...entryOf('far', 'zarr'), role: 'forest-labels', url: `${site.base}/labels` };
    const { catalogue, stand } = await writeForestDistrict(folder, [far]);
    const env = { DATA_DIR: join(folder, 'data'), CATALOGUE: catalogue, CACHE_MAX_MB: '0' };
    const built = await runCommand(
      ['store', 'build', '--dataset', 'district', '--out', join(folder, 'labels'), '--quiet'],
      env,
    );
    assert.equal(built.code, 0, built.err);
    const look = async () => {
      const { code, out, err } = await runCommand(['forest', 'lookup', ...stand(4, 4).map(String)], env);
      assert.equal(code, 0, err);
      return { feature: (JSON.parse(out) as Collection).features[0], err };
    };
    const stored = await look();
    assert.deepEqual([stored.feature?.properties.source, stored.feature?.properties.dataset], ['plotids-store', 'far']);
    // Size and bytes of three documents, size, index and chunk of two shards.
    assert.equal(site.requests.length, 12, JSON.stringify(site.requests));
    site.misbehave(/labels/, misbehave(403, {}));
    const live = await look();
    assert.deepEqual(
      [live.feature?.properties.source, live.feature?.properties.dataset],
      ['aef-watershed', 'district'],
    );
    assert.match(live.err, /What failed:\n  far: .*403/);
    assert.deepEqual(live.feature?.geometry, stored.feature?.geometry);
    assert.equal(live.feature?.properties.segment_id, stored.feature?.properties.segment_id);
  });
});
