import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/any-character.ts';
import { pointAt, options, sources } from '../../../test/facility-sources.ts';
import { ANNEX } from '../../law/annex.ts';
import { COMMODITIES } from './commodities.ts';
import { commodityName, commodityOption, didYouMean, parseCommodity } from './commodity-names.ts';
import type { ValidatedFacility } from '../result.ts';
import { validateFacility } from '../validate-facility.ts';

const SPELLINGS = {
  palm: [
    'palm',
    'Palm',
    'oil palm',
    'palm oil',
    'palm_oil',
    'PALM-OIL',
    ' Oil  Palm ',
    'Palm kernel oil',
    'Kelapa Sawit',
  ],
  soy: ['soy', 'soya', 'Soybean', 'Soybeans', 'soja', 'Glycine max'],
  cattle: ['cattle', 'beef', 'Leather', 'livestock', 'Live cattle', 'ganado'],
  timber: ['timber', 'wood', 'Teak', 'PINE', 'Eucalyptus', 'mahogany', 'acacia', 'sawn timber', 'Rubberwood'],
  rubber: ['rubber', 'natural rubber', 'Natural_Rubber', 'hevea', 'Hevea brasiliensis', 'hévéa', 'karet'],
  cocoa: ['cocoa', 'cacao', 'Cocoa beans', 'cacau', 'Cacao-Beans'],
  coffee: ['COFFEE', 'coffee beans', 'café', 'CAFÉ', 'cafe', 'cafe\u0301', 'Robusta', 'arabica', 'kopi'],
} as const;

/** Codes as they stand in customs papers and in spreadsheets. */
const CODES = {
  rubber: ['40 Rubber and articles thereof', '4001', '4001.10', 'HS 4001', 'hs code: 4001 22', '400121 - TSNR', '4011'],
  cocoa: ['1801', '1801 Cocoa beans, whole or broken', '1801.00.00', '18 Cocoa and cocoa preparations', '1806'],
  palm: ['1511', '1511.10', '151321', '1207 10', '1511 Palm oil and its fractions'],
  soy: ['1201', '1201.90 Soya beans', '1507', '2304', '120810'],
  timber: ['4403', '44 Wood and articles of wood', '4403 49', '4701', '4801', '940330', '48 Paper and paperboard'],
  cattle: ['0102', '0102 21', '0201', '0202', '4101', '0102 Live bovine animals'],
  coffee: ['0901', '0901.21', 'CN 0901 11 00', '0901 Coffee, whether or not roasted'],
} as const;

describe('parseCommodity', () => {
  for (const commodity of COMMODITIES) {
    it(`knows ${commodity} in every spelling`, () => {
      for (const text of SPELLINGS[commodity]) assert.equal(parseCommodity(text), commodity, text);
    });

    it(`knows ${commodity} by its codes of the customs tariff, with and without words`, () => {
      for (const text of CODES[commodity]) assert.equal(parseCommodity(text), commodity, text);
    });

    it(`knows every heading of ${commodity} that the regulation lists`, () => {
      // What is added in 2027 for oil palm are chemicals that may be of anything.
      const listed = ANNEX.filter((row) => row.commodity === commodity && row.validFrom < '2027');
      assert.ok(listed.length > 1);
      for (const { code } of listed.filter(({ digits }) => digits.length > 2))
        assert.equal(parseCommodity(code), commodity, code);
    });
  }

  it('knows no other, nor none', () => {
    for (const text of ['banana', '', ' ', 'palms', 'constructor', '__proto__', null, undefined])
      assert.equal(parseCommodity(text), null);
  });

  it('takes no number for a code that is none, and no code against its own words', () => {
    const others = [
      '40',
      '18',
      '44 kg',
      '18 rubber tappers',
      '1801 Coffee',
      '1511 soya',
      '901',
      '4001,5',
      '40.5 ha',
      '09',
      '1513',
      '0103',
      '2026',
    ];
    for (const text of others) assert.equal(parseCommodity(text), null, text);
  });

  it('answers with one of the seven or null, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[0-9 .]{0,14}[a-z ]{0,8}$/)),
        (text) => {
          const commodity = parseCommodity(text);
          assert.ok(commodity === null || COMMODITIES.includes(commodity));
          assert.equal(typeof didYouMean(text), 'string');
          if (commodity !== null) assert.equal(commodityName(text), commodity);
        },
      ),
    );
  });
});

describe('a text that says there is no commodity', () => {
  it('is none', () => {
    for (const text of ['null', 'None', 'NONE', 'N/A', 'n/a', 'NA', '-', '--', '', '  ', 'nil', null, undefined])
      assert.deepEqual(commodityOption(text), { commodity: null, commodityText: null }, String(text));
    assert.deepEqual(commodityOption(' banana '), { commodity: null, commodityText: 'banana' });
  });
});

const rate = (properties: object, commodity: string | null = null): ValidatedFacility =>
  validateFacility(
    { ...pointAt(101.4478, 0.5071), properties },
    options({ ...commodityOption(commodity), commodity: parseCommodity(commodity) }),
    sources(),
    new AbortController().signal,
  ) as ValidatedFacility;
const messageOf = ({ properties }: ValidatedFacility, code: string): string | undefined =>
  properties.warnings.find((warning) => warning.code === code)?.message;

describe('the commodity of a facility', () => {
  it('is its own where the request gives none', () => {
    for (const own of [{ commodity_type: 'Cacao' }, { Commodity: '1801' }, { crop: 1801 }]) {
      const rated = rate(own);
      assert.equal(rated.properties.commodity_type, 'cocoa');
      assert.equal(messageOf(rated, 'commodity_fallback'), undefined);
      assert.equal(messageOf(rated, 'commodity_mismatch'), undefined);
    }
    assert.equal(rate({ commodity_type: 'None' }).properties.commodity_type, null);
    assert.match(messageOf(rate({ commodity_type: 'None' }), 'commodity_fallback')!, /^No commodity_type was given/);
  });

  it("is the request's where both are given, with a warning where they differ", () => {
    const rated = rate({ commodity_type: 'coffee beans' }, 'palm');
    assert.equal(rated.properties.commodity_type, 'palm');
    assert.equal(
      messageOf(rated, 'commodity_mismatch'),
      'The input says coffee beans, but the request says palm; the facility was rated for palm.',
    );
    assert.equal(messageOf(rate({ commodity_type: 'oil palm' }, 'palm'), 'commodity_mismatch'), undefined);
    assert.equal(messageOf(rate({ commodity_type: 'n/a' }, 'palm'), 'commodity_mismatch'), undefined);
  });

  it('that is not known is warned of with what it probably means', () => {
    for (const [text, meant] of [
      ['coco', 'cocoa'],
      ['cofee', 'coffee'],
      ['ruber', 'rubber'],
      ['palms', 'palm'],
      ['cocoa bins', 'cocoa'],
      ['eucaliptus', 'timber'],
    ] as const)
      assert.match(messageOf(rate({}, text), 'commodity_fallback')!, new RegExp(`did you mean ${meant}\\?`), text);
    for (const text of ['banana', 'tea', 'maize', 'sugar cane', 'cotton', 'cashew'])
      assert.doesNotMatch(messageOf(rate({}, text), 'commodity_fallback')!, /did you mean/, text);
  });
});
