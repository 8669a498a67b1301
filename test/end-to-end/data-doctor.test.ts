import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openHostileSite } from '../hostile-site.ts';
import { madeUpTiff } from '../made-up-rasters.ts';
import { runCommand, type CommandResult } from './run-command.ts';
import { runService } from './run-service.ts';

const site = openHostileSite();
let folder = '';
let catalogue = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-doctor-'));
  catalogue = join(folder, 'catalogue.json');
});
after(() => rm(folder, { recursive: true, force: true }));

const FOREST = madeUpTiff({ width: 100, height: 100, west: 10, north: 10, pixel: 0.1, at: () => 1 });
const LOSSES = madeUpTiff({ width: 100, height: 100, west: 10, north: 10, pixel: 0.1, at: () => 0 });

function entry(id: string, role: string, options: object, change: object = {}): object {
  return {
    id,
    role,
    kind: 'cog',
    url: `${site.base}/${id}/V4_{ns}{lat}_{ew}{lon}.tif`,
    version: '4',
    date: role === 'forest-mask' ? '2020-12-31' : '2025',
    licence: 'CC-BY-4.0',
    attribution: 'made up for a test',
    options,
    contract: {
      sentinel: [15, 5],
      expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
      newest: { listing: `${site.base}/${id}/`, pattern: 'V(\\d+)_' },
      ...change,
    },
  };
}

async function doctor(...words: readonly string[]): Promise<CommandResult> {
  const result = await runCommand(['data', 'doctor', ...words], {
    DATA_DIR: join(folder, 'data'),
    CATALOGUE: catalogue,
    PUBLIC_DATA: 'off',
    SAMPLE_DISTRICT: 'off',
  });
  return { ...result, out: result.out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME').replaceAll(site.host, 'HOST') };
}

beforeEach(async () => {
  site.files.clear();
  site.files.set('/forest/V4_N10_E10.tif', FOREST);
  site.files.set('/losses/V4_N10_E10.tif', LOSSES);
  await writeFile(
    catalogue,
    JSON.stringify([
      entry('forest', 'forest-mask', { classes: [1] }),
      entry('losses', 'loss-year', { lastYear: 2025 }),
    ]),
  );
});

describe('firstmile data doctor', () => {
  it('says that all is fine', async () => {
    const { code, out, err } = await doctor();
    assert.equal(code, 0, err);
    assert.match(out, /^dataset +held +last held +answered by$/m);
    assert.match(out, /^forest +yes +TIME +HOST$/m);
    assert.match(out, /^losses +yes +TIME +HOST$/m);
    assert.match(err, /All contracts hold\./);
  });

  it('says which one moved, since when, and to what', async () => {
    site.files.delete('/forest/V4_N10_E10.tif');
    site.files.set('/forest/', Buffer.from('<a href="V5_N10_E10.tif">'));
    const { code, out, err } = await doctor();
    assert.equal(code, 1);
    assert.match(out, /^forest +no +TIME +-$/m);
    assert.match(
      out,
      /^forest: HOST: there is nothing at its address\. What to do: version 5 is listed: look up its new address and name it in CATALOGUE\.$/m,
    );
    assert.match(out, /^losses +yes/m);
    assert.match(err, /1 of 2 datasets are not what they should be/);
  });

  it('says which one is gone, as JSON too', async () => {
    site.files.delete('/losses/V4_N10_E10.tif');
    const { code, out } = await doctor('--json');
    assert.equal(code, 1);
    const found = JSON.parse(out) as readonly { dataset: string; state: string; licence: string; newer: unknown }[];
    assert.deepEqual(
      found.map(({ dataset, state, licence, newer }) => [dataset, state, licence, newer]),
      [
        ['forest', 'held', 'CC-BY-4.0', null],
        ['losses', 'broken', 'CC-BY-4.0', null],
      ],
    );
  });
});

describe('firstmile data doctor without network', () => {
  it('says so, at once', async (context) => {
    // A fresh folder: nothing is known of the network yet, and the machine of this test may have one.
    const env = { DATA_DIR: join(folder, 'offline'), SAMPLE_DISTRICT: 'off' };
    const { code, out, err } = await runCommand(['data', 'doctor'], env);
    if (!err.includes('no network')) return context.skip('this machine has a network');
    assert.equal(code, 1);
    assert.match(out, /^jrc-gfc2020 +not reached +never +-$/m);
    assert.match(out, /this machine has no network\. What to do: look at the network of this machine, or wait/);
    assert.match(err, /This machine has no network: nothing could be checked/);
  });
});

describe('a server that answers 404 to everything', () => {
  it('makes the answer unknown, and a plot is never valid by it', async () => {
    site.handler = (_, response) => response.writeHead(404).end('gone');
    await using service = await runService({ env: { CATALOGUE: catalogue } });
    const ring = [
      [15, 5],
      [15.01, 5],
      [15.01, 5.01],
      [15, 5.01],
      [15, 5],
    ];
    const plot = {
      type: 'Feature',
      properties: { name: 'a', country: 'Cameroon', commodity_type: 'cocoa' },
      geometry: { type: 'Polygon', coordinates: [ring] },
    };
    const form = new FormData();
    form.append('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features: [plot] })]), 'plots.geojson');
    const answer = await service.fetch('/validate_locations', { method: 'POST', body: form });
    const { features } = (await answer.json()) as {
      features: readonly {
        properties: {
          plot_valid?: boolean | null;
          plot_checks: readonly { check: string; status: string; detail: string }[];
        };
      }[];
    };
    const [{ properties }] = features as [(typeof features)[number]];
    assert.notEqual(properties.plot_valid, true);
    const check = properties.plot_checks.find(({ check: name }) => name === 'deforestation');
    assert.equal(check?.status, 'unknown', JSON.stringify(check));
    assert.match(check?.detail ?? '', /no longer what its contract says/);
  });
});
