import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { boxPolygon, rasterDataset, writeMadeUpTiff } from '../../../test/made-up-rasters.ts';
import { ConfigError } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { sampleRasterDatasets } from '../../readers/sample-district/sample-rasters.ts';
import { samplePlots } from '../../readers/sample-district/sample-plots.ts';
import { openForestChecker } from './check.ts';
import { forestFinding } from './finding.ts';

const folder = mkdtempSync(join(tmpdir(), 'firstmile-forest-check-'));
after(() => rmSync(folder, { recursive: true }));
const CONFIG = {
  dataDir: folder,
  cacheMaxMb: 0,
  forestMemoryMb: 500,
  forestThreads: 1,
  taskConcurrency: 1,
  checkTimeoutMs: 10_000,
};
const { signal } = new AbortController();

/** Forest everywhere; lost in 2022 in the eastern half, from the middle at 10.05 E on. */
const RASTER = { width: 100, height: 100, west: 10, north: 5, pixel: 0.001 };
const FOREST = writeMadeUpTiff(folder, 'forest.tif', { ...RASTER, at: () => 1 });
const LOSSES = writeMadeUpTiff(folder, 'losses.tif', { ...RASTER, at: (x) => (x < 50 ? 0 : 22) });

/** The two datasets, at an address where one is given. */
function entries(change: Partial<Dataset> = {}, url?: string): readonly Dataset[] {
  const lastYear = new Date().getUTCFullYear() - 1;
  const at = (path: string) => (url === undefined ? { path } : { url });
  return [
    rasterDataset({
      id: 'forest',
      role: 'forest-mask',
      version: '3',
      options: { classes: [1] },
      ...at(FOREST),
      ...change,
    }),
    rasterDataset({ id: 'losses', role: 'loss-year', version: '7', options: { lastYear }, ...at(LOSSES), ...change }),
  ];
}

const plotAt = (west: number, north = 4.98) => ({
  geometry: boxPolygon(west, north - 0.004, west + 0.004, north),
  statedHa: null,
});

describe('the check of deforestation', () => {
  it('passes, fails or is unknown, with hectares, years, dataset and version', async () => {
    const checker = openForestChecker(entries({ coverage: { bbox: [9, 4, 11, 6] } }), CONFIG);
    const [clear, cleared, outside, beyond] = await checker.check(
      [plotAt(10.01), plotAt(10.08), plotAt(50), plotAt(10.5)],
      signal,
    );
    await checker.close();
    assert.equal(clear?.status, 'pass');
    assert.match(clear.detail, /ha of forest on 2020-12-31, none lost after it\..* By forest 3, losses 7\.$/);
    assert.equal(clear.receipt?.noncompliance_area_ha, 0);
    assert.equal(cleared?.status, 'fail');
    assert.match(cleared.detail, /^19\.\d+ ha of 19\.\d+ ha of forest of 2020-12-31 lost in 2022\./);
    const receipt = cleared.receipt;
    assert.deepEqual([receipt?.deforestation_start, receipt?.deforestation_end], ['2022-01-01', '2022-12-31']);
    assert.equal(receipt?.noncompliance_area_ha, receipt?.baseline_forest_ha);
    assert.deepEqual(
      receipt?.datasets.map(({ role, dataset, version }) => [role, dataset, version]),
      [
        ['forest-mask', 'forest', '3'],
        ['loss-year', 'losses', '7'],
      ],
    );
    assert.equal(outside, null, 'no dataset covers it');
    assert.equal(beyond?.status, 'unknown', 'the files do not reach there');
    assert.equal(beyond.receipt, undefined);
  });

  it('distinguishes the plots of the sample district, and that they are synthetic', async () => {
    const plots = samplePlots().filter(
      ({ geometry, properties }) => geometry !== null && properties['location_type'] !== 'facility',
    );
    const checker = openForestChecker(sampleRasterDatasets(folder), CONFIG);
    const found = await checker.check(
      plots.map(({ geometry, properties }) => ({ geometry, statedHa: (properties['area_ha'] as number) ?? null })),
      signal,
    );
    await checker.close();
    const statuses = found.map((finding) => finding?.status ?? 'not covered');
    assert.ok(
      statuses.includes('fail') && statuses.includes('pass') && statuses.includes('not covered'),
      statuses.join(),
    );
    for (const finding of found)
      if (finding?.receipt !== undefined) assert.match(finding.detail, /synthetic data that describes no real place/);
  });

  it('leaves plots unknown in good time where addresses refuse, and hardly queries them again', async () => {
    let connections = 0;
    const server = createServer();
    // Closes before anything is answered, as a network that refuses.
    server.on('connection', (socket) => (connections++, socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{ns}{lat}_{ew}{lon}.tif`;
    const failures: string[] = [];
    // So long that a busy machine is not taken for an address that does not answer.
    const checker = openForestChecker(entries({}, url), { ...CONFIG, checkTimeoutMs: 30_000 }, (id) =>
      failures.push(id),
    );
    const findings = [];
    for (let group = 0; group < 12; group++) {
      const plots = Array.from({ length: 32 }, (_, i) => plotAt(-100 + 15 * group, -40 + 2 * i));
      findings.push(...(await checker.check(plots, signal)));
    }
    await checker.close();
    server.close();
    assert.equal(findings.length, 384);
    for (const finding of findings) assert.equal(finding?.status, 'unknown');
    assert.match(
      findings[0]?.detail ?? '',
      /^Not known\. Forest on 2020-12-31 is unknown: forest: it could not be reached/,
    );
    assert.ok(connections < 100, `${connections} connections for 384 plots`);
    assert.ok(failures.length > 0 && failures.length <= 4, `${failures.length} lines in the log`);
  });

  it('waits for an address that never answers no longer than for a check', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tif`;
    const checker = openForestChecker(entries({}, url), { ...CONFIG, checkTimeoutMs: 400 });
    const begun = performance.now();
    const [finding] = await checker.check([plotAt(10.01)], signal);
    assert.equal(finding?.status, 'unknown');
    assert.match(finding.detail, /did not answer in time/);
    assert.ok(performance.now() - begun < 20_000);
    await checker.close();
    server.closeAllConnections();
    server.close();
  });

  it('ends when its caller leaves', async () => {
    const checker = openForestChecker(entries(), CONFIG);
    await assert.rejects(checker.check([plotAt(10.01)], AbortSignal.abort(new Error('left'))), /left/);
    await checker.close();
  });

  it('is unknown for every plot where the catalogue has no rasters', async () => {
    const checker = openForestChecker([], { ...CONFIG, dataDir: '/nowhere' });
    assert.deepEqual(await checker.check([plotAt(10.01), plotAt(10.02)], signal), [null, null]);
    await checker.close();
  });

  it('refuses an entry that cannot be read when it is opened', () => {
    assert.throws(
      () => openForestChecker(entries({ options: {} }), CONFIG),
      (error: unknown) => error instanceof ConfigError && /CATALOGUE: losses: options.lastYear/.test(error.message),
    );
  });
});

describe('forestFinding', () => {
  const use = { status: 'measured' as const, version: '1', synthetic: false, coveredShare: 1 };
  const baseline = { ...use, dataset: 'm', forestHa: 10 };
  const loss = (inBaselineHa: Readonly<Record<string, number>>, years: readonly [number, number] = [2001, 2025]) => ({
    ...use,
    dataset: 'l',
    lossHa: inBaselineHa,
    inBaselineHa,
    years,
  });

  it('is a doubt where losses are smaller than a pixel, maps disagree, or a part was not looked at', () => {
    const status = (...losses: ReturnType<typeof loss>[]) =>
      forestFinding({ areaHa: 12, baseline, losses }, '2026-06-01')?.status;
    assert.equal(status(loss({})), 'pass');
    assert.equal(status(loss({ 2022: 1 })), 'fail');
    assert.equal(status(loss({ 2022: 0.01 })), 'warn');
    assert.equal(status(loss({}), { ...loss({ 2022: 1 }), dataset: 'other' }), 'warn');
    assert.equal(status({ ...loss({}), coveredShare: 0.5 }), 'warn');
    assert.equal(status(loss({}, [2001, 2022])), 'warn', 'losses of three years are not known');
    assert.equal(status(loss({ 2020: 5 })), 'pass', 'what was lost before the cut-off does not count');
  });
});
