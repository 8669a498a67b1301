import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { json, MISBEHAVIOURS, openLiveSite } from '../live-site.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

const MILLS = 'facilities/palm_mills_sample.csv';

interface Properties {
  readonly producer_confirmed: boolean;
  readonly producer_confirmation_comment: string;
  readonly aggregation_comment: string;
  readonly evidence: readonly { indicator: string; status: string; dataset: string | null; detail: string }[];
}
interface Collection {
  readonly features: readonly { readonly properties: Properties }[];
  readonly properties: { readonly datasets: readonly { id: string; licence: string; attribution: string }[] };
}

const rompin = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [103.18, 3.07] },
  properties: { facility_name: 'Rompin POM' },
};

function fileOf(features: readonly unknown[]): FormData {
  const form = new FormData();
  form.set('commodity_type', 'palm');
  form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'mills.geojson');
  return form;
}

describe('the command data import producers', () => {
  let dataDir = '';
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-producers-'));
    await shareSampleDistrict(dataDir);
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  it('is done by data get for a public register, which says its terms first and refuses another list', async () => {
    const listed = await runCommand(['data', 'get', '--list', '--json'], { DATA_DIR: dataDir });
    const registers = JSON.parse(listed.out) as { name: string; licence: string; terms: string; address: string }[];
    assert.ok(registers.every(({ licence, terms, address }) => licence && terms && address.startsWith('https://')));
    const list = join(dataDir, 'uml.csv');
    const rows = Array.from({ length: 1_000 }, (_, i) => `PO${1_000_000_000 + i},SYNTHETIC Mill ${i},${i / 100},100`);
    await writeFile(list, ['UML ID,Mill Name,Latitude,Longitude', ...rows].join('\n'));
    const made = await runCommand(['data', 'get', 'universal-mill-list', '--from', list], { DATA_DIR: dataDir });
    assert.equal(made.code, 0, made.err);
    assert.match(
      made.err,
      /^Universal Mill List, CC-BY-4\.0\. CC BY 4\.0 as Global Forest Watch[\s\S]*1000 records of /,
    );
    await writeFile(list, 'UML ID,Mill Name,Latitude,Longitude\nPO1000000000,SYNTHETIC,1,100\n');
    const refused = await runCommand(['data', 'get', 'universal-mill-list', '--from', list], { DATA_DIR: dataDir });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /wanted at least 1000 records, got 1/);
    const unknown = await runCommand(['data', 'get', 'other'], { DATA_DIR: dataDir });
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /there is no register "other"; there are: universal-mill-list/);
    const removed = await runCommand(['data', 'remove', 'universal-mill-list'], { DATA_DIR: dataDir });
    assert.equal(removed.code, 0, removed.err);
  });

  it('makes a registry that data list shows and data remove takes away', async () => {
    const list = join(dataDir, 'My Mills.csv');
    await writeFile(list, 'name,lat,lon\nKilang Satu,3,103\n,1,1\nKilang Dua,99,1\n');
    const made = await runCommand(['data', 'import', 'producers', list, '--licence', 'CC0-1.0'], { DATA_DIR: dataDir });
    assert.equal(made.code, 0, made.err);
    assert.match(made.err, /2 producers, 1 with a place; names from name, places from lon and lat/);
    assert.match(made.err, /Rows without a name, left out: 1\./);
    assert.match(made.err, /Places that cannot be used: 1, the first in row 4/);
    const { out } = await runCommand(['data', 'list', '--json'], { DATA_DIR: dataDir });
    const datasets = JSON.parse(out) as { id: string; role: string; licence: string }[];
    const shown = datasets.find(({ id }) => id === 'my-mills');
    assert.deepEqual([shown?.role, shown?.licence], ['producers', 'CC0-1.0']);
    const verified = await runCommand(['data', 'verify'], { DATA_DIR: dataDir });
    assert.match(verified.out, /^my-mills [0-9a-f]{12}: 2 producers, sound$/m);
    assert.equal((await runCommand(['data', 'remove', 'my-mills'], { DATA_DIR: dataDir })).code, 0);
    assert.doesNotMatch((await runCommand(['data', 'list'], { DATA_DIR: dataDir })).out, /my-mills/);
  });

  it('refuses what it cannot read, and leaves nothing behind', async () => {
    const list = join(dataDir, 'numbers.csv');
    await writeFile(list, 'a,b\n1,2\n3,4\n');
    const refused = await runCommand(['data', 'import', 'producers', list], { DATA_DIR: dataDir });
    assert.deepEqual(
      [refused.code, /No column was taken for names; say which of a, b/.test(refused.err)],
      [1, true],
      refused.err,
    );
    const tea = await runCommand(['data', 'import', 'producers', list, '--commodity', 'palm,tea'], {
      DATA_DIR: dataDir,
    });
    assert.deepEqual([tea.code, /--commodity: wanted some of rubber, .*, got "tea"/.test(tea.err)], [2, true], tea.err);
    const missing = await runCommand(['data', 'import', 'producers', join(dataDir, 'none.csv')], { DATA_DIR: dataDir });
    assert.equal(missing.code, 2);
    assert.doesNotMatch((await runCommand(['data', 'list'], { DATA_DIR: dataDir })).out, /numbers/);
  });
});

for (const engine of oneEngine()) {
  describe(
    `producers, live services and a language model on ${engine.name}`,
    { skip: engine.skip, ...(engine.skip === false ? needsSharedData(MILLS) : {}) },
    () => {
      const site = openLiveSite();
      let service: RunningProcess;
      let database: Awaited<ReturnType<typeof engine.create>>;

      before(async () => {
        database = await engine.create();
        const words = [
          'data',
          'import',
          'producers',
          join(SHARED_DATA, MILLS),
          '--id',
          'mill-list',
          '--title',
          'Universal Mill List',
        ];
        const made = await runCommand([...words, '--licence', 'CC-BY-4.0'], { DATA_DIR: database.dataDir });
        assert.match(made.err, /407 producers, 407 with a place/);
        service = await runService({
          dataDir: database.dataDir,
          env: {
            ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
            OVERPASS_URL: `${site.base}/api/interpreter`,
            LANGUAGE_MODEL: 'openai-compatible:local',
            LANGUAGE_MODEL_URL: `${site.base}/v1`,
          },
        });
      });
      after(async () => {
        await service.stop();
        await database.drop();
        await rm(database.dataDir, { recursive: true, force: true });
      });

      const answer = json({
        elements: [
          { type: 'node', id: 1, lat: 3.071, lon: 103.18, tags: { man_made: 'works', name: 'Kilang Rompin' } },
        ],
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: { role: 'assistant', content: '{"comment":"{{facility}} was looked at."}' },
          },
        ],
      });

      function check({ features, properties }: Collection): void {
        const [{ properties: found }] = features;
        assert.equal(found.producer_confirmed, true);
        assert.match(found.producer_confirmation_comment, /Universal Mill List has "ROMPIN.*" \(PO1000003873\)/);
        const of = (indicator: string) => found.evidence.find((entry) => entry.indicator === indicator);
        assert.deepEqual([of('poi_presence')?.status, of('poi_presence')?.dataset], ['present', 'mill-list']);
        assert.deepEqual([of('road_access')?.status, of('road_access')?.dataset], ['absent', 'overpass-roads']);
        assert.equal(
          found.aggregation_comment,
          'Written by a language model from the indicators: Rompin POM was looked at. Evidence: partly verified, with 55 % of what is scored assessed: the score could be anything from 0.45 to 0.70.',
        );
        const cited = properties.datasets.filter(({ id }) => ['mill-list', 'overpass-roads'].includes(id));
        assert.deepEqual(new Set(cited.map(({ licence }) => licence)), new Set(['CC-BY-4.0', 'ODbL-1.0']));
      }

      it('answer a request', async () => {
        site.handler = answer;
        const response = await service.fetch('/validate_facilities', { method: 'POST', body: fileOf([rompin]) });
        check((await response.json()) as Collection);
      });

      it('answer a task, in its own thread, from answers that were kept', async () => {
        site.handler = MISBEHAVIOURS['is down'];
        const form = fileOf([rompin]);
        const accepted = await service.fetch('/validate_facilities?async_mode=true', { method: 'POST', body: form });
        const { task_id: id } = (await accepted.json()) as { task_id: string };
        let status = 'processing';
        for (let i = 0; i < 1_200 && status === 'processing'; i++) {
          await setTimeout(100);
          ({ status } = (await (await service.fetch(`/tasks/${id}`)).json()) as { status: string });
        }
        assert.equal(status, 'completed');
        const results = (await (await service.fetch(`/tasks/${id}/results`)).json()) as Collection;
        check(results);
        const road = results.features[0].properties.evidence.find(({ indicator }) => indicator === 'road_access');
        assert.match(road?.detail ?? '', /This answer was kept from \d+ (seconds?|minutes?) ago/);
      });

      it('keep all else when the services fail', async () => {
        site.handler = MISBEHAVIOURS['is down'];
        const elsewhere = { ...rompin, geometry: { type: 'Point', coordinates: [103.19, 3.08] } };
        const response = await service.fetch('/validate_facilities', { method: 'POST', body: fileOf([elsewhere]) });
        const [{ properties: found }] = ((await response.json()) as Collection).features;
        assert.equal(found.producer_confirmed, true);
        assert.match(
          found.evidence.find(({ indicator }) => indicator === 'road_access')?.detail ?? '',
          /Overpass answered with status 500/,
        );
        assert.match(found.aggregation_comment, /^Composed from the indicators: /);
      });
    },
  );
}
