import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { MADE_PLOTS, madePlotsFile, type MadePlot } from './made-plots.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Plot {
  readonly properties: {
    readonly name: string;
    readonly plot_valid: boolean;
    readonly location_confidence: string;
    readonly location_confidence_reasons: readonly string[];
    readonly plot_checks: readonly { readonly check: string; readonly status: string; readonly detail: string }[];
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  };
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-made-plots-'));
});
after(() => rm(folder, { recursive: true }));

/** Maps of the world without forest and without losses, and round every plot that is `high` one of its commodity. */
async function writeCatalogue(): Promise<string> {
  const world = (name: string): string =>
    writeMadeUpTiff(folder, name, {
      width: 3600,
      height: 1800,
      west: -180,
      north: 90,
      pixel: 0.1,
      at: () => 0,
      options: { tile: 256 },
    });
  const options = { baseYear: 2000, lastYear: 2026 };
  const datasets = [
    rasterDataset({ id: 'no-forest', role: 'forest-mask', path: world('none.tif'), options: { classes: [1] } }),
    rasterDataset({ id: 'no-loss', role: 'loss-year', path: world('loss.tif'), options }),
    ...MADE_PLOTS.flatMap(({ confidence, commodity, lon, lat }, i) => {
      if (confidence !== 'high') return [];
      const map = { width: 40, height: 40, west: lon - 0.01, north: lat + 0.01, pixel: 0.0005, at: () => 1 };
      const path = writeMadeUpTiff(folder, `${i}.tif`, map);
      const how = { commodity, classes: [1] };
      return [rasterDataset({ id: `crop-${i}`, role: 'commodity-map', path, date: '2025', options: how })];
    }),
  ].map((dataset) => ({ ...dataset, coverage: [-180, -90, 180, 90] }));
  const path = join(folder, 'catalogue.json');
  await writeFile(path, JSON.stringify({ datasets }));
  return path;
}

async function validate(service: RunningProcess, plots: readonly MadePlot[]): Promise<readonly Plot[]> {
  const form = new FormData();
  form.append('file', new Blob([madePlotsFile(plots)]), 'plots.geojson');
  const response = await service.fetch('/validate_locations', { method: 'POST', body: form });
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return (JSON.parse(text) as { features: readonly Plot[] }).features;
}

describe('sixty plots', () => {
  let service: RunningProcess;
  let found: readonly Plot[];
  before(async () => {
    service = await runService({ env: { CATALOGUE: await writeCatalogue() } });
    found = await validate(service, MADE_PLOTS);
  });
  after(() => service[Symbol.asyncDispose]());

  it('are sixty', () => assert.equal(MADE_PLOTS.length, 60));

  for (const [i, { name, confidence, why }] of MADE_PLOTS.entries())
    it(`${name}: ${confidence}${why === undefined ? '' : `, ${why.join(' ')}`}`, () => {
      const { properties } = found[i]!;
      assert.equal(properties.name, name);
      const told = JSON.stringify(properties.plot_checks);
      assert.equal(properties.location_confidence, confidence, told);
      assert.equal(properties.plot_valid, confidence !== 'low', told);
      if (why === undefined) return;
      const [check, status, warning] = why;
      assert.equal(properties.plot_checks.find((one) => one.check === check)?.status, status, told);
      if (warning !== undefined)
        assert.ok(
          properties.warnings.some(({ code }) => code === warning),
          JSON.stringify(properties.warnings),
        );
      assert.ok(properties.location_confidence_reasons.some((reason) => reason.includes(`: ${check}. `)));
    });
});

it('without datasets no plot is high, and each says what was not looked at', async () => {
  await using service = await runService();
  for (const { properties } of await validate(service, MADE_PLOTS)) {
    assert.notEqual(properties.location_confidence, 'high', properties.name);
    const reasons = properties.location_confidence_reasons.join(' ');
    assert.match(reasons, /Not looked at: deforestation\. No dataset covers the plot\./, properties.name);
  }
});

it('with maps at an address that answers 404 to everything, deforestation is unknown and no plot is high', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(404).end('not here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = (name: string): string =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}_{ns}{lat}_{ew}{lon}.tif`;
    const datasets = [
      rasterDataset({ id: 'moved-mask', role: 'forest-mask', url: url('mask'), options: { classes: [1] } }),
      rasterDataset({ id: 'moved-loss', role: 'loss-year', url: url('loss'), options: { lastYear: 2025 } }),
    ].map((dataset) => ({ ...dataset, coverage: [-180, -90, 180, 90] }));
    const catalogue = join(folder, 'moved.json');
    await writeFile(catalogue, JSON.stringify({ datasets }));
    await using service = await runService({ env: { CATALOGUE: catalogue } });
    for (const { properties } of await validate(service, MADE_PLOTS.slice(0, 5))) {
      const check = properties.plot_checks.find((one) => one.check === 'deforestation');
      assert.equal(check?.status, 'unknown', JSON.stringify(check));
      assert.match(check.detail, /was not found \(404\)/);
      assert.equal(properties.location_confidence, 'medium');
    }
    assert.ok(asked.some((path) => path.startsWith('/mask')) && asked.some((path) => path.startsWith('/loss')));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
