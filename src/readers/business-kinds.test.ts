import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { COMMODITIES } from '../facilities/commodities.ts';
import { BUSINESS_TAGS, isRelevantBusiness } from './business-kinds.ts';

describe('a relevant business', () => {
  const relevant = [
    ['palm', ['man_made=works', 'product=palm_oil'], []],
    ['palm', ['building=yes'], ['PKS Sei Intan - Pabrik Kelapa Sawit']],
    ['palm', ['office=company'], ['PT Sawit Jaya']],
    ['coffee', ['amenity=public_building'], ['Beneficio de Café El Roble']],
    ['coffee', ['shop=yes'], ['COOPERATIVA DE CAFETEROS']],
    ['timber', ['craft=sawmill'], []],
    ['timber', ['industrial=factory'], ['Công ty Gỗ Miền Nam']],
    ['rubber', ['building=yes'], ['โรงงานยางพารา']],
    ['cattle', ['ranch'], ['X']],
    ['soy', ['landuse=industrial'], ['Silos La Pampa']],
    ['cocoa', ['exporters'], []],
    [null, ['shop=agrarian'], []],
  ] as const;
  for (const [commodity, kinds, names] of relevant)
    it(`for ${commodity ?? 'any commodity'} is ${names[0] ?? kinds[0]}`, () =>
      assert.equal(isRelevantBusiness(commodity, kinds, names), true));

  const irrelevant = [
    ['palm', ['tourism=hotel'], ['Palm Beach Resort']],
    ['palm', ['amenity=school'], ['Palma Middle School']],
    ['coffee', ['amenity=cafe'], ['Coffee Corner']],
    ['coffee', ['craft=sawmill'], ['Maderas del Sur']],
    ['palm', ['office=company'], ['Palmerston Holdings']],
    ['timber', ['office=company'], ['Hollywood Studios']],
    [null, ['amenity=bank'], ['Banco Agricola']],
  ] as const;
  for (const [commodity, kinds, names] of irrelevant)
    it(`for ${commodity ?? 'any commodity'} is not ${names[0]}`, () =>
      assert.equal(isRelevantBusiness(commodity, kinds, names), false));

  it('is told from any text without a throw, the same for any case and accents', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(null, ...COMMODITIES),
        fc.array(fc.string({ unit: 'binary', maxLength: 400 }), { maxLength: 3 }),
        (commodity, names) => {
          const plain = isRelevantBusiness(commodity, ['office=company'], names);
          assert.equal(typeof plain, 'boolean');
          const accented = names.map((name) => name.replaceAll(/[a-z]/g, (letter) => `${letter.toUpperCase()}\u0301`));
          if (names.every((name) => /^[a-z ]{0,100}$/.test(name)))
            assert.equal(isRelevantBusiness(commodity, ['office=company'], accented), plain);
        },
      ),
    );
  });

  it('names the tags to fetch', () => {
    assert.equal(BUSINESS_TAGS['industrial'], '*');
    assert.ok(BUSINESS_TAGS['man_made'].includes('works'));
    assert.equal(BUSINESS_TAGS['farm'], undefined, 'an Overture category is no tag');
  });
});
