import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { plotsAndMill } from './client-calls.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Work {
  readonly collection_id: string;
  readonly status: string;
  readonly locations_confidence: string | null;
  readonly confidence_counts: Readonly<Record<string, number>> | null;
}
interface DryRun {
  readonly dry_run: boolean;
  readonly mapping: readonly {
    readonly columns: readonly { readonly column: string; readonly field: string | null }[];
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly { readonly code: string; readonly example: string }[];
}
interface Feature {
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const CSV = [
  'Farmer,Lat,Long,Land,Hectares,type',
  'Siti,4.590001,102.600001,MY,1.5,plot',
  ',4.600001,102.610001,MY,2,plot',
  'Mill C,4.595001,102.605001,MY,,facility',
  'Nobody,,,,,plot',
].join('\n');

for (const engine of oneEngine())
  describe(`a file that is looked at before its batch, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    before(async () => {
      database = await engine.create();
      const { databaseUrl, dataDir } = database;
      service = await runService({ dataDir, env: databaseUrl === null ? {} : { DATABASE_URL: databaseUrl } });
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
    });

    async function post<T>(
      path: string,
      file: Blob,
      fields: Readonly<Record<string, string>>,
      status: number,
    ): Promise<T> {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      body.append('file', file, file.type === 'text/csv' ? 'lot.csv' : 'lot.geojson');
      const answer = await service.fetch(path, { method: 'POST', body });
      const text = await answer.text();
      assert.equal(answer.status, status, text.slice(0, 500));
      return JSON.parse(text) as T;
    }

    const get = async <T>(path: string): Promise<T> => (await (await service.fetch(path)).json()) as T;

    async function staged(fields: Readonly<Record<string, string>>, status: 201 | 202): Promise<Work> {
      const begun = await post<Work>('/stage_plots', plotsAndMill(), { collection_name: 'lot', ...fields }, status);
      for (;;) {
        const work = await get<Work>(`/collections/${begun.collection_id}`);
        if (work.status !== 'processing') return work;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }

    async function stream(path: string): Promise<readonly Feature[]> {
      const answer = await service.fetch(path);
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text.slice(0, 300)}`);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Feature);
    }

    it('has the confidence of its staging in the check of deforestation and in the supply shed, without statistics', async () => {
      const {
        collection_id: id,
        status,
        locations_confidence: stored,
      } = await staged({ validate_locations: 'true' }, 202);
      assert.equal(status, 'staged');
      assert.match(String(stored), /^(medium|low)$/);
      const checks = await stream(`/fetch_deforestation_check?filename=${id}`);
      assert.equal(checks.length, 3);
      for (const { geometry, properties } of checks) {
        assert.notEqual(geometry, null);
        assert.equal(properties['locations_confidence'], stored);
        assert.equal(properties['noncompliance_area_ha'], null, 'nothing is measured');
        const isPlot = properties['location_type'] === 'plot';
        assert.equal(properties['eudr_status'], isPlot ? 'unknown' : 'not_a_plot');
      }
      const sheds = await stream(`/stat_supply_shed?filename=${id}`);
      assert.ok(sheds.length > 0);
      for (const { properties } of sheds) assert.equal(properties['locations_confidence'], stored);
    });

    it('has nothing to show when it was staged without validation', async () => {
      const { collection_id: id, locations_confidence: stored } = await staged({}, 201);
      assert.equal(stored, null);
      for (const path of ['/fetch_deforestation_check', '/stat_supply_shed'])
        assert.equal((await service.fetch(`${path}?filename=${id}`)).status, 409, path);
    });

    it('is answered with mapping, counts and problems by a dry run of both routes, and nothing is stored', async () => {
      const count = async (): Promise<number> =>
        (await get<{ collections: readonly unknown[] }>('/get_collections?limit=100')).collections.length;
      const before = await count();
      const tasks = await get<{ tasks: readonly unknown[] }>('/tasks');
      for (const path of ['/batch_process', '/stage_plots']) {
        const shown = await post<DryRun>(
          path,
          new Blob([CSV], { type: 'text/csv' }),
          { collection_name: 'lot', dry_run: 'True' },
          200,
        );
        assert.equal(shown.dry_run, true);
        const fields = Object.fromEntries(shown.mapping[0]!.columns.map(({ column, field }) => [column, field]));
        assert.equal(fields['Farmer'], 'supplier_name', path);
        assert.deepEqual([fields['Lat'], fields['Long']], ['latitude', 'longitude'], path);
        const { locations, plots, facilities, without_place: without, plots_without_producer: nameless } = shown.counts;
        assert.deepEqual([locations, plots, facilities, without, nameless], [4, 3, 1, 1, 1], path);
        assert.ok(
          shown.problems.length > 0 && shown.problems.every(({ example }) => /\S+ \S+.*\.$/.test(example)),
          `${path} ${JSON.stringify(shown.problems)}`,
        );
      }
      assert.equal(await count(), before);
      assert.deepEqual(await get('/tasks'), tasks);
    });
  });
