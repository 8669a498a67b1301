import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { LINE, square, unzipped } from '../due-diligence-export.ts';
import { rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { isLongRun } from '../property-runs.ts';
import { INPUTS } from '../oracles/due-diligence/inputs.ts';
import { everyFormat } from '../sample-location-files.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Location {
  readonly id: string;
  readonly properties: {
    readonly location_type: string;
    readonly plot_valid: boolean;
    /** Absent of what was not processed, such as a row without a place. */
    readonly location_confidence?: string;
    readonly location_confidence_reasons?: readonly string[];
    readonly processing: string;
    readonly plot_checks?: readonly {
      readonly check: string;
      readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
      readonly detail: string;
    }[];
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  };
}

/** Stated once more here, on purpose: what must be looked at, and pass, before a plot is `high`. */
const LOOKED_AT = ['geometry', 'position', 'country', 'commodity_zone', 'commodity', 'deforestation'];
/** One in the cocoa belt, one at sea. */
const PLACES = [
  { name: 'Ashanti', lon: -1.6244, lat: 6.4012 },
  { name: 'Gulf of Guinea', lon: 2.5034, lat: 1.5034 },
];
const FIELDS = { location_type: 'plot', commodity_type: 'cocoa' };

interface Fixture {
  readonly file: string;
  readonly shared: string | null;
  readonly bytes: () => Promise<Uint8Array | string>;
}

/** As a user would upload the geometries of the export's own fixtures. */
function geojson(features: readonly { readonly id: string; readonly geometry: unknown }[]): string {
  const eudr = { ProducerName: 'Ama Owusu', ProductionPlace: 'Kumasi' };
  return JSON.stringify({
    type: 'FeatureCollection',
    features: features.map(({ id, geometry }) => ({
      type: 'Feature',
      id,
      geometry,
      properties: { ...eudr, name: id },
    })),
  });
}

/** Of these inputs one plot in so many; all of them in the long run. */
const EVERY: Readonly<Record<string, number>> = isLongRun ? {} : { random: 5, whisp: 2 };

const FIXTURES: Readonly<Record<string, Fixture>> = {
  ...Object.fromEntries(
    Object.entries(INPUTS).map(([name, { shared, records }]) => {
      const bytes = async (): Promise<string> =>
        geojson(
          (await records())
            .map(({ feature }, i) => ({ id: `${name}-${i}`, geometry: feature.geometry }))
            .filter((_, i) => i % (EVERY[name] ?? 1) === 0),
        );
      return [`the oracle's input "${name}"`, { file: `${name}.geojson`, shared, bytes }];
    }),
  ),
  'the plots of the export tests': {
    file: 'squares.geojson',
    shared: null,
    bytes: async () =>
      geojson([
        { id: 'in Togo', geometry: square(1) },
        { id: 'at sea', geometry: square(1, 0) },
        { id: 'in Ghana', geometry: square(-1.6244, 6.4012) },
        { id: 'in Ghana, with all its decimals', geometry: square(-1.524413, 6.401211) },
        { id: 'a line', geometry: LINE },
      ]),
  },
  ...Object.fromEntries(
    ['whisp_geojson_large_example.geojson', 'ptpn_KGPAR.kml'].map((file) => [
      `the file ${file}`,
      { file, shared: `plots/${file}`, bytes: () => readFile(join(SHARED_DATA, 'plots', file)) },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(everyFormat(PLACES)).map(([format, bytes]) => {
      const extension = { shapefile: 'zip', geopackage: 'gpkg', geoparquet: 'parquet' }[format] ?? format;
      return [`the sample as ${format}`, { file: `places.${extension}`, shared: null, bytes: async () => bytes }];
    }),
  ),
};

/** Each statement in the answer that keeps a location from `high` is a sentence of its own. */
function assertHonest({ id, properties }: Location): 'high' | 'other' {
  const { location_confidence_reasons: reasons = [], plot_checks: checks = [] } = properties;
  const confidence = properties.location_confidence ?? properties.processing;
  const shown = `${id}: ${JSON.stringify(properties).slice(0, 1_500)}`;
  assert.match(confidence, /^(high|medium|low|invalid|not processed: .+)$/, shown);
  if (confidence === 'high') {
    const passed = checks.filter(({ status }) => status === 'pass').map(({ check }) => check);
    for (const check of LOOKED_AT) assert.ok(passed.includes(check), `${check} did not pass, ${shown}`);
    assert.ok(
      checks.every(({ status }) => status !== 'fail' && status !== 'warn'),
      shown,
    );
    assert.equal(properties.plot_valid, true, shown);
    return 'high';
  }
  const words = [...reasons, ...properties.warnings.map(({ message }) => message)];
  assert.ok(words.length > 0, `silent, ${shown}`);
  for (const sentence of words) assert.match(sentence, /\S+ \S+ \S+.*[.?!]$/s, shown);
  for (const { check, status, detail } of checks)
    if (status === 'fail' || status === 'warn')
      assert.ok(
        reasons.some((reason) => reason.includes(`: ${check}. ${detail}`)),
        `${check} is not in the reasons, ${shown}`,
      );
  return 'other';
}

async function validate(service: RunningProcess, { file, bytes }: Fixture): Promise<readonly Location[]> {
  const response = await service.fetch('/validate_locations', { method: 'POST', body: form(file, await bytes()) });
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return (JSON.parse(text) as { features: readonly Location[] }).features;
}

function form(file: string, bytes: Uint8Array | string, fields: Readonly<Record<string, string>> = {}): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...FIELDS, ...fields })) body.append(name, value);
  body.append('file', new Blob([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)]), file);
  return body;
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-eudr-fixtures-'));
});
after(() => rm(folder, { recursive: true }));

/** Maps of the world: no forest, no loss and cocoa everywhere, so that nothing but the plot itself keeps it from `high`. */
async function writeCatalogue(): Promise<string> {
  const world = (name: string, value: number): string => {
    const size = { width: 3600, height: 1800, west: -180, north: 90, pixel: 0.1 };
    return writeMadeUpTiff(folder, name, { ...size, at: () => value, options: { tile: 256 } });
  };
  const losses = { baseYear: 2000, lastYear: 2026 };
  const crops = { commodity: 'cocoa', classes: [1] };
  const datasets = [
    rasterDataset({ id: 'forest', role: 'forest-mask', path: world('forest.tif', 0), options: { classes: [1] } }),
    rasterDataset({ id: 'loss', role: 'loss-year', path: world('loss.tif', 0), options: losses }),
    rasterDataset({ id: 'cocoa', role: 'commodity-map', path: world('cocoa.tif', 1), date: '2025', options: crops }),
  ].map((dataset) => ({ ...dataset, coverage: [-180, -90, 180, 90] }));
  const path = join(folder, 'catalogue.json');
  await writeFile(path, JSON.stringify({ datasets }));
  return path;
}

describe('the fixtures of due diligence, without a dataset', () => {
  let service: RunningProcess;
  before(async () => {
    service = await runService();
  });
  after(() => service[Symbol.asyncDispose]());

  for (const [name, fixture] of Object.entries(FIXTURES))
    it(`${name}: none is high, none is silent`, skipOf(fixture), async () => {
      const found = await validate(service, fixture);
      assert.ok(found.length > 0);
      assert.deepEqual(
        found.filter((location) => assertHonest(location) === 'high'),
        [],
      );
    });
});

describe('the fixtures of due diligence, with maps of the world', () => {
  let service: RunningProcess;
  before(async () => {
    service = await runService({ env: { CATALOGUE: await writeCatalogue() } });
  });
  after(() => service[Symbol.asyncDispose]());

  const high: Record<string, number> = {};
  for (const [name, fixture] of Object.entries(FIXTURES)) {
    it(`${name}: none is high without having passed every check, none is silent`, skipOf(fixture), async () => {
      const found = await validate(service, fixture);
      assert.ok(found.length > 0);
      high[name] = found.filter((location) => assertHonest(location) === 'high').length;
    });

    it(`${name}: the export has a finding for each that is not high`, skipOf(fixture), async () => {
      const { file, bytes } = fixture;
      const fields = { collection_name: 'lot', validate_locations: 'true', crop_type: 'cocoa' };
      const { location_type: _type, commodity_type: _crop, ...rest } = FIELDS;
      const body = form(file, await bytes(), { ...rest, ...fields });
      body.delete('commodity_type');
      const begun = await service.fetch('/batch_process', { method: 'POST', body });
      const text = await begun.text();
      assert.equal(begun.status, 202, text);
      const { collection_id: id, task_id: task } = JSON.parse(text) as { collection_id: string; task_id: string };
      for (;;) {
        const work = await service.fetch(`/batch_progress?tracking_id=${task}`);
        const { status } = (await work.json()) as { status: string };
        if (status === 'completed') break;
        assert.equal(status, 'processing');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const lines = (await (await service.fetch(`/fetch_plots?filename=${id}`)).text()).trim().split('\n');
      const doubted = lines.flatMap((line, number) => {
        const { properties } = JSON.parse(line) as { properties: { location_confidence: string | null } };
        return properties.location_confidence === 'high' ? [] : [number];
      });
      const zip = await service.fetch(`/export_eudr_dds?filename=${id}`);
      assert.equal(zip.status, 200, await zip.clone().text());
      const { 'checks.json': checks } = unzipped(new Uint8Array(await zip.arrayBuffer()));
      const { plots } = JSON.parse(checks!.toString()) as {
        plots: readonly { readonly number: number; readonly findings: readonly { readonly detail: string }[] }[];
      };
      const findings = new Map(plots.map((plot) => [plot.number, plot.findings]));
      for (const number of doubted) {
        const found = findings.get(number) ?? [];
        assert.ok(found.length > 0 && found.every(({ detail }) => detail.length > 10), `silent: ${lines[number]}`);
      }
    });
  }

  it('a sound plot among them is high, so that the above can fail', () => {
    assert.equal(high['the plots of the export tests'], 1, JSON.stringify(high));
  });
});

function skipOf({ shared }: Fixture): { skip: string | false } {
  return shared === null ? { skip: false } : needsSharedData(shared);
}
