import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readCoverage } from './read-places.ts';

const box = (west: number) => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, 0],
      [west + 1, 0],
      [west + 1, 1],
      [west, 0],
    ],
  ],
});
const feature = (geometry: unknown) => ({ type: 'Feature', properties: {}, geometry });

describe('the file of --coverage', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coverage-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('holds a polygon, a feature of one, or a collection of such features as tools draw it', async () => {
    assert.equal((await read(box(10)))?.length, 1);
    assert.equal((await read(feature(box(10))))?.length, 1);
    const collection = { type: 'FeatureCollection', features: [feature(box(10)), feature(box(20))] };
    const polygons = await read(collection);
    assert.deepEqual(
      polygons?.map(([ring]) => ring[0]),
      [10, 20],
    );
  });

  it('is refused when any of it is no polygon that can be used', async () => {
    const open = { type: 'Polygon', coordinates: [box(30).coordinates[0].slice(0, 3)] };
    const collection = { type: 'FeatureCollection', features: [feature(box(10)), feature(open)] };
    await assert.rejects(read(collection), /^UsageError: --coverage: .*coverage\.geojson: /);
    await assert.rejects(read({ type: 'FeatureCollection', features: [] }), /the FeatureCollection has no features/);
    await assert.rejects(read({ type: 'Point', coordinates: [1, 2] }), /wanted a Polygon or MultiPolygon/);
  });

  async function read(document: unknown) {
    const path = join(folder, 'coverage.geojson');
    await writeFile(path, JSON.stringify(document));
    return readCoverage(path);
  }
});
