import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer } from '../../../test/facility-sources.ts';
import { Problem } from '../../errors.ts';
import type { Answer, Nearby } from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { layerSources, type SourceLayer } from './source-layers.ts';

const shape = toShape({ type: 'Point', coordinates: [1, 1] }).shape as Shape;
const { signal } = new AbortController();
const road = (id: string): Answer<Nearby | null> => answer({ distanceM: 1, name: null, kind: 'track' }, id);
const layer = (nearestRoad: SourceLayer['nearestRoad']): SourceLayer => ({ ...(nearestRoad && { nearestRoad }) });
const busy = new Problem('dependency_unavailable', 'Overpass is busy');

function ask(layers: readonly SourceLayer[], reported: string[] = []) {
  return layerSources(layers, (what) => reported.push(what)).nearestRoad(shape, 1_000, signal);
}

describe('layers of sources', () => {
  it('answer by the first that covers the place, at once where it can', () => {
    const later = layer(() => assert.fail('was asked'));
    assert.deepEqual(ask([layer(() => null), {}, layer(() => road('b')), later]), road('b'));
  });

  it('wait for a source that needs time, and go on when it covers nothing', async () => {
    const slow = layer(() => Promise.resolve(null));
    assert.deepEqual(await ask([slow, layer(() => road('b'))]), road('b'));
    assert.deepEqual(await ask([layer(() => Promise.resolve(road('a'))), layer(() => road('b'))]), road('a'));
  });

  for (const [name, failing] of [
    ['throws', layer(() => assertThrow())],
    ['rejects', layer(() => Promise.reject(busy))],
  ] as const) {
    it(`pass over one that ${name}, and say so in the receipt of the next`, async () => {
      const reported: string[] = [];
      const found = await ask([failing, layer(() => road('b'))], reported);
      assert.equal(found?.dataset.id, 'b');
      assert.equal(found.dataset.note, 'Overpass is busy, so another dataset answered.');
      assert.deepEqual(reported, ['nearestRoad']);
    });

    it(`fail with the first failure when one ${name} and no other answers`, async () => {
      const alone = Promise.resolve().then(() => ask([failing, layer(() => null)]));
      await assert.rejects(alone, busy);
    });
  }

  it('cover nothing where no layer knows the question', () => assert.equal(ask([{}, {}]), null));
});

function assertThrow(): never {
  throw busy;
}
