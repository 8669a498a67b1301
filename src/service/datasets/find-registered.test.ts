import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { BusinessesNearby, FacilitySources, MaybeAnswer } from '../../facilities/sources.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { buildRegistry } from '../../readers/producers/build-registry.ts';
import { openRegistry } from '../../readers/producers/open-registry.ts';
import { MATCH_RULES } from './find-producer.ts';
import { findRegistered } from './find-registered.ts';

const { signal } = new AbortController();
const about = { version: '7', date: null, licence: 'x', attribution: 'y', synthetic: false };
const DEGREE_M = 110_575;
const OF_PACK = { id: 'pack-businesses', version: '1', synthetic: false };

describe('records of a register', () => {
  const found = (count: number): BusinessesNearby => ({
    count,
    nearest: count === 0 ? null : { distanceM: 5, name: 'Mill', kind: 'works' },
  });

  it('count as businesses of the chain within 1,000 m, with the register as dataset', async () => {
    const here = await ask(990);
    assert.deepEqual([here?.dataset.id, here?.dataset.version], ['mills', '7']);
    assert.deepEqual(
      [here?.value.count, here?.value.nearest?.name, here?.value.nearest?.kind],
      [1, 'ROMPIN', 'registered facility'],
    );
    assert.ok(Math.abs((here?.value.nearest?.distanceM ?? 0) - 990) < 5);
    assert.equal(await ask(1_010), null);
  });

  it('say nothing where they find nothing, and let what a pack found stand', async () => {
    assert.equal((await ask(1_010, () => ({ dataset: OF_PACK, value: found(0) })))?.value.count, 0);
    assert.equal((await ask(10, () => ({ dataset: OF_PACK, value: found(0) })))?.dataset.id, 'mills');
    assert.equal((await ask(10, () => ({ dataset: OF_PACK, value: found(2) })))?.dataset.id, 'pack-businesses');
  });

  it('stand in for a pack that fails, whose failure is known where they find nothing', async () => {
    const fails = [
      (): never => {
        throw new Error('torn');
      },
      () => Promise.reject(new Error('torn')),
    ];
    for (const first of fails) {
      assert.equal((await ask(10, first))?.dataset.id, 'mills');
      await assert.rejects(async () => ask(5_000, first), /torn/);
    }
  });

  it('of one commodity do not count for another', async () => {
    assert.equal((await ask(10, () => null, 'palm', ['palm']))?.value.count, 1);
    assert.equal(await ask(10, () => null, 'coffee', ['palm']), null);
    assert.equal(await ask(10, () => null, null, ['palm']), null);
    assert.equal((await ask(10, () => null, null))?.value.count, 1);
  });

  /** Businesses around a place so many metres north of the one mill of a register. */
  async function ask(
    awayM: number,
    first: FacilitySources['businesses'] = () => null,
    commodity: Commodity | null = 'palm',
    commodities: readonly Commodity[] | null = null,
  ): Promise<Awaited<MaybeAnswer<BusinessesNearby>>> {
    const records = [
      { id: 'A', names: ['ROMPIN', 'Rompin Palm Oil Mill'], at: [103, 3] as const, country: 'MY' },
      { id: 'B', names: ['Nowhere'], at: null, country: 'MY' },
    ];
    const meta = { ...about, title: 'Mills', ...(commodities === null ? {} : { commodities }) };
    const registry = openRegistry(buildRegistry('mills', records, meta), MATCH_RULES);
    return findRegistered(first, [registry])(commodity, pointShape(103, 3 + awayM / DEGREE_M), 2_000, signal);
  }
});
