import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { networkOf } from '../../src/geo/detection/logistic-head.ts';
import { BANDS } from '../../src/geo/segmentation/grid.ts';
import type { Dataset } from '../../src/readers/catalogue/dataset.ts';
import { removeHeads, writeHead } from '../../src/service/models/installed-models.ts';
import { MADE_UP_HEAD } from '../detection-heads.ts';
import { catalogueOf, MADE_UP_PLACE, writeEmbeddings } from '../made-up-embeddings.ts';
import { writeForestDistrict, type ForestDistrict } from './forest-district.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

interface Answer {
  readonly features: readonly {
    readonly properties: Readonly<Record<string, unknown>> & {
      readonly warnings: readonly { readonly code: string }[];
      readonly evidence: readonly { readonly indicator: string; readonly dataset: string | null }[];
    };
  }[];
}

const COUNTY = [-89.39, 43.057] as const;

describe('what is installed and listed while the service runs', () => {
  let dataDir: string;
  let catalogue: string;
  let service: RunningProcess;
  let district: ForestDistrict;
  let embeddings: Dataset;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'installed-catalogue-'));
    await shareSampleDistrict(dataDir);
    district = await writeForestDistrict(dataDir);
    embeddings = await writeEmbeddings(join(dataDir, 'made-up'), () => new Int8Array(BANDS).fill(40));
    ({ catalogue } = district);
    service = await runService({ dataDir, env: { CATALOGUE: catalogue, CHECK_TIMEOUT_MS: '20000' } });
  });
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('are parcels at the next search, and none once they are removed', async () => {
    assert.deepEqual(await parcel(), ['outside_parcel_footprint', null]);
    const file = resolve(import.meta.dirname, '../oracles/parcels/parcels.zip');
    const words = ['data', 'import', 'parcels', file, '--id', 'dane', '--jurisdiction', 'US-WI-025'];
    const imported = await runCommand([...words, '--id-field', 'PARCELID'], { DATA_DIR: dataDir });
    assert.equal(imported.code, 0, imported.err);
    assert.deepEqual(await parcel(), [undefined, 'dane-parcels']);
    const removed = await runCommand(['data', 'remove', 'dane'], { DATA_DIR: dataDir });
    assert.equal(removed.code, 0, removed.err);
    assert.deepEqual(await parcel(), ['outside_parcel_footprint', null]);
  });

  it('are embeddings and models at the next request and the next task', async () => {
    await writeFile(catalogue, catalogueOf(embeddings));
    assert.ok((await listed()).includes('made-up-embeddings'));
    assert.notEqual(await palm(), 'made-up-palm');
    const head = { weights: Array.from({ length: BANDS }, (_, band) => (band === 0 ? 40 : 0)), bias: 0 };
    await writeHead({ dataDir }, 'made-up-palm', networkOf(head), MADE_UP_HEAD);
    assert.equal(await palm(), 'made-up-palm');
    assert.equal(await palmOfTask(), 'made-up-palm');
    await removeHeads({ dataDir }, 'made-up-palm');
    assert.notEqual(await palm(), 'made-up-palm');
    assert.notEqual(await palmOfTask(), 'made-up-palm');
  });

  it('are read by forest lookups, and a file that is broken leaves everything as it was', async () => {
    const again = await writeForestDistrict(dataDir);
    assert.equal(await forestDataset(again), 'district');
    const before = await listed();
    await writeFile(catalogue, '[{"id": "half');
    assert.equal(await forestDataset(again), 'district');
    assert.deepEqual(await listed(), before);
    const told = service.output().err + service.output().out;
    assert.match(told, /what was installed or listed cannot be opened; what was known before answers/);
    assert.match(told, /forest datasets cannot be opened; those known before answer/);
    await writeFile(catalogue, catalogueOf(embeddings));
    assert.ok(!(await listed()).includes('district'));
    assert.notEqual(await forestDataset(again), 'district');
  });

  async function parcel(): Promise<readonly [warning: string | undefined, dataset: unknown]> {
    const answer = await service.fetch(`/cadastral/parcels/search?lon=${COUNTY[0]}&lat=${COUNTY[1]}`);
    const { properties } = ((await answer.json()) as Answer).features[0];
    return [properties.warnings[0]?.code, properties['dataset']];
  }

  async function forestDataset({ stand }: ForestDistrict): Promise<unknown> {
    const geometry = { type: 'Point', coordinates: stand(0, 0) };
    const answer = await service.fetch('/forest_polygon/lookup', {
      method: 'POST',
      body: JSON.stringify({ features: [{ type: 'Feature', geometry, properties: {} }] }),
      headers: { 'content-type': 'application/json' },
    });
    return ((await answer.json()) as Answer).features[0].properties['dataset'];
  }

  async function palm(): Promise<string | null> {
    return presence((await (await validate('')).json()) as Answer);
  }

  async function palmOfTask(): Promise<string | null> {
    const { poll_url: poll, results_url: results } = (await (await validate('?async_mode=true')).json()) as {
      readonly poll_url: string;
      readonly results_url: string;
    };
    for (;;) {
      const { status } = (await (await service.fetch(poll)).json()) as { status: string };
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((done) => setTimeout(done, 50));
    }
    return presence((await (await service.fetch(results)).json()) as Answer);
  }

  function validate(query: string): Promise<Response> {
    const geometry = { type: 'Point', coordinates: MADE_UP_PLACE };
    const features = [{ type: 'Feature', geometry, properties: {} }];
    const form = new FormData();
    form.append('commodity_type', 'palm');
    form.append('commodity_radius', '150');
    form.append('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'mill.geojson');
    return service.fetch(`/validate_facilities${query}`, { method: 'POST', body: form });
  }

  function presence({ features }: Answer): string | null {
    const found = features[0].properties.evidence.find(({ indicator }) => indicator === 'commodity_presence');
    return found?.dataset ?? null;
  }

  async function listed(): Promise<readonly string[]> {
    const { datasets } = (await (await service.fetch('/datasets')).json()) as { datasets: { id: string }[] };
    return datasets.map(({ id }) => id);
  }
});
