import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { noData, options } from '../../../test/facility-sources.ts';
import { readConfig } from '../../config/settings.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import type { DeforestationFinding } from '../../locations/plots/check-plot.ts';
import type { Places } from '../../readers/built-in/places.ts';
import { FEATURE_BYTES } from '../facilities/facilities.ts';
import type { ForestChecker } from '../forest/check.ts';
import { createLocationService } from './locations.ts';
import type { MeasurablePlot } from '../plots/statistics.ts';
import type { ValidatedLocation } from '../plots/evaluate-location.ts';
import { validateLocations } from './validate-locations.ts';

const ROWS = 200;
/** Every seventh row is a facility; every fifth plot has an area of 2 ha. */
const CSV = [
  'id,lat,lon,area_ha,type',
  ...Array.from({ length: ROWS }, (_, i) => {
    const place = `${(1 + i / 1000).toFixed(6)},${(2 + i / 1000).toFixed(6)}`;
    return `p${i},${place},${i % 5 === 0 ? 2 : ''},${i % 7 === 0 ? 'facility' : 'plot'}`;
  }),
].join('\n');

/** Facilities with a fault that both the row and the rating name. */
const FAULTS = [
  'id,lat,lon,wkt,type',
  'crossing,,,"POLYGON ((2 1, 2.1 1.1, 2.1 1, 2 1.1, 2 1))",facility',
  'out of range,95,2,,facility',
  'null island,0,0,,facility',
  'no number,north,2,,facility',
  'half,,2,,facility',
].join('\n');

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-validate-'));
  await writeFile(join(folder, 'plots.csv'), CSV);
  await writeFile(join(folder, 'faults.csv'), FAULTS);
});
after(() => rm(folder, { recursive: true }));

async function validate(forest: ForestChecker | null, over: Partial<FacilitySources> = {}, file = 'plots.csv') {
  const data = {
    sources: noData(over),
    citation: (id: string, version: string) => ({
      id,
      version,
      synthetic: true,
      licence: 'CC0',
      attribution: 'nobody',
    }),
    ...(forest === null ? {} : { forest }),
  };
  const places = {
    use: <R>(ask: (reader: Places) => R) => ask({ named: () => [], coded: () => [], similar: () => [] }),
    ready: Promise.resolve(),
  };
  const config = readConfig({});
  const service = createLocationService({ ...data, datasets: [], places, geocoders: [] }, config, FEATURE_BYTES.asTask);
  const reading = { locationType: null, commodity: null, country: null, mapping: {}, geocode: false, crs: null };
  await using opened = await service.open(join(folder, file), { ...reading, sheets: null });
  const checks = { facility: options(), repair: false };
  const run = validateLocations(opened, data, checks, config, new AbortController().signal);
  const features: ValidatedLocation[] = [];
  for await (const feature of run.features) features.push(feature);
  return { features, summary: run.aggregate() };
}

const checkOf = ({ properties }: ValidatedLocation, name: string) =>
  properties.plot_checks?.find(({ check }) => check === name);

/** Fails plots north of 1.1 N, and knows nothing of the others. */
function checker(seen: (readonly MeasurablePlot[])[]): ForestChecker {
  const receipt = {
    noncompliance_area_ha: 1,
    baseline_forest_ha: 2,
    deforestation_start: '2021-01-01',
    deforestation_end: '2021-12-31',
    monitored_until: '2025-12-31',
    datasets: [
      { role: 'forest-mask', dataset: 'm', version: '1', synthetic: true, covered_share: 1 },
      { role: 'loss-year', dataset: 'l', version: '1', synthetic: true, covered_share: 1, noncompliance_area_ha: 1 },
    ],
  } as const;
  return {
    async check(plots) {
      seen.push(plots);
      await new Promise((turn) => setImmediate(turn));
      return plots.map(({ geometry }): DeforestationFinding | null => {
        const [, lat] = (geometry as { coordinates: [number, number] }).coordinates;
        return lat < 1.1 ? null : { status: 'fail', detail: `Lost at ${lat}.`, receipt };
      });
    },
    close: async () => {},
  };
}

describe('plots of a file', () => {
  it('are measured together, each once, and keep their order and their own finding', async () => {
    const seen: (readonly MeasurablePlot[])[] = [];
    const { features, summary } = await validate(checker(seen));
    assert.deepEqual(
      features.map(({ properties }) => properties.location_id),
      Array.from({ length: ROWS }, (_, i) => `p${i}`),
    );
    const plots = features.filter(({ properties }) => properties.location_type === 'plot');
    assert.equal(seen.flat().length, plots.length);
    // How many wait while one group is measured depends on the machine; that they are gathered does not.
    assert.ok(seen.length < plots.length, `${seen.length} groups`);
    assert.deepEqual([...new Set(seen.flat().map(({ statedHa }) => statedHa))].toSorted(), [2, null]);
    for (const plot of plots) {
      const [, lat] = (plot.geometry as { coordinates: [number, number] }).coordinates;
      const check = checkOf(plot, 'deforestation');
      assert.equal(check?.detail, lat < 1.1 ? 'No dataset covers the plot.' : `Lost at ${lat}.`);
      assert.equal(check.status, lat < 1.1 ? 'unknown' : 'fail');
      if (lat >= 1.1) assert.equal(plot.properties.plot_valid, false);
    }
    const failed = plots.filter((plot) => checkOf(plot, 'deforestation')?.status === 'fail').length;
    assert.equal(summary.warnings.find(({ code }) => code === 'deforestation')?.count, failed);
    assert.deepEqual(
      summary.datasets.filter(({ id }) => id === 'm' || id === 'l').map(({ id }) => id),
      ['m', 'l'],
    );
  });

  it('are unknown where nothing looks for deforestation', async () => {
    const { features } = await validate(null);
    const found = features.flatMap((feature) => checkOf(feature, 'deforestation') ?? []);
    assert.ok(found.length > 100 && found.every(({ status }) => status === 'unknown'));
  });

  it('end with the checker that breaks, and leave nothing behind', async () => {
    const broken = { check: () => Promise.reject(new Error('broken')), close: async () => {} };
    await assert.rejects(() => validate(broken), /broken/);
  });

  it('say of a map that fails no path, and log it', async () => {
    const told: string[] = [];
    const { features } = await validate(null, {
      commodityShare: () => Promise.reject(new Error('/srv/secret/map.tif: damaged')),
      reportFailure: (what, error) => void told.push(`${what} ${(error as Error).message}`),
    });
    const check = features.flatMap((feature) => checkOf(feature, 'commodity') ?? [])[0];
    assert.equal(check?.detail, 'The commodity could not be looked up: its data could not be read.');
    assert.ok(told.includes('commodity /srv/secret/map.tif: damaged'));
  });
});

describe('facilities of a file', () => {
  it('name each fault once, with the row that has it', async () => {
    const { features } = await validate(null, {}, 'faults.csv');
    const codes = ['invalid_geometry', 'out_of_range', 'null_island', 'invalid_coordinate', 'incomplete_coordinates'];
    for (const [i, code] of codes.entries()) {
      const { warnings, primary_warning: primary } = features[i]!.properties as unknown as {
        warnings: readonly { code: string; row?: number; message: string }[];
        primary_warning: string;
      };
      const same = warnings.filter((warning) => codes.includes(warning.code));
      assert.deepEqual(
        same.map((warning) => [warning.code, warning.row]),
        [[code, i + 2]],
      );
      assert.equal(primary, same[0]!.message);
    }
  });
});
