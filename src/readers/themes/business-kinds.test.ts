import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/any-character.ts';
import { COMMODITIES } from '../../facilities/commodity/commodities.ts';
import { BUSINESS_TAGS, businessReach, reachM } from './business-kinds.ts';
import { REGISTER_FILING, UNKNOWN_KIND } from './business-table.ts';

describe('a relevant business', () => {
  const chain = [
    ['palm', ['man_made=works', 'product=palm_oil'], []],
    ['palm', ['building=yes'], ['PKS Sei Intan - Pabrik Kelapa Sawit']],
    ['palm', [UNKNOWN_KIND], ['Sungai Rokan Palm Oil Mill']],
    ['coffee', ['office=association'], ['Comité de Cafeteros de Boyacá']],
    ['coffee', ['man_made=works'], ['Trilladora El Sol']],
    ['coffee', ['food_and_drink', 'coffee_roastery'], []],
    ['timber', ['craft=sawmill'], []],
    ['timber', ['b2b_service', 'manufacturer', 'mill', 'sawmill'], []],
    ['rubber', ['building=yes'], ['โรงงานยางพารา']],
    ['cattle', ['ranch'], ['X']],
    ['cattle', ['amenity=slaughterhouse'], []],
    ['soy', ['grain_elevators'], []],
    [null, ['agricultural_cooperatives'], []],
    [null, ['man_made=works'], ['Gudang Koko']],
  ] as const;
  for (const [commodity, kinds, names] of chain)
    it(`of the chain of ${commodity ?? 'any commodity'} is ${names[0] ?? kinds.join(' ')}`, () =>
      assert.equal(businessReach(commodity, kinds, names), 'chain'));

  const general = [
    ['palm', ['office=company'], ['PT Sawit Jaya']],
    ['coffee', ['agricultural_cooperative'], ['Cooperativa Café Andino']],
    ['coffee', ['landuse=farmyard', 'produce=coffee'], []],
    ['timber', ['industrial=factory'], ['Công ty Gỗ Miền Nam']],
    ['soy', ['landuse=industrial'], ['Silos La Pampa']],
    ['cocoa', ['exporters'], ['Cacao del Sur']],
    ['palm', ['mill', REGISTER_FILING], ['Rokan Palm Oil Mill LLC']],
    ['timber', ['sawmill', REGISTER_FILING], []],
  ] as const;
  for (const [commodity, kinds, names] of general)
    it(`of a general industrial kind for ${commodity} is ${names[0] ?? kinds.join(' ')}`, () =>
      assert.equal(businessReach(commodity, kinds, names), 'general'));

  const irrelevant = [
    ['coffee', ['man_made=works'], ['Coca Cola']],
    ['coffee', ['man_made=works'], ['fabrica de pinturas']],
    ['coffee', ['man_made=works'], ['jose']],
    ['coffee', ['building=warehouse'], ['Coca-Cola Warehouse']],
    ['palm', ['industrial=oil', 'landuse=industrial'], ['Petron Legazpi Terminal']],
    ['palm', ['tourism=hotel'], ['Palm Beach Resort']],
    ['palm', ['amenity=school'], ['Palm Oil School']],
    ['coffee', ['amenity=cafe'], ['Coffee Corner']],
    ['coffee', ['shop=yes'], ['COOPERATIVA DE CAFETEROS']],
    ['coffee', ['amenity=bank'], ['Banco de los Cafeteros']],
    ['coffee', ['craft=sawmill'], ['Maderas del Sur']],
    ['cocoa', ['exporters'], []],
    ['palm', ['office=company'], ['Palmerston Holdings']],
    ['timber', ['office=company'], ['Hollywood Studios']],
    ['cattle', ['shop=butcher'], ['Matadero Central']],
    ['cattle', ['shopping', 'butcher_shop'], ['Meat Shop']],
    ['timber', [UNKNOWN_KIND], ['Wood']],
    [null, ['amenity=bank'], ['Banco Agricola']],
    [null, ['shop=agrarian'], ['Almacen']],
  ] as const;
  for (const [commodity, kinds, names] of irrelevant)
    it(`for ${commodity ?? 'any commodity'} is not ${names[0] ?? kinds.join(' ')} (${kinds[0]})`, () =>
      assert.equal(businessReach(commodity, kinds, names), 'none'));

  it('counts as far as businesses are searched, of a general kind no farther than 300 m, else nowhere', () => {
    assert.deepEqual([reachM('chain', 2_000), reachM('general', 2_000), reachM('general', 100)], [2_000, 300, 100]);
    assert.ok(reachM('none', 2_000) < 0);
  });

  it('is read from any text without a throw, the same for any case and accents', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(null, ...COMMODITIES),
        fc.array(fc.string({ unit: anyCharacter, maxLength: 400 }), { maxLength: 3 }),
        (commodity, names) => {
          const plain = businessReach(commodity, ['office=company'], names);
          assert.ok(['none', 'general', 'chain'].includes(plain));
          const accented = names.map((name) => name.replaceAll(/[a-z]/g, (letter) => `${letter.toUpperCase()}\u0301`));
          if (names.every((name) => /^[a-z ]{0,100}$/.test(name)))
            assert.equal(businessReach(commodity, ['office=company'], accented), plain);
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
