import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { builtInDatasets } from '../built-in/built-in-datasets.ts';
import { CatalogueError, openCatalogue } from './catalogue.ts';
import { runs } from '../../../test/property-runs.ts';

const BUILT_IN = Object.values(builtInDatasets());
const ENTRY = {
  id: 'riau-roads',
  role: 'roads',
  kind: 'flatgeobuf',
  path: 'packs/roads.fgb',
  coverage: [100, -1, 104, 3],
  version: '2026-01',
  date: '2026-01-15',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors',
};

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-catalogue-'));
});
after(() => rm(folder, { recursive: true }));

async function open(document: unknown, raw?: string): ReturnType<typeof openCatalogue> {
  const path = join(folder, 'catalogue.json');
  await writeFile(path, raw ?? JSON.stringify(document));
  return openCatalogue(BUILT_IN, path);
}

test('the built-in datasets say where they come from and on what terms', async () => {
  const { datasets } = await openCatalogue(BUILT_IN, null);
  assert.deepEqual(
    datasets.map(({ id, licence }) => [id, licence]),
    [
      ['osm-countries-land', 'ODbL-1.0'],
      ['country-coder', 'ISC'],
      ['osm-waterbodies', 'ODbL-1.0'],
      ['natural-earth-water', 'Public domain'],
      ['sea-ports', 'MIT'],
      ['geonames-settlements', 'CC-BY-4.0'],
      ['geonames-places', 'CC-BY-4.0'],
    ],
  );
  for (const { version, attribution } of datasets) assert.ok(/^\d+\.\d+\.\d+$/.test(version) && attribution !== '');
});

test('the first dataset of a role that covers the place answers, the operator before the built-in', async () => {
  const triangle = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [2, 0],
        [0, 2],
        [0, 0],
      ],
    ],
  };
  const ports = { ...ENTRY, role: 'ports', coverage: triangle };
  const catalogue = await open([ENTRY, { ...ports, id: 'a' }, { ...ports, id: 'b' }]);
  assert.equal(catalogue.first('roads', 101, 0)?.id, 'riau-roads');
  assert.equal(catalogue.first('roads', 99, 0), null);
  assert.equal(catalogue.first('ports', 0.5, 0.5)?.id, 'a');
  assert.equal(catalogue.first('ports', 1.5, 1.5)?.id, 'sea-ports');
  assert.deepEqual(
    catalogue.ofRole('ports').map(({ id }) => id),
    ['a', 'b', 'sea-ports'],
  );
  assert.deepEqual(catalogue.ofRole('biomass'), []);
});

test('a relative path is taken from the folder of the file, and what is left out has its default', async () => {
  const { datasets } = await open({ datasets: [{ ...ENTRY, coverage: undefined, date: undefined }] });
  assert.equal(datasets[0].path, join(folder, 'packs/roads.fgb'));
  assert.deepEqual(datasets[0].coverage, { bbox: [-180, -90, 180, 90] });
  assert.deepEqual([datasets[0].synthetic, datasets[0].date, datasets[0].options], [false, null, {}]);
});

/** The change of an entry to data at an address. */
function atAddress(change: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { path: undefined, url: 'https://a.org/b.fgb', ...change };
}

test('reads the contract of data at an address', async () => {
  const contract = {
    mirrors: ['https://b.org/copy/V4/{ns}{lat}_{ew}{lon}.tif'],
    sentinel: [15, 5],
    expect: { bands: 1, sampleType: 'uint8', crs: 'EPSG:4326' },
    newest: { listing: 'https://a.org/V4/', pattern: 'V(\\d+)' },
  };
  const entry = { ...ENTRY, path: undefined, kind: 'cog', url: 'https://a.org/V4/{ns}{lat}_{ew}{lon}.tif' };
  const [{ contract: read }] = (await open([{ ...entry, contract }])).datasets;
  assert.deepEqual(read, contract);
  const [{ contract: none }] = (await open([{ ...entry, contract: {} }])).datasets;
  assert.deepEqual(none, { mirrors: [], sentinel: null, expect: {}, newest: 'fixed' });
});

const faults: readonly [title: string, change: Readonly<Record<string, unknown>>, message: RegExp][] = [
  ['an unknown role', { role: 'rivers' }, /entry 1 \("riau-roads"\): role: wanted one of countries, .*, got "rivers"/],
  ['an unknown kind', { kind: 'shapefile' }, /kind: wanted one of flatgeobuf, .*, got "shapefile"/],
  ['a kind of the service itself', { kind: 'package' }, /kind: wanted one of flatgeobuf/],
  ['a package', { package: 'left-pad' }, /package: only data that ships with the service/],
  ['an unknown field', { licnce: 'MIT' }, /licnce: wanted one of id, role/],
  ['both places', { url: 'https://example.org/a.fgb' }, /url: wanted exactly one of url and path, got both/],
  ['no place', { path: undefined }, /url: wanted exactly one of url and path, got neither/],
  [
    'another protocol',
    { path: undefined, url: 'file:///etc/passwd' },
    /url: wanted an http or https address, got "file/,
  ],
  ['a service on disk', { kind: 'service' }, /path: a service is reached by url/],
  [
    'a turned box',
    { coverage: [104, -1, 100, 3] },
    /coverage: wanted \[west, south, east, north\] in degrees with west <= east/,
  ],
  ['a box out of the world', { coverage: [-200, 0, 0, 0] }, /coverage: wanted \[west/],
  [
    'an open ring',
    {
      coverage: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ],
        ],
      },
    },
    /coverage: wanted rings of at least 4 positions that end/,
  ],
  [
    'a place out of the world',
    {
      coverage: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [999, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    },
    /coverage: wanted a longitude and a latitude/,
  ],
  ['no licence', { licence: ' ' }, /licence: wanted a text/],
  ['a wrong date', { date: '2026-13' }, /date: wanted a year, month or day/],
  ['a wrong id', { id: 'Riau roads' }, /id: wanted up to 100 of a-z/],
  [
    'the id of a built-in dataset',
    { id: 'sea-ports' },
    /entry 1 \("sea-ports"\): id: wanted one that no other dataset has/,
  ],
  ['a wrong flag', { synthetic: 'yes' }, /synthetic: wanted true or false, got "yes"/],
  ['a contract of a file', { contract: {} }, /contract: only data at an address has one; wanted url in place of path/],
  ['no contract', atAddress({ contract: [] }), /contract: wanted an object, got a list of 0/],
  [
    'an unknown field of a contract',
    atAddress({ contract: { mirror: 'x' } }),
    /contract: mirror: wanted one of mirrors,/,
  ],
  [
    'a mirror that is no address',
    atAddress({ contract: { mirrors: ['b.fgb'] } }),
    /contract: mirrors: wanted an http or https/,
  ],
  [
    'a mirror of other names',
    atAddress({ url: 'https://a.org/{ns}{lat}_{ew}{lon}.tif', contract: { mirrors: ['https://b.org/{lat}.tif'] } }),
    /contract: mirrors: wanted an address that ends like url/,
  ],
  [
    'a sentinel out of the world',
    atAddress({ contract: { sentinel: [200, 0] } }),
    /contract: sentinel: wanted \[longitude/,
  ],
  ['a sentinel elsewhere', atAddress({ contract: { sentinel: '../secret' } }), /contract: sentinel: wanted/],
  [
    'no bands',
    atAddress({ contract: { expect: { bands: 0 } } }),
    /contract: expect\.bands: wanted a whole number from 1, got 0/,
  ],
  [
    'unknown samples',
    atAddress({ contract: { expect: { sampleType: 'byte' } } }),
    /expect\.sampleType: wanted one of int8/,
  ],
  [
    'an unknown projection',
    atAddress({ contract: { expect: { crs: 'WGS84' } } }),
    /expect\.crs: wanted a code such as/,
  ],
  [
    'columns that are none',
    atAddress({ contract: { expect: { columns: 'id' } } }),
    /expect\.columns: wanted a list of names/,
  ],
  [
    'an unknown way to the newest',
    atAddress({ contract: { newest: 'ask' } }),
    /newest: wanted "fixed", "in-place" or a listing/,
  ],
  [
    'a pattern that does not match',
    atAddress({ contract: { newest: { listing: 'https://a.org/', pattern: 'V(\\d+)' } } }),
    /contract: newest\.pattern: wanted a regular expression with one group/,
  ],
  ['wrong options', { options: [1] }, /options: wanted an object, got a list of 1/],
];
for (const [title, change, message] of faults) {
  test(`refuses an entry with ${title}, naming entry and field`, async () => {
    await assert.rejects(
      open([{ ...ENTRY, ...change }]),
      (error: Error) => error instanceof CatalogueError && message.test(error.message),
    );
  });
}

test('names every fault of every entry at once', async () => {
  await assert.rejects(open([{ ...ENTRY, role: 1 }, 7, { ...ENTRY, version: null }]), (error: Error) => {
    assert.match(error.message, /entry 1 .*role/);
    assert.match(error.message, /entry 2: wanted an object, got 7/);
    assert.match(error.message, /entry 3 .*version: wanted a text/);
    return true;
  });
});

test('a file that is absent or no JSON is refused by name', async () => {
  await assert.rejects(openCatalogue(BUILT_IN, join(folder, 'none.json')), /none\.json.*ENOENT/);
  await assert.rejects(open(null, '[{'), CatalogueError);
  await assert.rejects(open({ sets: [] }), /wanted a list of datasets/);
  await assert.rejects(open(null, `${'['.repeat(100_000)}${']'.repeat(100_000)}`), CatalogueError);
});

test('never throws anything but a catalogue error, whatever the file says', async () => {
  const field = fc.constantFrom(...Object.keys(ENTRY), 'url', 'options', '__proto__');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(field, fc.jsonValue()), { maxLength: 4 }),
      fc.jsonValue(),
      fc.boolean(),
      async (changes, other, whole) => {
        const document = whole ? other : [{ ...ENTRY, ...Object.fromEntries(changes) }];
        await open(document).then(
          ({ datasets }) => assert.ok(datasets.every(({ id, role, version }) => id && role && version)),
          (error: unknown) =>
            assert.ok(error instanceof CatalogueError && error.message.includes('catalogue.json'), String(error)),
        );
      },
    ),
    { numRuns: runs(400) },
  );
});
