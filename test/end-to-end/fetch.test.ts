import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import type { Polygon } from '../../src/geo/geometry.ts';
import { openOverlay } from '../../src/locations/plots/geos.ts';
import { polygonHectares } from '../../src/locations/measure-geometry.ts';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

type Properties = Readonly<Record<string, unknown>>;
interface Fetched {
  readonly type: string;
  readonly id?: unknown;
  readonly geometry: unknown;
  readonly properties: Properties;
}
interface Work {
  readonly collection_id: string;
  readonly status: string;
  readonly urls: Readonly<Record<string, string>> | null;
}

const VIEWS = ['/fetch_deforestation_check', '/fetch_biomass_emissions', '/fetch_biodiversity', '/fetch_plots'];
const PLOTS = samplePlots();

for (const engine of oneEngine())
  describe(`a collection of the sample district, fetched (${engine.name})`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let id = '';
    let urls: Readonly<Record<string, string>> = {};

    before(async () => {
      database = await engine.create();
      await mkdir(database.dataDir, { recursive: true });
      await shareSampleDistrict(database.dataDir);
      const env = database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl };
      service = await runService({ dataDir: database.dataDir, env });
      id = await upload(PLOTS, { stats: 'true', validate_locations: 'true' });
      urls = (await completed(id)).urls ?? {};
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
    });

    async function upload(features: readonly object[], fields: Readonly<Record<string, string>>): Promise<string> {
      const form = new FormData();
      for (const [name, value] of Object.entries({ collection_name: 'lot', monitoring_end: '2024-12-31', ...fields }))
        form.append(name, value);
      form.append('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'plots.geojson');
      const response = await service.fetch('/batch_process', { method: 'POST', body: form });
      const work = (await response.json()) as Work;
      assert.equal(response.status, 202, JSON.stringify(work));
      return work.collection_id;
    }

    async function completed(collection: string): Promise<Work> {
      for (let tries = 0; tries < 600; tries++) {
        const work = (await (await service.fetch(`/collections/${collection}`)).json()) as Work;
        if (work.status === 'completed') return work;
        assert.equal(work.status, 'processing', JSON.stringify(work));
        await wait(100);
      }
      throw new Error('the batch was not completed within a minute');
    }

    async function fetched(path: string): Promise<Fetched[]> {
      const response = await service.fetch(path);
      const text = await response.text();
      assert.equal(response.status, 200, text.slice(0, 500));
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Fetched);
    }

    const properties = async (path: string): Promise<Properties[]> =>
      (await fetched(path)).map((feature) => feature.properties);

    it('comes back whole and in order from every endpoint, geometries as they were sent', async () => {
      for (const view of VIEWS) {
        const features = await fetched(`${view}?filename=${id}`);
        assert.deepEqual(
          features.map((feature) => feature.id),
          PLOTS.map((feature) => feature.id),
          view,
        );
        assert.deepEqual(
          features.filter(({ properties: { problem } }) => problem === null).map(({ geometry }) => geometry),
          PLOTS.filter((_, i) => features[i]?.properties['problem'] === null).map(({ geometry }) => geometry),
        );
      }
    });

    it('distinguishes deforestation from clearings before 2021, from rubber felled and from what is not known', async () => {
      const told = new Map<string, Set<unknown>>();
      const reasons = new Set<unknown>();
      for (const plot of await properties(`/fetch_deforestation_check?filename=${id}&monitoring_start=2020-12-31`)) {
        const { name, location_type: type, eudr_status: status, noncompliance_area_ha: area } = plot;
        const label = String(name).replace('Synthetic ', '');
        told.set(label, (told.get(label) ?? new Set()).add(status));
        reasons.add(plot['check_reason']);
        if (status === 'unknown' || type === 'facility') assert.equal(area, null, label);
        if (status === 'no_deforestation_found') assert.equal(area, 0, label);
      }
      assert.deepEqual(
        [...told].map(([label, statuses]) => [label, ...statuses]),
        [
          ['block cleared in 2012', 'no_deforestation_found'],
          ['block cleared in 2018', 'no_deforestation_found'],
          ['block cleared in 2021', 'deforestation_found'],
          ['block cleared in 2023', 'deforestation_found'],
          ['rubber, not felled since', 'no_deforestation_found'],
          ['rubber, felled since 2021', 'no_deforestation_found'],
          ['farm on forest lost since', 'deforestation_found'],
          ['farm of before 2021', 'no_deforestation_found'],
          ['logged forest', 'deforestation_found'],
          ['point of 2 ha', 'no_deforestation_found'],
          ['point of 3 ha', 'deforestation_found'],
          ['plot in Antarctica, outside all data', 'unknown'],
          ['broken outline', 'unknown'],
          ['without a place', 'unknown'],
          ['Kilang Sawit Contoh (synthetic)', 'not_a_plot'],
        ],
        [...reasons].join('\n'),
      );
    });

    it('gives the year of a clearing, its emissions and the diversity it left', async () => {
      const [check] = await properties(`/fetch_deforestation_check?filename=${id}&location_id=S-004`);
      assert.deepEqual([check!['deforestation_start'], check!['deforestation_end']], ['2023-01-01', '2023-12-31']);
      assert.equal(check!['noncompliance_area_ha'], check!['area_ha']);
      assert.ok((check!['datasets'] as { synthetic: boolean }[]).every(({ synthetic }) => synthetic));
      const [cleared, standing] = (await properties(
        `/fetch_biomass_emissions?filename=${id}&location_id=S-004,S-005`,
      )) as [Properties, Properties];
      assert.ok((cleared['luc_tco2eyear'] as number) > 100, String(cleared['luc_tco2eyear']));
      assert.ok((standing['luc_tco2ehayear'] as number) < 0, 'young rubber takes up carbon');
      const [bare, forest] = (await properties(`/fetch_biodiversity?filename=${id}&location_id=S-010,S-016`)) as [
        Properties,
        Properties,
      ];
      assert.ok((forest['diversity_score'] as number) > 10 * (bare['diversity_score'] as number));
    });

    it('pages and filters without losing or doubling a location', async () => {
      const pages: unknown[] = [];
      let path: string | undefined = `/fetch_biodiversity?filename=${id}&limit=7`;
      while (path !== undefined) {
        const page = await service.fetch(path, { headers: { accept: 'application/geo+json' } });
        const { features } = (await page.json()) as { features: Fetched[] };
        pages.push(...features.map((feature) => feature.id));
        path = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(
        pages,
        PLOTS.map((feature) => feature.id),
      );
      const commodities = ['palm', 'rubber', 'cocoa', 'timber'];
      const parts = await Promise.all(
        commodities.map((name) => fetched(`/fetch_plots?filename=${id}&commodity_type=${name}`)),
      );
      assert.deepEqual(
        parts
          .flat()
          .map((feature) => feature.id)
          .sort(),
        PLOTS.map((feature) => feature.id).sort(),
      );
      assert.equal((await fetched(`/fetch_plots?filename=${id}&source.synthetic=true`)).length, PLOTS.length - 1);
      assert.equal((await service.fetch(`/fetch_plots?filename=${id}&comodity_type=palm`)).status, 422);
    });

    it('adds up to its aggregate', async () => {
      for (const [view, names] of [
        ['/fetch_deforestation_check', ['area_ha', 'noncompliance_area_ha', 'baseline_forest_ha']],
        ['/fetch_biomass_emissions', ['area_ha', 'luc_tco2eyear', 'agb_t']],
      ] as const) {
        const plots = await properties(`${view}?filename=${id}&plots_only=true`);
        const [totals] = await properties(`${view}?filename=${id}&aggregate=true`);
        for (const name of names) {
          const known = plots.map((plot) => plot[name]).filter((value) => typeof value === 'number');
          assert.equal(totals![name], known.reduce((sum, value) => sum + Math.round(value * 1e4), 0) / 1e4, name);
          assert.equal((totals!['unknown'] as Record<string, number>)[name], plots.length - known.length, name);
        }
        assert.equal(totals!['plots'], PLOTS.length - 1);
      }
    });

    it('fills the supply shed of its mill', async () => {
      const { locations_confidence: stored } = (await (await service.fetch(`/collections/${id}`)).json()) as Properties;
      assert.equal(typeof stored, 'string');
      for (const path of ['/fetch_supply_shed', '/stat_supply_shed']) {
        const [mill, ...others] = await properties(`${path}?filename=${id}&radius=3000&monitoring_start=2020-12-31`);
        assert.deepEqual([mill!['location_id'], others.length], ['M-001', 0]);
        const inside = await properties(
          `${path}?filename=${id}&radius=3000&plots_only=true&monitoring_start=2020-12-31`,
        );
        assert.equal(mill!['plots'], inside.length);
        assert.ok(inside.length > 5 && inside.length < PLOTS.length - 1);
        const lost =
          inside.reduce(
            (sum, plot) => sum + Math.round(((plot['noncompliance_area_ha'] as number | null) ?? 0) * 1e4),
            0,
          ) / 1e4;
        assert.equal(mill!['noncompliance_area_ha'], lost);
        assert.equal(mill!['locations_confidence'], stored);
      }
    });

    it('counts ground that plots share once in every total, and gives it back when a filter leaves plots out', async () => {
      const cleared = PLOTS.find((feature) => feature.id === 'S-004')!;
      const mill = PLOTS.find((feature) => feature.id === 'M-001')!;
      const outline = cleared.geometry as Polygon;
      const [west, east] = [Math.min, Math.max].map((most) => most(...outline.coordinates[0]!.map(([x]) => x!)));
      const moved: Polygon = {
        type: 'Polygon',
        coordinates: outline.coordinates.map((ring) => ring.map(([x, y]) => [x! + (east! - west!) / 2, y!])),
      };
      const lot = (feature: object, name: string, geometry: Polygon, number: string) => {
        const { properties: own } = feature as Fetched;
        return { ...feature, id: name, geometry, properties: { ...own, location_id: name, id: name, lot: number } };
      };
      const plots = [
        lot(cleared, 'first', outline, 'one'),
        lot(cleared, 'again', outline, 'two'),
        lot(cleared, 'moved', moved, 'two'),
      ];
      const own = await upload([...plots, mill], { stats: 'true', validate_locations: 'true' });
      await completed(own);

      const shared = polygonHectares((await openOverlay()).intersection(outline, moved));
      const area = polygonHectares(outline);
      assert.ok(shared > area * 0.4 && shared < area * 0.6);
      const near = (found: unknown, wanted: number, name = 'area'): void =>
        assert.ok(
          Math.abs(Number(found) - wanted) <= wanted * 0.001 + 0.001,
          `${name}: ${String(found)}, not ${wanted}`,
        );
      const query = `filename=${own}&monitoring_start=2020-12-31`;

      // The numbers of each plot stay as they were measured.
      const each = await properties(`/fetch_deforestation_check?${query}&plots_only=true`);
      assert.equal(each[0]!['noncompliance_area_ha'], each[1]!['noncompliance_area_ha']);
      assert.ok(each.every((plot) => !Object.hasOwn(plot, 'earlier')));
      for (const plot of each) near(plot['area_ha'], area);

      const lossOf = (i: number) => each[i]!['noncompliance_area_ha'] as number;
      const loss = lossOf(0) + lossOf(2) * (1 - shared / area);
      for (const [filter, overlap] of [
        ['', area + shared],
        ['&source.lot=two', shared],
      ] as const) {
        const [totals] = await properties(`/fetch_deforestation_check?${query}&aggregate=true${filter}`);
        near(totals!['area_ha'], 2 * area - shared);
        near(totals!['overlap_area_ha'], overlap, 'overlap');
        near(totals!['noncompliance_area_ha'], loss, 'loss');
        assert.deepEqual([totals!['overlaps_counted_once'], totals!['overlaps_reason']], [true, null]);
      }
      const [emissions] = await properties(`/fetch_biomass_emissions?filename=${own}&aggregate=true`);
      const biomass = (await properties(`/fetch_biomass_emissions?filename=${own}`)).map((plot) =>
        Number(plot['agb_t']),
      );
      near(emissions!['agb_t'], biomass[0]! + biomass[2]! * (1 - shared / area), 'biomass');

      const [shed] = await properties(`/fetch_supply_shed?${query}&plots=${own}&radius=20000`);
      assert.equal(shed!['plots'], 3);
      near(shed!['area_ha'], 2 * area - shared, 'shed');
      near(shed!['noncompliance_area_ha'], loss, 'loss in the shed');
      assert.equal(shed!['overlaps_counted_once'], true);

      const archive = await service.fetch(`/export_eudr_dds?${query}`);
      const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
      const { counts } = JSON.parse(Buffer.from(files['checks.json']!).toString()) as { counts: Properties };
      assert.equal(counts['plots_in_geojson'], 3);
      near(counts['area_ha'], 2 * area - shared, 'export');
      near(counts['overlap_area_ha'], area + shared, 'overlap of the export');
      near(counts['noncompliance_area_ha'], loss, 'loss of the export');
      assert.equal(counts['overlaps_counted_once'], true);

      const unchecked = await upload(plots, { stats: 'true' });
      await completed(unchecked);
      const [alike] = await properties(`/fetch_deforestation_check?filename=${unchecked}&aggregate=true`);
      near(alike!['area_ha'], 2 * area - shared);
      near(alike!['overlap_area_ha'], area + shared, 'overlap');
      assert.equal(alike!['overlaps_counted_once'], true);

      const [several] = await properties(`/fetch_deforestation_check?filename=${own},${id}&aggregate=true`);
      assert.equal(several!['overlaps_counted_once'], false);
      assert.match(String(several!['overlaps_reason']), /different collections/);
    });

    it('says which years were looked at, where the period goes on after the maps', async () => {
      const path = `/fetch_deforestation_check?filename=${id}&monitoring_start=2020-12-31&monitoring_end=2026-06-30`;
      const looked = { from: 2021, to: 2024 };
      const measured = (await properties(path)).filter((one) => one['loss_ha_by_year'] !== null);
      assert.ok(measured.length > 0);
      for (const one of measured) assert.deepEqual(one['years_looked_at'], looked);
      const [totals] = await properties(`${path}&aggregate=true`);
      const counts = Object.fromEntries([2021, 2022, 2023, 2024].map((year) => [year, measured.length]));
      assert.deepEqual([totals!['years_looked_at'], totals!['years_looked_at_counts']], [looked, counts]);
      const table = await (await service.fetch(path, { headers: { accept: 'text/csv' } })).text();
      assert.match(table.split('\n')[0]!, /,years_looked_at,loss_ha_by_year,/);
      assert.ok(table.includes('"{""from"":2021,""to"":2024}"'), table.slice(0, 2_000));
      const [later] = await properties(path.replace('2020-12-31', '2024-12-31'));
      assert.deepEqual([later!['years_looked_at'], later!['loss_ha_by_year']], [null, null]);
    });

    it('is at the addresses of its event, with the Bearer as it stands', async () => {
      for (const key of ['biomass_emissions', 'biodiversity', 'deforestation_check', 'deforestation_check_eudr']) {
        assert.equal((await fetched(urls[key] ?? key)).length, PLOTS.length, key);
      }
      const [check] = await properties(urls['deforestation_check_eudr'] ?? '');
      assert.deepEqual([check!['monitoring_start'], check!['monitoring_end']], ['2020-12-31', '2024-12-31']);
    });

    it('is of nobody else, and has no numbers where none were requested', async () => {
      const strange = await fetch(`${service.url}/fetch_plots?filename=${id}`, {
        headers: { authorization: 'Bearer fm_x' },
      });
      assert.equal(strange.status, 401);
      assert.equal((await service.fetch('/fetch_plots?filename=00000000-0000-4000-8000-000000000000')).status, 404);
      const other = await upload(PLOTS, { stats: 'false' });
      await completed(other);
      const missing = (await (
        await service.fetch(`/fetch_deforestation_check?filename=${other}`)
      ).json()) as Properties;
      assert.equal(missing['code'], 'statistics_missing');
      assert.equal((await fetched(`/fetch_plots?filename=${id},${other}`)).length, 2 * PLOTS.length);
    });
  });
