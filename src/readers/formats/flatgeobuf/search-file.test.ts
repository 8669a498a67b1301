import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createProbe } from '../../../geo/features/create-probe.ts';
import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import type { IndexedFeatures } from '../../../geo/features/feature-set.ts';
import { gatherWithin } from '../../../geo/features/gather-within.ts';
import { nearestFeature } from '../../../geo/features/nearest-feature.ts';
import { createHits } from '../../../geo/packed-tree.ts';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { seededRandom } from '../../../geo/seeded-random.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { fileSource } from '../../io/file-source.ts';
import { decodeGeometry } from './decode-feature.ts';
import { GEOMETRY } from './layout.ts';
import { openFlatGeobuf, type FlatGeobufFile } from './open-flatgeobuf.ts';
import { createPageMemory } from './page-memory.ts';
import { nearestInFile, visitWithin } from './search-file.ts';
import { FlatGeobufWriter } from './write-flatgeobuf.ts';

const COUNT = 20_000;
const { signal } = new AbortController();

describe('searching a file', () => {
  let folder: string;
  let path: string;
  let set: IndexedFeatures;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'search-file-'));
    path = await writeBuildings(join(folder, 'buildings.fgb'));
    set = await loadAll(path);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('gives the same nearest as the same features in memory', async () => {
    const { file } = await open(path);
    const random = seededRandom(2);
    for (let i = 0; i < 100; i++) {
      const probe = createProbe(pointShape(101 + random() * 0.6 - 0.05, 3 + random() * 0.6 - 0.05));
      const found = await nearestInFile(file, probe, 3_000, { columns: ['number'] }, signal);
      const wanted = nearestFeature(set, probe, 3_000);
      assert.equal(found?.distanceM, wanted?.distanceM);
    }
  });

  it('gives the same features within a distance as memory, and passes over those not accepted', async () => {
    const { file } = await open(path);
    const random = seededRandom(3);
    for (let i = 0; i < 50; i++) {
      const probe = createProbe(pointShape(101 + random() * 0.5, 3 + random() * 0.5));
      const distances: number[] = [];
      await visitWithin(file, probe, 800, { columns: ['number'] }, signal, (d) => distances.push(d));
      const hits = createHits();
      gatherWithin(set, probe, 800, hits);
      const wanted = [...hits.ids.subarray(0, hits.count)].map((id) => probe.distanceM(set, id, 800));
      assert.deepEqual(distances.sort(), wanted.sort());
      const even = { columns: ['number'], accept: ([number]: readonly unknown[]) => Number(number) % 2 === 0 };
      const nearest = await nearestInFile(file, probe, 800, even, signal);
      assert.ok(nearest === null || Number(nearest.values[0]) % 2 === 0);
    }
  });

  it('reads a small part of the file, and each page once', async () => {
    const { file, fetched } = await open(path);
    const opened = fetched();
    assert.ok(opened < 20_000, `opening read ${opened} bytes`);
    const probe = createProbe(pointShape(101.25, 3.25));
    await nearestInFile(file, probe, 1_000, { columns: [] }, signal);
    const first = fetched();
    assert.ok(first < file.bytes / 10, `read ${first} of ${file.bytes} bytes`);
    await nearestInFile(file, probe, 1_000, { columns: [] }, signal);
    assert.equal(fetched(), first);
  });

  it('stops on request', async () => {
    const { file } = await open(path);
    const stopped = AbortSignal.abort(new Error('enough'));
    const probe = createProbe(pointShape(101.25, 3.25));
    await assert.rejects(nearestInFile(file, probe, 1_000, { columns: [] }, stopped), /enough/);
  });
});

async function writeBuildings(path: string): Promise<string> {
  const columns = [{ name: 'number', type: 'int' }] as const;
  const writer = new FlatGeobufWriter(path, { name: 'buildings', geometryType: GEOMETRY.polygon, columns });
  const random = seededRandom(1);
  for (let i = 0; i < COUNT; i++) {
    const [x, y, size] = [101 + random() * 0.5, 3 + random() * 0.5, 0.0001 + random() * 0.0002];
    const ring = Float64Array.of(x, y, x + size, y, x + size, y + size, x, y + size, x, y);
    await writer.add({ type: 'polygon', rings: [ring] }, [i]);
  }
  await writer.finish();
  return path;
}

async function loadAll(path: string): Promise<IndexedFeatures> {
  const { file } = await open(path);
  const builder = new FeatureBuilder(file.header.count);
  for await (const { view, starts } of file.scan(signal))
    for (const at of starts) assert.ok(decodeGeometry(view, at, file.header.geometryType, builder));
  const set = builder.finish();
  assert.equal(set?.count, COUNT);
  return set as IndexedFeatures;
}

async function open(path: string): Promise<{ file: FlatGeobufFile; fetched: () => number }> {
  let bytes = 0;
  const source = fileSource(path);
  const counting: ByteSource = {
    id: source.id,
    stat: (options) => source.stat(options),
    fetch(offset, length, options) {
      bytes += length;
      return source.fetch(offset, length, options);
    },
  };
  const file = await openFlatGeobuf(counting, createPageMemory(16_384, 4e6), signal);
  return { file, fetched: () => bytes };
}
