import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Dataset } from '../../src/readers/catalogue/dataset.ts';
import { codesOf, MODEL_FOLDER, testVectors } from '../detection-heads.ts';
import { catalogueOf, MADE_UP_PLACE, MADE_UP_SIDE, writeEmbeddings } from '../made-up-embeddings.ts';
import { boxPolygon } from '../made-up-rasters.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

interface Vote {
  readonly dataset: string;
  readonly state: string;
  readonly share: number | null;
  readonly counts: boolean;
  readonly embeddings: { readonly dataset: string; readonly version: string; readonly year: number } | null;
  readonly reason: string | null;
}
interface Plot {
  readonly id: string;
  readonly properties: {
    readonly convergence: {
      readonly votes: readonly Vote[];
      readonly indicators: readonly { readonly indicator: string; readonly state: string }[];
    };
  };
}

/** The western half of the ground is paved with a real pixel of palm, the eastern one with a real pixel of something else. */
describe('published heads over embeddings of 2020', needsSharedData(MODEL_FOLDER), async () => {
  const [lon, lat] = MADE_UP_PLACE;
  const around = (east: number) => boxPolygon(lon + east - 0.001, lat - 0.001, lon + east + 0.001, lat + 0.001);
  const features = [
    ['palm', -0.005],
    ['other', 0.005],
    ['away', 0.3],
  ].map(([id, east]) => ({
    type: 'Feature',
    id,
    properties: { commodity_type: 'palm', country: 'MY' },
    geometry: around(Number(east)),
  }));
  const plots = JSON.stringify({ type: 'FeatureCollection', features });
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let dataset: Dataset;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-head-votes-'));
    const [palm, , , other] = testVectors()['palm'].map(({ x }) => codesOf(x));
    dataset = await writeEmbeddings(folder, (column) => (column < MADE_UP_SIDE / 2 ? palm : other), { date: '2020' });
    await writeFile(join(folder, 'catalogue.json'), catalogueOf(dataset));
    await writeFile(join(folder, 'plots.geojson'), plots);
    env = {
      DATA_DIR: join(folder, 'data'),
      CATALOGUE: join(folder, 'catalogue.json'),
      PUBLIC_RASTERS: 'off',
      PUBLIC_DATA: 'off',
      AUTO_DATA: 'off',
      MODELS: 'manual',
    };
    await shareSampleDistrict(env['DATA_DIR']!);
    const from = join(SHARED_DATA, MODEL_FOLDER);
    const installed = await runCommand(['models', 'install', 'fdp-2025b', '--from', from], env);
    assert.equal(installed.code, 0, installed.err);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  /** What was said of crops in 2020 on each plot, and by which votes on it. */
  function assertVotes(lines: readonly Plot[]): void {
    const crops = lines.map(
      ({ properties: { convergence } }) =>
        convergence.indicators.find(({ indicator }) => indicator === 'commodities_2020')?.state,
    );
    assert.deepEqual(crops, ['yes', 'no', 'unknown']);
    const votes = lines.map(({ properties: { convergence } }) =>
      convergence.votes.filter(({ embeddings }) => embeddings !== null),
    );
    assert.deepEqual(
      votes.map((own) => own.length),
      [4, 4, 0],
    );
    const palm = votes[0].find((vote) => vote.dataset === 'fdp-2025b-palm');
    const { state, share, counts, embeddings } = palm!;
    assert.deepEqual([state, share, counts], ['yes', 1, true]);
    assert.deepEqual(embeddings, { dataset: 'made-up-embeddings', version: '1', year: 2020 });
    assert.ok(votes[1].every((vote) => vote.state === 'no' && vote.share === 0));
  }

  async function verdicts(): Promise<readonly Plot[]> {
    const output = join(folder, 'verdicts.ndjson');
    const words = ['verdict', join(folder, 'plots.geojson'), '--until', '2024-12-31', '-o', output];
    const { err } = await runCommand(words, env);
    return linesOf(await readFile(output, 'utf8'), err);
  }

  it('vote in `firstmile verdict`', async () => {
    assertVotes(await verdicts());
  });

  it('vote in a batch of the service', async () => {
    await using service = await runService({ dataDir: env['DATA_DIR']!, env });
    const body = new FormData();
    body.append('collection_name', 'heads');
    body.append('monitoring_end', '2024-12-31');
    body.append('file', new Blob([plots]), 'plots.geojson');
    const begun = await service.fetch('/batch_process', { method: 'POST', body });
    const { collection_id: id } = (await begun.json()) as { collection_id: string };
    for (;;) {
      const { status } = (await (await service.fetch(`/collections/${id}`)).json()) as { status: string };
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assertVotes(linesOf(await (await service.fetch(`/fetch_deforestation_check?filename=${id}`)).text()));
  });

  it('are unknown with the reason where the embeddings cannot be read', async () => {
    const sound = await readFile(dataset.path!);
    await writeFile(dataset.path!, 'no longer a TIFF');
    const [broken] = await verdicts();
    await writeFile(dataset.path!, sound);
    const votes = broken!.properties.convergence.votes.filter(({ embeddings }) => embeddings !== null);
    assert.equal(votes.length, 4);
    for (const { state, share, reason } of votes) {
      assert.deepEqual([state, share], ['unknown', null]);
      assert.match(reason ?? '', /^made-up-embeddings: /);
    }
  });
});

function linesOf(text: string, why = ''): readonly Plot[] {
  assert.notEqual(text, '', why);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Plot);
}
