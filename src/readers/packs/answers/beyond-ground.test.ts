import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BuildingsNearby } from '../../../facilities/sources.ts';
import { type Bbox, pointShape } from '../../../geo/shapes/shape.ts';
import { fileSource } from '../../io/file-source.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { GEOMETRY } from '../../formats/flatgeobuf/layout.ts';
import { createPageMemory } from '../../formats/flatgeobuf/page-memory.ts';
import { FlatGeobufWriter } from '../../formats/flatgeobuf/write-flatgeobuf.ts';
import { createLayer, type PackLayer } from '../layer/pack-layer.ts';
import { beyondSources, packSources } from '../pack-sources.ts';

const { signal } = new AbortController();
/** East of both grounds: about 4.4 km beyond that of the far port, 2.2 km beyond that of the near one. */
const OUTSIDE = pointShape(100.14, 2.05);
const FAR: Bbox = [100, 2, 100.1, 2.1];
const NEAR: Bbox = [100, 2, 100.12, 2.1];

describe('packs whose ground does not hold a place', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'beyond-ground-'));
    await writePort('far', 100.09);
    await writePort('near', 100.11);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const loaded of [true, false]) {
    const where = loaded ? 'in memory' : 'on disk';

    it(`find what lies within the limit, and say that something nearer may be missing (${where})`, async () => {
      const layers = [await layer('far', FAR, loaded)];
      assert.equal(await packSources(layers, RULE).nearestPort(OUTSIDE, 50_000, signal), null);
      const found = await beyondSources(layers).nearestPort(OUTSIDE, 50_000, signal);
      assert.equal(found?.value?.name, 'far');
      assert.ok(Math.abs((found?.value?.distanceM ?? 0) - 5_562) < 3, String(found?.value?.distanceM));
      assert.match(found?.dataset.note ?? '', /something nearer may be missing/);
    });

    it(`never answer with nothing (${where})`, async () => {
      const layers = [await layer('far', FAR, loaded)];
      assert.equal(await beyondSources(layers).nearestPort(OUTSIDE, 5_000, signal), null);
    });

    it(`answer with the nearest of several, in whatever order (${where})`, async () => {
      const layers = [await layer('far', FAR, loaded), await layer('near', NEAR, loaded)];
      for (const order of [layers, layers.toReversed()])
        assert.equal((await beyondSources(order).nearestPort(OUTSIDE, 50_000, signal))?.value?.name, 'near');
    });
  }

  it('are not opened where the box round their ground is farther than the limit', () => {
    const unopened = layerOf('far', FAR, false, () => assert.fail('was opened'));
    assert.equal(beyondSources([unopened]).nearestPort(pointShape(101, 2.05), 50_000, signal), null);
    assert.equal(beyondSources([unopened]).nearestPort(pointShape(100.05, 3), 50_000, signal), null);
  });

  it('are not queried again for a place that they hold', async () => {
    const layers = [await layer('far', FAR, true)];
    assert.equal(beyondSources(layers).nearestPort(pointShape(100.05, 2.05), 50_000, signal), null);
  });

  it('say nothing of real places where they are synthetic', async () => {
    const made = layerOf('far', FAR, true, async () => fileSource(join(folder, 'far.fgb')));
    assert.equal(await beyondSources([made]).nearestPort(OUTSIDE, 50_000, signal), null);
  });

  it('are passed over where they cannot be read and another finds something, else fail by their name', async () => {
    const broken = layerOf('broken', FAR, false, () => Promise.reject(new Error('/secret/path is gone')));
    const found = await beyondSources([broken, await layer('far', FAR, false)]).nearestPort(OUTSIDE, 50_000, signal);
    assert.equal(found?.value?.name, 'far');
    await assert.rejects(
      async () => beyondSources([broken]).nearestPort(OUTSIDE, 50_000, signal),
      /^Problem: The dataset broken cannot be read$/,
    );
  });

  async function writePort(name: string, lon: number): Promise<void> {
    const columns = ['class', 'name'].map((column) => ({ name: column, type: 'string' }) as const);
    const writer = new FlatGeobufWriter(join(folder, `${name}.fgb`), {
      name: 'ports',
      geometryType: GEOMETRY.point,
      columns,
    });
    await writer.add({ type: 'point', lon, lat: 2.05 }, ['harbour', name]);
    await writer.finish();
  }

  async function layer(id: string, ground: Bbox, loaded: boolean): Promise<PackLayer> {
    const made = layerOf(id, ground, false, async () => fileSource(join(folder, `${id}.fgb`)));
    if (loaded) await made.load(signal);
    return made;
  }
});

const RULE = { density: { radiusM: 500, share: 0.5 }, isSizeable: ({ count }: BuildingsNearby) => count > 0 };

function layerOf(
  id: string,
  bbox: Bbox,
  synthetic: boolean,
  open: () => Promise<ReturnType<typeof fileSource>>,
): PackLayer {
  const dataset = { id, version: '1', synthetic, coverage: { bbox }, options: {} } as unknown as Dataset;
  return createLayer(dataset, 'ports', open, createPageMemory(16_384, 1_000_000));
}
