import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, codes, inCountry, pointAt, rate, riau } from '../../../test/facility-sources.ts';
import type { FacilitySources } from '../sources.ts';

describe('polygons', () => {
  it('query the country and latitude at a point inside', () => {
    let at: readonly number[] = [];
    const corners = [
      [100, 0],
      [101, 0],
      [101, 1],
      [100, 1],
      [100, 0],
    ];
    rate(
      { type: 'Feature', geometry: { type: 'Polygon', coordinates: [corners] }, properties: null },
      {
        whereabouts: (point) => {
          at = point;
          return answer({ country: null, onLand: true, neighbours: [] });
        },
      },
    );
    assert.deepEqual(at, [100.5, 0.5]);
  });
});

describe('country and coordinates', () => {
  const africa: FacilitySources['whereabouts'] = ([lon]) =>
    answer(
      lon < 0
        ? { country: { iso2: 'CI', name: "Cote d'Ivoire" }, onLand: true, neighbours: [] }
        : { country: null, onLand: false, neighbours: [] },
    );

  for (const spelling of ['Ivory Coast', "Cote d'Ivoire", 'CI']) {
    it(`takes ${spelling} for one country`, () => {
      assert.deepEqual(codes(rate(pointAt(-4.0123, 5.3123, { country: spelling }), { whereabouts: africa })), []);
    });
  }

  for (const key of ['country', 'Country', 'COUNTRY_NAME', 'iso', 'ISO2', 'country code', 'ProducerCountry']) {
    it(`reads the country from the property ${key}`, () => {
      const result = rate(pointAt(101.4478, 0.5071, { [key]: 'Malaysia' }));
      assert.deepEqual(
        [codes(result), result.primary_warning],
        [['country_mismatch'], 'The input says Malaysia, but the facility lies in Indonesia.'],
      );
    });
  }

  it('says when it does not know the country of the input', () => {
    assert.deepEqual(codes(rate(pointAt(101.4478, 0.5071, { country: 'Atlantis' }))), ['country_unrecognised']);
  });

  it('sees swapped coordinates by the stated country', () => {
    const result = rate(pointAt(5.3123, -4.0123, { country: 'Ivory Coast' }), { whereabouts: africa });
    assert.equal(
      result.primary_warning,
      "Longitude and latitude look swapped: the other way round the facility lies in Cote d'Ivoire.",
    );
    assert.deepEqual(codes(result), ['coordinates_swapped', 'off_land', 'country_mismatch', 'country_not_producing']);
  });

  it('sees them without a stated country when the place cannot be right and the other fits', () => {
    assert.equal(codes(rate(pointAt(5.3123, -4.0123), { whereabouts: africa }))[0], 'coordinates_swapped');
    assert.ok(
      !codes(rate(pointAt(5.3123, -4.0123), { whereabouts: africa }, { commodity: 'soy' })).includes(
        'coordinates_swapped',
      ),
    );
  });

  it('names both countries near a border', () => {
    const where = {
      country: { iso2: 'MY', name: 'Malaysia' },
      onLand: true,
      neighbours: [{ iso2: 'TH', name: 'Thailand', distanceM: 1_234.4 }],
    };
    assert.equal(
      rate(riau, { whereabouts: () => answer(where) }).primary_warning,
      'The facility lies in Malaysia, 1,234 m from the border with Thailand.',
    );
  });

  it('says when the place is not on land', () => {
    assert.equal(
      rate(riau, inCountry('ID', 'Indonesia', false)).primary_warning,
      'The facility does not lie on land (in waters that the borders of the data assign to Indonesia).',
    );
    const atSea = rate(riau, inCountry('PH', 'Philippines', false));
    assert.deepEqual(
      atSea.warnings.slice(0, 2).map(({ message }) => message),
      [
        'The facility does not lie on land (in waters that the borders of the data assign to the Philippines).',
        'The Philippines is not among the countries that produce palm.',
      ],
    );
    assert.match(
      atSea.aggregation_comment,
      /^Composed from the indicators: verified, with 100 % of what is scored assessed\. In waters that the borders of the data assign to the Philippines, which is not/,
    );
  });

  it('takes 0, 0 for valid and warns that it may be a mistake', () => {
    const result = rate(pointAt(0, 0), inCountry('GH', 'Ghana'));
    assert.deepEqual([result.confidence_level, codes(result)], ['high', ['null_island']]);
  });

  it('warns of coarse coordinates when both are', () => {
    assert.deepEqual(codes(rate(pointAt(101.45, 0.5))), ['low_precision']);
    assert.deepEqual(codes(rate(pointAt(101.45, 0.507))), []);
    assert.match(rate(pointAt(101, 1)).primary_warning ?? '', /\[101, 1\] have fewer than 3 decimals.*about 111 km/);
  });
});
