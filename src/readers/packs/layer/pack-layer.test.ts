import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pointShape } from '../../../geo/shapes/shape.ts';
import { fileSource } from '../../io/file-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { GEOMETRY } from '../../formats/flatgeobuf/layout.ts';
import { createPageMemory } from '../../formats/flatgeobuf/page-memory.ts';
import { FlatGeobufWriter } from '../../formats/flatgeobuf/write-flatgeobuf.ts';
import { createLayer, nearestOf, type PackLayer } from './pack-layer.ts';

const AT = pointShape(100, 2);
const { signal } = new AbortController();

describe('the file of a layer', () => {
  let folder: string;
  let path: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pack-layer-'));
    path = join(folder, 'roads.fgb');
    const columns = ['class', 'name'].map((name) => ({ name, type: 'string' }) as const);
    const writer = new FlatGeobufWriter(path, { name: 'roads', geometryType: GEOMETRY.lineString, columns });
    await writer.add({ type: 'lineString', line: Float64Array.of(99, 2, 101, 2) }, ['track', 'Jalan']);
    await writer.finish();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is opened again for others when whoever began to open it gave up', async () => {
    const { source, letThrough } = heldBack(fileSource(path));
    const layer = layerOf(async () => source);
    const first = new AbortController();
    const given = assert.rejects(async () => nearestOf(layer, AT, 1_000, first.signal), /enough/);
    const second = nearestOf(layer, AT, 1_000, signal);
    await setImmediate();
    first.abort(new Error('enough'));
    letThrough();
    await given;
    assert.deepEqual(await second, { distanceM: 0, name: 'Jalan', kind: 'track' });
  });

  it('is requested again after it could not be opened, which fails for all who waited', async () => {
    let failures = 1;
    const layer = layerOf(async () => {
      if (failures-- > 0) throw new Error('not mounted');
      return fileSource(path);
    });
    const asked = [1, 2].map(() => assert.rejects(async () => nearestOf(layer, AT, 1_000, signal), /not mounted/));
    await Promise.all(asked);
    assert.equal((await nearestOf(layer, AT, 1_000, signal))?.name, 'Jalan');
  });
});

/** A source that answers nothing before it is let through. */
function heldBack(inner: ByteSource): { readonly source: ByteSource; letThrough(): void } {
  const gate = Promise.withResolvers<void>();
  const source: ByteSource = {
    id: inner.id,
    stat: async (options) => gate.promise.then(() => inner.stat(options)),
    fetch: async (offset, length, options) => gate.promise.then(() => inner.fetch(offset, length, options)),
  };
  return { source, letThrough: gate.resolve };
}

function layerOf(openSource: () => Promise<ByteSource>): PackLayer {
  const dataset: Dataset = {
    id: 'roads',
    role: 'roads',
    kind: 'flatgeobuf',
    version: '1',
    licence: 'none',
    attribution: 'made up',
    date: '2026-01-01',
    synthetic: true,
    coverage: { bbox: [99, 1, 102, 4] },
    options: {},
  };
  return createLayer(dataset, 'roads', openSource, createPageMemory(16_384, 200_000));
}
