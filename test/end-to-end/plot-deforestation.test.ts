import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import { boxPolygon, rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** No map of the world, as the service of tests has none. */
const OFFLINE = { PUBLIC_RASTERS: 'off' };
const FILE = JSON.stringify({ type: 'FeatureCollection', features: samplePlots() });

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly receipt?: {
    readonly noncompliance_area_ha: number | null;
    readonly deforestation_start: string | null;
    readonly datasets: readonly { readonly dataset: string; readonly version: string; readonly synthetic: boolean }[];
  };
}
interface Location {
  readonly properties: {
    readonly name: string | null;
    readonly location_type: string;
    readonly plot_valid?: boolean;
    readonly plot_checks?: readonly Check[];
    readonly warnings: readonly { readonly code: string }[];
  };
}
interface Collection {
  readonly features: readonly Location[];
  readonly properties: {
    readonly plots: { readonly total: number; readonly valid: number };
    readonly datasets: readonly { readonly id: string; readonly synthetic?: boolean }[];
  };
}
interface Fetched {
  readonly properties: { readonly eudr_status: string; readonly noncompliance_area_ha: number | null };
}

let service: RunningProcess;
let folder: string;
before(async () => {
  service = await runService();
  folder = await mkdtemp(join(tmpdir(), 'firstmile-plot-deforestation-'));
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function form(fields: Readonly<Record<string, string>> = {}): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append('file', new Blob([FILE]), 'plots.geojson');
  return data;
}

async function json<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await service.fetch(path, init);
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function until<T>(ask: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await ask();
    if (isDone(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const found = ({ properties }: Location): Check | undefined =>
  properties.plot_checks?.find(({ check }) => check === 'deforestation');
const statuses = ({ features }: Collection) => features.map((feature) => found(feature)?.status ?? null);

describe('deforestation after 2020-12-31', () => {
  let answer: Collection;
  before(async () => {
    answer = await json<Collection>('/validate_locations', { method: 'POST', body: form() });
  });

  test('is found on plots of a file, in order, with hectares, years and datasets', () => {
    assert.equal(answer.features.length, samplePlots().length);
    const lost = answer.features.filter((feature) => found(feature)?.status === 'fail');
    assert.ok(lost.length >= 4 && lost.length < answer.properties.plots.total / 2);
    for (const { properties } of lost) {
      const check = found({ properties });
      assert.ok((check?.receipt?.noncompliance_area_ha ?? 0) > 0);
      assert.match(check?.receipt?.deforestation_start ?? '', /^202[1-4]-01-01$/);
      assert.match(check?.detail ?? '', /ha of forest of 2020-12-31 lost .*synthetic.*By sample-district-forest/);
      assert.equal(properties.plot_valid, false);
      assert.ok(properties.warnings.some(({ code }) => code === 'deforestation'));
    }
    const ids = ['sample-district-forest', 'sample-district-losses'];
    assert.deepEqual(
      answer.properties.datasets.filter(({ id }) => ids.includes(id)).map(({ synthetic }) => synthetic),
      [true, true],
    );
    // Somewhere else, an outline that crosses itself, and a row without a place.
    const rest = answer.features.filter(
      (feature) => feature.properties.location_type === 'plot' && found(feature)?.receipt === undefined,
    );
    assert.equal(rest.length, 3);
    assert.ok(rest.every((feature) => ['unknown', undefined].includes(found(feature)?.status)));
    assert.ok(rest.some((feature) => found(feature)?.detail === 'No dataset covers the plot.'));
  });

  test('is the same as a task, and on the command line', async () => {
    type Task = { readonly status: string; readonly poll_url: string; readonly results_url: string };
    const task = await json<Task>('/validate_locations?async_mode=true', { method: 'POST', body: form() });
    const ended = await until(
      () => json<Task>(task.poll_url),
      ({ status }) => status !== 'queued' && status !== 'running' && status !== 'processing',
    );
    assert.equal(ended.status, 'completed');
    assert.deepEqual(await json<Collection>(ended.results_url), answer);

    const [input, output] = [join(folder, 'plots.geojson'), join(folder, 'checked.geojson')];
    await writeFile(input, FILE);
    const words = ['validate', input, '--routed', '--output', output];
    const { code, err } = await runCommand(words, { ...OFFLINE, DATA_DIR: service.dataDir });
    assert.equal(code, 1, err);
    assert.match(err, /Warning deforestation, \d+ times/);
    const written = JSON.parse(await readFile(output, 'utf8')) as Collection;
    assert.deepEqual(written.features, answer.features);
  });

  test('is what a batch measured, to the end of its period, and what is fetched of it', async () => {
    const fields = { collection_name: 'lot', validate_locations: 'true', monitoring_end: '2024-12-31' };
    const { collection_id: id } = await json<{ collection_id: string }>('/batch_process', {
      method: 'POST',
      body: form(fields),
    });
    type Work = {
      readonly status: string;
      readonly locations_confidence: string;
      readonly confidence_counts: Readonly<Record<string, number>>;
      readonly confidence_reasons: readonly string[];
    };
    const work = await until(
      () => json<Work>(`/collections/${id}`),
      ({ status }) => status !== 'processing',
    );
    assert.equal(work.status, 'completed');
    assert.equal(work.locations_confidence, 'low');
    const lines = async <T>(path: string): Promise<T[]> =>
      (
        await (
          await service.fetch(`${path}?filename=${id}&monitoring_start=2020-12-31&monitoring_end=2024-12-31`)
        ).text()
      )
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as T);
    const plots = await lines<Location>('/fetch_plots');
    const verdicts = (await lines<Fetched>('/fetch_deforestation_check')).map(({ properties }) => properties);
    const WORDS: Readonly<Record<string, string>> = {
      no_deforestation_found: 'pass',
      more_information_needed: 'warn',
      deforestation_found: 'fail',
    };
    plots.forEach((plot, i) => {
      const check = found(plot);
      const wanted = WORDS[verdicts[i].eudr_status];
      if (wanted !== undefined) assert.equal(check?.status, wanted, `plot ${i}`);
      else assert.ok(check === undefined || check.status === 'unknown');
      if (wanted !== undefined) assert.equal(check?.receipt?.noncompliance_area_ha, verdicts[i].noncompliance_area_ha);
    });
    const failed = plots.filter((plot) => found(plot)?.status === 'fail').length;
    assert.equal(failed, statuses(answer).filter((status) => status === 'fail').length);
    assert.ok(work.confidence_counts['low'] >= failed);
    assert.ok(work.confidence_reasons.includes(`${failed} plots fail the check deforestation.`));
  });
});

test('of less than a pixel and less than a twentieth of a plot is a question, never an all-clear', async () => {
  // Pixels of about 0.077 ha at this latitude: forest everywhere, one pixel lost at 102.5, two next to it at 102.6.
  const PIXEL = 0.00025;
  const grid = { width: 800, height: 80, west: 102.45, north: 4.01, pixel: PIXEL };
  const lost = new Set([102.5, 102.6, 102.6 + PIXEL].map((lon) => Math.round((lon - grid.west) / PIXEL)));
  const row = Math.round((grid.north - 4) / PIXEL);
  const mask = writeMadeUpTiff(folder, 'mask.tif', { ...grid, at: () => 1 });
  const loss = writeMadeUpTiff(folder, 'loss.tif', { ...grid, at: (x, y) => (y === row && lost.has(x) ? 22 : 0) });
  const options = { baseYear: 2000, lastYear: 2025 };
  const datasets = [
    rasterDataset({ id: 'mask', role: 'forest-mask', path: mask, options: { classes: [1] } }),
    rasterDataset({ id: 'loss', role: 'loss-year', path: loss, options }),
  ].map((dataset) => ({ ...dataset, coverage: [102.45, 3.99, 102.65, 4.01] }));
  const catalogue = join(folder, 'catalogue.json');
  await writeFile(catalogue, JSON.stringify({ datasets }));
  await using own = await runService({ env: { CATALOGUE: catalogue } });
  const box = (lon: number, half: number): unknown => boxPolygon(lon - half, 4 - half, lon + half, 4 + half);
  const features = [box(102.5, 0.0015), box(102.6, 0.0015), box(102.5, 0.0004), box(102.55, 0.0015)].map(
    (geometry, i) => ({ type: 'Feature', id: `p${i}`, geometry, properties: { location_type: 'plot', country: 'MY' } }),
  );
  const body = new FormData();
  body.append('collection_name', 'edges');
  body.append('monitoring_end', '2025-12-31');
  body.append('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'plots.geojson');
  const begun = await own.fetch('/batch_process', { method: 'POST', body });
  const text = await begun.text();
  assert.equal(begun.status, 202, text);
  const { collection_id: id } = JSON.parse(text) as { collection_id: string };
  await until(
    async () => ((await (await own.fetch(`/collections/${id}`)).json()) as { status: string }).status,
    (status) => status === 'completed',
  );
  const lines = (await (await own.fetch(`/fetch_deforestation_check?filename=${id}`)).text()).trim().split('\n');
  const verdicts = lines.map((line) => (JSON.parse(line) as Fetched).properties);
  const [sliver, two, small, none] = verdicts.map(({ noncompliance_area_ha: area }) => area!);
  assert.ok(sliver! > 0 && sliver! < 0.09 && two! > 0.09 && small! > 0 && small! < 0.09, JSON.stringify(verdicts));
  assert.equal(none, 0);
  assert.deepEqual(
    verdicts.map(({ eudr_status: status }) => status),
    ['more_information_needed', 'deforestation_found', 'deforestation_found', 'no_deforestation_found'],
    JSON.stringify(verdicts),
  );
});
