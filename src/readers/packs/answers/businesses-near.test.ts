import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { seededRandom } from '../../../geo/seeded-random.ts';
import { fileSource } from '../../io/file-source.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { GEOMETRY } from '../../formats/flatgeobuf/layout.ts';
import { createPageMemory } from '../../formats/flatgeobuf/page-memory.ts';
import { FlatGeobufWriter } from '../../formats/flatgeobuf/write-flatgeobuf.ts';
import { businessesNear } from './businesses-near.ts';
import { createLayer, type PackLayer } from '../layer/pack-layer.ts';

const COUNT = 3_000;
const KINDS = ['shop=trade', 'shop=bakery', 'industrial=oil_mill', 'shop=trade office=company', 'amenity=school'];
const NAMES = ['Palm Oil Mill', 'Kilang Kelapa Sawit', 'Café Central', 'Coffee Cooperative', 'Sawit Jaya', ''];
const { signal } = new AbortController();

describe('businesses of a file', () => {
  let folder: string;
  let onDisk: PackLayer;
  let loaded: PackLayer;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'businesses-'));
    const path = await writeBusinesses(join(folder, 'businesses.fgb'));
    onDisk = layerOf(path);
    loaded = layerOf(path);
    await loaded.load(signal);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are the same as in memory, those too whose relevance is known from another question', async () => {
    const random = seededRandom(2);
    let found = 0;
    for (let i = 0; i < 60; i++) {
      const shape = pointShape(100 + random() * 0.2, 2 + random() * 0.2);
      for (const commodity of ['palm', null, 'coffee', 'palm'] as const) {
        const wanted = await businessesNear(loaded, commodity, shape, 3_000, signal);
        assert.deepEqual(await businessesNear(onDisk, commodity, shape, 3_000, signal), wanted);
        found += wanted.count;
      }
    }
    assert.ok(found > 1_000, `only ${found} found`);
  });
});

async function writeBusinesses(path: string): Promise<string> {
  const columns = ['class', 'name', 'kinds', 'names'].map((name) => ({ name, type: 'string' }) as const);
  const writer = new FlatGeobufWriter(path, { name: 'businesses', geometryType: GEOMETRY.point, columns });
  const random = seededRandom(1);
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)];
  for (let i = 0; i < COUNT; i++) {
    const [kinds, name] = [one(KINDS), one(NAMES)];
    const point = { type: 'point', lon: 100 + random() * 0.2, lat: 2 + random() * 0.2 } as const;
    await writer.add(point, [kinds.split(' ')[0], `${name} ${i}`, kinds, name]);
  }
  await writer.finish();
  return path;
}

function layerOf(path: string): PackLayer {
  const dataset: Dataset = {
    id: 'businesses',
    role: 'businesses',
    kind: 'flatgeobuf',
    version: '1',
    licence: 'none',
    attribution: 'made up',
    date: '2026-01-01',
    synthetic: true,
    coverage: { bbox: [99, 1, 102, 4] },
    options: {},
    path,
  };
  return createLayer(dataset, 'businesses', async () => fileSource(path), createPageMemory(16_384, 200_000));
}
