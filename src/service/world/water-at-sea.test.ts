import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, Nearby } from '../../facilities/sources.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { waterAtSea } from './water-at-sea.ts';

const { signal } = new AbortController();
const place = pointShape(123.8, 13.18);

function answer(id: string, kind: string | null, distanceM = 0): Answer<Nearby | null> {
  const value = kind === null ? null : { kind, name: null, distanceM };
  return { dataset: { id, version: '1', synthetic: false }, value };
}

describe('the nearest water of a place in the sea', () => {
  const sea = answer('built-in', 'sea', 0);
  const cases = [
    { says: 'is the sea it lies in, not the coast', pack: answer('pack', 'sea', 4_765), from: 'built-in' },
    { says: 'is the sea where a pack finds no coast', pack: answer('pack', null), from: 'built-in' },
    {
      says: 'is the coast where that is within the fault of the outline',
      pack: answer('pack', 'sea', 42),
      from: 'pack',
    },
    { says: 'is a river that a pack finds', pack: answer('pack', 'river', 900), from: 'pack' },
  ];
  for (const { says, pack, from } of cases)
    it(says, async () => {
      for (const [asked, area] of [
        [pack, sea],
        [Promise.resolve(pack), Promise.resolve(sea)],
      ]) {
        const found = await waterAtSea(
          () => asked,
          () => area,
        )(place, 5_000, signal);
        assert.equal(found?.dataset.id, from);
      }
    });

  it('is what a pack finds on land', async () => {
    const far = answer('pack', 'sea', 4_000);
    for (const area of [answer('built-in', 'sea', 3_900), answer('built-in', 'lake', 0), null]) {
      const found = await waterAtSea(
        () => far,
        () => area,
      )(place, 5_000, signal);
      assert.equal(found, far);
    }
  });

  it('is what a pack finds when the built-in sea cannot be read', async () => {
    const far = answer('pack', 'sea', 4_000);
    const torn = () => {
      throw new Error('gone');
    };
    for (const broken of [torn, () => Promise.reject(new Error('gone'))])
      assert.equal(await waterAtSea(() => far, broken)(place, 5_000, signal), far);
  });
});
