import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { osmFile, type OsmObjects } from '../../../../test/osm-file.ts';
import type { ThemeFeature } from '../../themes/themes.ts';
import { importOsm, type OsmImport } from './import-osm.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(400);
const { signal } = new AbortController();
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-osm-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A square of nodes from 1, counter-clockwise, and one of nodes from 11 inside it. */
const NODES = [
  ...[
    [0, 0],
    [0.01, 0],
    [0.01, 0.01],
    [0, 0.01],
  ].map(([lon, lat], i) => ({ id: i + 1, lon: 10 + lon, lat: 5 + lat })),
  ...[
    [0.004, 0.004],
    [0.006, 0.004],
    [0.006, 0.006],
    [0.004, 0.006],
  ].map(([lon, lat], i) => ({ id: i + 11, lon: 10 + lon, lat: 5 + lat })),
];

describe('importOsm', () => {
  it('draws ways as lines or areas by what they are, and points in the middle of businesses', async () => {
    const { features } = await read({
      nodes: [...NODES, { id: 20, lon: 10.5, lat: 5.5, tags: { shop: 'agrarian', name: 'Abonos', operator: 'Coop' } }],
      ways: [
        { id: 1, nodes: [1, 2, 3], tags: { highway: 'track', ref: 'T1' } },
        { id: 2, nodes: [1, 2, 3, 4, 1], tags: { building: 'warehouse', name: 'Bodega' } },
        { id: 3, nodes: [1, 2, 3, 4, 1], tags: { natural: 'water', water: 'lake' } },
        { id: 4, nodes: [1, 2, 3, 4, 1], tags: { man_made: 'works', name: 'Trilladora' } },
        { id: 5, nodes: [1, 2, 3, 4, 1], tags: { building: 'no' } },
        { id: 6, nodes: [11, 12], tags: { highway: 'residential', area: 'yes' } },
      ],
    });
    const found = features.map(({ theme, geometry, values }) =>
      [theme, geometry.type, ...values.slice(0, 3)].join(' | '),
    );
    assert.deepEqual(found.sort(), [
      'buildings | polygon | way/2 | warehouse | Bodega',
      'businesses | point | node/20 | shop=agrarian | Abonos',
      'businesses | point | way/2 | building=warehouse | Bodega',
      'businesses | point | way/4 | man_made=works | Trilladora',
      'industrial | polygon | way/4 | works | Trilladora',
      'roads | lineString | way/1 | track | T1',
      'water | polygon | way/3 | lake | ',
    ]);
    const building = features.find(({ theme }) => theme === 'buildings');
    assert.equal(building?.values[3], 1);
    // 0.01 degree at 5 N is 1,109.0 m by 1,105.7 m.
    assert.ok(Math.abs(Number(building?.values[4]) - 1_226_000) < 2_000, String(building?.values[4]));
    const shop = features.find(({ values }) => values[0] === 'node/20');
    assert.equal(shop?.values[4], 'Abonos;Coop');
  });

  it('puts areas together from ways that run in any direction, with holes whatever their role', async () => {
    const { features, about } = await read({
      nodes: NODES,
      ways: [
        { id: 1, nodes: [1, 2, 3] },
        { id: 2, nodes: [1, 4, 3] },
        { id: 3, nodes: [11, 12, 13, 14, 11] },
      ],
      relations: [
        {
          id: 9,
          members: [
            [1, 1, 'outer'],
            [1, 2, ''],
            [1, 3, 'outer'],
          ],
          tags: { type: 'multipolygon', building: 'yes' },
        },
        { id: 10, members: [[1, 1, 'outer']], tags: { type: 'multipolygon', building: 'yes' } },
      ],
    });
    assert.equal(features.length, 1);
    const [{ geometry, values }] = features;
    assert.ok(geometry.type === 'polygon' && geometry.rings.length === 2 && geometry.rings[0].length === 10);
    assert.equal(values[0], 'relation/9');
    assert.equal(about.openAreas, 1);
  });

  it('cuts lines where the file lacks nodes, and leaves areas out there', async () => {
    const { features, about } = await read({
      nodes: NODES,
      ways: [
        { id: 1, nodes: [1, 2, 99, 3, 4], tags: { waterway: 'river' } },
        { id: 2, nodes: [1, 2, 99, 4, 1], tags: { building: 'yes' } },
      ],
    });
    assert.deepEqual(
      features.map(({ geometry }) => geometry.type),
      ['multiLineString'],
    );
    assert.equal(about.openAreas, 1);
  });

  it('finds the place of every node, however many there are', async () => {
    const nodes = Array.from({ length: 30_000 }, (_, i) => ({
      id: i * 3 + 1,
      lon: (i % 3600) / 10 - 180,
      lat: (i % 170) - 85,
    }));
    const ways = Array.from({ length: 300 }, (_, i) => ({
      id: i + 1,
      nodes: [nodes[i * 97].id, nodes[29_999 - i * 5].id],
      tags: { highway: 'road' },
    }));
    const { features } = await read({ nodes, ways });
    for (const [i, { geometry }] of features.entries()) {
      assert.ok(geometry.type === 'lineString');
      const wanted = [nodes[i * 97], nodes[29_999 - i * 5]].flatMap(({ lon, lat }) => [lon, lat]);
      assert.deepEqual(
        [...geometry.line].map((value) => value.toFixed(6)),
        wanted.map((value) => value.toFixed(6)),
      );
    }
  });

  it('reads pieces that are not compressed, and the box of the header', async () => {
    const { about } = await read({ nodes: NODES, zlib: false, bbox: [9, 4, 11, 6] });
    assert.deepEqual(
      about.bbox?.map((edge) => Math.round(edge * 1e6) / 1e6),
      [9, 4, 11, 6],
    );
    assert.equal(about.nodes, 8);
  });

  it('says what is wrong with files it cannot use', async () => {
    await assert.rejects(read({ nodes: NODES.toReversed() }), /comes after node .* osmium sort/);
    await assert.rejects(read({ required: ['HistoricalInformation'] }), /needs "HistoricalInformation"/);
    await assert.rejects(readBytes(Buffer.from('<osm version="0.6"></osm>')), /there is no piece of a \.osm\.pbf file/);
    await assert.rejects(readBytes(Buffer.alloc(0)), /got an empty one/);
    await assert.rejects(readBytes(osmFile({ nodes: NODES }).subarray(0, 120)), /ends early/);
  });

  it('reads or refuses damaged files with a sentence, and never leaves scratch files', async () => {
    const good = osmFile({
      nodes: NODES,
      ways: [{ id: 1, nodes: [1, 2, 3, 4, 1], tags: { building: 'yes' } }],
      relations: [{ id: 2, members: [[1, 1, 'outer']], tags: { type: 'multipolygon', landuse: 'industrial' } }],
      zlib: false,
    });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.nat(255), async (at, value) => {
        const bytes = Buffer.from(good);
        bytes[at] = value;
        try {
          await readBytes(bytes);
        } catch (error) {
          refused++;
          assert.ok(error instanceof Error && error.name === 'OsmFileError', String(error));
        }
      }),
      { numRuns: RUNS },
    );
    assert.ok(refused > RUNS / 10, `only ${refused} refused`);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name !== 'file.osm.pbf'),
      [],
    );
  });

  it('stops on request', async () => {
    const path = join(folder, 'file.osm.pbf');
    await writeFile(path, osmFile({ nodes: NODES }));
    const stop = AbortSignal.abort(new Error('enough'));
    await assert.rejects(
      importOsm(path, { scratch: folder, sink: () => undefined, onProgress: () => {}, signal: stop }),
      /enough/,
    );
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name !== 'file.osm.pbf'),
      [],
    );
  });
});

function read(objects: OsmObjects): Promise<{ features: ThemeFeature[]; about: OsmImport }> {
  return readBytes(osmFile(objects));
}

async function readBytes(bytes: Buffer): Promise<{ features: ThemeFeature[]; about: OsmImport }> {
  const path = join(folder, 'file.osm.pbf');
  await writeFile(path, bytes);
  const features: ThemeFeature[] = [];
  const sink = (feature: ThemeFeature): undefined => void features.push(feature);
  const about = await importOsm(path, { scratch: folder, sink, onProgress: () => {}, signal });
  return { features, about };
}
