import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { MODELS_URL, PUBLISHED_MODELS } from '../../src/readers/models/published-models.ts';
import { OVERTURE_TYPES } from '../../src/readers/overture/overture-types.ts';
import { openHostileSite } from '../hostile-site.ts';
import { madeUpTiff } from '../made-up-rasters.ts';
import { writeOverture } from '../overture-release.ts';
import { overtureSite, writeOvertureCatalogue } from '../overture-site.ts';
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
    assert.match(out, /^forest\n {2}What is wrong: HOST: there is nothing at its address\.$/m);
    assert.match(
      out.replaceAll(/\s+/g, ' '),
      /What to do: version 5 is listed: look up its new address and name it in/,
    );
    assert.deepEqual(
      out.split('\n').filter((line) => line.length > 80),
      [],
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

describe('firstmile data doctor of what is fetched when it is needed', () => {
  const RELEASE = '2026-09-23.1';
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'firstmile-doctor-world-'));
    for (const { folder: type } of OVERTURE_TYPES) await writeOverture(root, RELEASE, type, [], { rowGroup: 100 });
    await writeOvertureCatalogue(root);
  });
  after(() => rm(root, { recursive: true, force: true }));

  interface Found {
    readonly dataset: string;
    readonly state: string;
    readonly fault: string | null;
    readonly remedy: string | null;
  }

  /** What the doctor finds at local sites in place of the public ones. */
  async function look(overture: Awaited<ReturnType<typeof overtureSite>>): Promise<readonly Found[]> {
    await writeFile(catalogue, '[]');
    const { out, err } = await runCommand(['data', 'doctor', '--json'], {
      DATA_DIR: await mkdtemp(join(folder, 'fetched-')),
      CATALOGUE: catalogue,
      PUBLIC_DATA: 'off',
      SAMPLE_DISTRICT: 'off',
      AUTO_DATA: 'on',
      OVERTURE_URL: overture.url,
      OVERTURE_INDEX_URL: overture.catalogue,
      MODELS_URL: `${site.base}/fdp`,
    });
    assert.ok(out.startsWith('['), err);
    return JSON.parse(out) as readonly Found[];
  }

  /** An archive of each head, of which nobody is to read more than the beginning. */
  function serveModels(): void {
    for (const model of PUBLISHED_MODELS)
      for (const head of model.heads) {
        const bytes = Buffer.alloc(3_000_000);
        bytes.write('PK\u0003\u0004');
        site.files.set(
          model.url.replace(MODELS_URL, '/fdp').replace('{commodity}', head.commodity).replace('{file}', head.file),
          bytes,
        );
      }
  }

  it('holds where the release, its columns and the archives are there, by small requests', async () => {
    serveModels();
    await using overture = await overtureSite(root);
    const found = await look(overture);
    assert.deepEqual(
      found.map(({ dataset, state }) => [dataset, state]),
      [
        ['overture-auto', 'held'],
        ['fdp-2025b', 'held'],
        ['fdp-2026a', 'held'],
      ],
      JSON.stringify(found),
    );
    assert.equal(overture.whole, 0, 'no file of a release is fetched whole');
    assert.equal(site.requests.length, 8, 'one request for each archive');
  });

  it('names the release that is gone, and the archive that is something else', async () => {
    serveModels();
    const [, newest] = PUBLISHED_MODELS;
    const [palm] = newest?.heads ?? [];
    site.files.set(
      (newest?.url ?? '')
        .replace(MODELS_URL, '/fdp')
        .replace('{commodity}', 'palm')
        .replace('{file}', palm?.file ?? ''),
      Buffer.from('not an archive'),
    );
    await using overture = await overtureSite(root, { faults: { gone: /type=building/ } });
    const [map, older, newer] = await look(overture);
    assert.deepEqual([map?.state, older?.state, newer?.state], ['broken', 'held', 'broken']);
    assert.match(map?.fault ?? '', /there is nothing at its address/);
    assert.match(map?.remedy ?? '', /OVERTURE_URL/);
    assert.match(newer?.fault ?? '', /wanted a zip archive of palm/);
    assert.match(newer?.remedy ?? '', /MODELS_URL/);
  });

  it('names the columns that a release has no more', async () => {
    serveModels();
    const changed = await mkdtemp(join(tmpdir(), 'firstmile-doctor-changed-'));
    try {
      for (const { folder: type } of OVERTURE_TYPES)
        await writeOverture(changed, RELEASE, type, [], { rowGroup: 100, without: ['subtype', 'confidence'] });
      await writeOvertureCatalogue(changed);
      await using overture = await overtureSite(changed);
      const [map] = await look(overture);
      assert.equal(map?.state, 'broken');
      assert.match(map?.fault ?? '', /subtype|confidence/);
    } finally {
      await rm(changed, { recursive: true });
    }
  });

  it('says only that nobody could look where a server fails', async () => {
    serveModels();
    await using overture = await overtureSite(root, { faults: { status: 503 } });
    const [map] = await look(overture);
    assert.equal(map?.state, 'unreachable', JSON.stringify(map));
  });
});

describe('firstmile data doctor without network', () => {
  it('says so, at once', async (context) => {
    // A fresh folder: nothing is known of the network yet, and the machine of this test may have one.
    const env = { DATA_DIR: join(folder, 'offline'), SAMPLE_DISTRICT: 'off', AUTO_DATA: 'on' };
    const { code, out, err } = await runCommand(['data', 'doctor'], env);
    if (!err.includes('no network')) return context.skip('this machine has a network');
    assert.equal(code, 1);
    assert.match(out, /^jrc-gfc2020 +not reached +never +-$/m);
    assert.doesNotMatch(out, /What to do/, 'the sentence below says it for all');
    assert.match(out, /^overture-auto +not reached/m);
    assert.match(out, /^fdp-2026a +not reached/m);
    assert.match(out, /^universal-mill-list +not reached/m);
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
