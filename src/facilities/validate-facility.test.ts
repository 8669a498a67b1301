import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { answer, noData, options, pointAt, sources } from '../../test/facility-sources.ts';
import type { FacilityOptions } from './options.ts';
import type { FacilityResult, ValidatedFacility } from './result.ts';
import type { FacilitySources } from './sources.ts';
import { validateFacility } from './validate-facility.ts';
import { WARNINGS } from './warnings.ts';

const { signal } = new AbortController();
const riau = pointAt(101.4478, 0.5071);
const inCountry = (iso2: string, name: string, onLand = true): Partial<FacilitySources> => ({
  whereabouts: () => answer({ country: { iso2, name }, onLand, neighbours: [] }),
});

function validate(
  feature: unknown,
  over: Partial<FacilitySources> = {},
  opts: Partial<FacilityOptions> = {},
): FacilityResult & Readonly<Record<string, unknown>> {
  const result = validateFacility(feature, options(opts), sources(over), signal);
  assert.ok(!(result instanceof Promise), 'sources that answer at once give a result at once');
  return result.properties;
}

const codes = (result: FacilityResult): string[] => result.warnings.map(({ code }) => code);
const evidenceOf = (result: FacilityResult, indicator: string) =>
  result.evidence.find((entry) => entry.indicator === indicator);

describe('a facility with everything in place', () => {
  it('has every field of the specification, flat, and the full score', () => {
    const result = validate(riau);
    assert.deepEqual(Object.keys(result), [
      'location_type',
      'facility_name',
      'country',
      'country_code',
      'commodity_type',
      'commodity_presence',
      'poi_presence',
      'high_density',
      'building_presence',
      'building_class',
      'road_access',
      'water_access',
      'port_proximity',
      'producer_confirmation_score',
      'producer_confirmed',
      'producer_confirmation_comment',
      'aggregation_comment',
      'confidence_score',
      'confidence_level',
      'primary_warning',
      'warnings',
      'evidence',
    ]);
    assert.deepEqual([result.confidence_score, result.confidence_level, result.primary_warning], [1, 'high', null]);
    assert.deepEqual(
      [result.location_type, result.country, result.country_code, result.commodity_type],
      ['facility', 'Indonesia', 'ID', 'palm'],
    );
    assert.match(
      result.aggregation_comment,
      /^Composed from the indicators: In Indonesia, which produces palm\. .*Nearest road: secondary road \(Jalan Raya\), 412 m away\./,
    );
  });

  it('carries one piece of evidence an indicator, with dataset and distance', () => {
    const { evidence } = validate(riau);
    assert.deepEqual(
      evidence.map(({ indicator }) => indicator),
      [
        'country',
        'latitude',
        'commodity_presence',
        'poi_presence',
        'building_presence',
        'road_access',
        'water_access',
        'port_proximity',
        'high_density',
        'producer_confirmation',
      ],
    );
    assert.deepEqual(evidence[5], {
      indicator: 'road_access',
      status: 'present',
      value: 1,
      penalty: 0,
      dataset: 'test',
      dataset_version: '1',
      distance_m: 412,
      detail: 'Nearest road: secondary road (Jalan Raya), 412 m away.',
    });
  });

  it('marks evidence of generated data', () => {
    const made = { dataset: { id: 'sample', version: '1', synthetic: true }, value: null };
    assert.equal(evidenceOf(validate(riau, { nearestRoad: () => made }), 'road_access')?.synthetic, true);
  });
});

describe('the round trip', () => {
  it('keeps id, geometry and properties, and lets computed properties win', () => {
    const feature = {
      type: 'Feature',
      id: 0,
      geometry: { type: 'Point', coordinates: [101.4478000000001, 0.5071] },
      properties: { road_access: 'yes', Owner: { a: [1] }, name: 'X' },
    };
    const result = validateFacility(feature, options(), sources(), signal) as ValidatedFacility;
    assert.equal(result.id, 0);
    assert.equal(result.geometry, feature.geometry);
    assert.deepEqual(
      [result.properties['Owner'], result.properties.road_access, result.properties.facility_name],
      [{ a: [1] }, 1, 'X'],
    );
    assert.equal('id' in (validateFacility(riau, options(), sources(), signal) as object), false);
  });

  it('gives the same result when its own result is validated again, an old confidence_comment dropped', () => {
    const once = validateFacility(
      pointAt(101.4478, 0.5071, { name: 'A', confidence_comment: 'old' }),
      options(),
      sources(),
      signal,
    ) as ValidatedFacility;
    assert.equal('confidence_comment' in once.properties, false);
    assert.deepEqual(validateFacility(once, options(), sources(), signal), once);
  });
});

describe('decision 1 and 2: whole hundredths, exclusive commodity penalties', () => {
  it('makes 1 - 0.25 - 0.15 - 0.15 exactly 0.45 and medium', () => {
    const result = validate(riau, {
      commodityShare: () => answer({ share: 0.02, detail: '' }),
      buildings: () => answer({ footprintsM2: [], industrial: false }),
      nearestRoad: () => answer(null),
    });
    assert.deepEqual(
      [result.confidence_score, result.confidence_level, result.commodity_presence],
      [0.45, 'medium', 0.4],
    );
  });

  it('takes 0.50 alone for absence', () => {
    const result = validate(riau, { commodityShare: () => answer({ share: 0, detail: '' }) });
    assert.deepEqual([result.confidence_score, result.commodity_presence], [0.5, 0]);
  });
});

describe('decision 3: buildings', () => {
  const table = [
    [[1_000], false, 'large', 0.23],
    [[10], true, 'large', 0.23],
    [[999.9], false, 'medium', 0.12],
    [[200], false, 'medium', 0.12],
    [[199, 199, 102], false, 'medium', 0.12],
    [[199, 199, 101], false, 'none', 0],
    [[], false, 'none', 0],
  ] as const;
  for (const [footprintsM2, industrial, buildingClass, value] of table) {
    it(`rates footprints ${JSON.stringify(footprintsM2)}${industrial ? ' in industrial use' : ''} ${buildingClass}`, () => {
      const result = validate(riau, { buildings: () => answer({ footprintsM2, industrial }) });
      assert.deepEqual(
        [result.building_class, result.building_presence, result.confidence_score],
        [buildingClass, value, value === 0 ? 0.85 : 1],
      );
    });
  }
});

describe('decision 4: commodity', () => {
  it('is ruled out, and low, in a country that does not produce it', () => {
    const result = validate(riau, inCountry('DE', 'Germany'));
    assert.deepEqual([result.commodity_presence, result.confidence_score, result.confidence_level], [0, 0.5, 'low']);
    assert.equal(result.primary_warning, 'Germany is not among the countries that produce palm.');
    assert.match(evidenceOf(result, 'commodity_presence')?.detail ?? '', /^Ruled out: in Germany/);
  });

  it('is ruled out, and low, beyond the possible latitudes', () => {
    const result = validate(pointAt(-57.1234, -25.1234), inCountry('BR', 'Brazil'));
    assert.deepEqual(
      [result.commodity_presence, result.confidence_level, codes(result)[0]],
      [0, 'low', 'latitude_beyond_limit'],
    );
  });

  it('passes with a warning between viable and unlikely', () => {
    const result = validate(pointAt(-57.1234, -17.1234), inCountry('BR', 'Brazil'));
    assert.deepEqual([result.confidence_level, codes(result)], ['high', ['latitude_marginal']]);
  });

  const shares = [
    [0.05, 1],
    [0.9, 1],
    [0.0499, 0.99],
    [0.025, 0.5],
    [1e-9, 0.01],
    [0, 0],
  ] as const;
  for (const [share, value] of shares) {
    it(`gives a share of ${share} the presence ${value}`, () => {
      const result = validate(riau, { commodityShare: () => answer({ share, detail: '' }) });
      assert.deepEqual([result.commodity_presence, result.confidence_level === 'low'], [value, value === 0]);
    });
  }

  it('counts half when no detector or map covers the place', () => {
    const result = validate(riau, { commodityShare: () => null });
    assert.deepEqual(
      [result.commodity_presence, result.confidence_score, evidenceOf(result, 'commodity_presence')?.status],
      [0.5, 0.75, 'unknown'],
    );
    assert.match(result.aggregation_comment, /no detector or map covers this place/);
  });

  it('counts nothing when not even the country is known', () => {
    const result = validate(riau, { commodityShare: () => null, whereabouts: () => null });
    assert.deepEqual([result.commodity_presence, result.confidence_level, result.country], [0, 'medium', null]);
  });

  it('does not take a share that is no share', () => {
    for (const share of [Number.NaN, -0.1, 1.1]) {
      const result = validate(riau, { commodityShare: () => answer({ share, detail: '' }) });
      assert.deepEqual([result.commodity_presence, evidenceOf(result, 'commodity_presence')?.status], [0, 'unknown']);
    }
  });
});

describe('decision 5: a commodity without a model', () => {
  it('is judged by the plantation mask, without country and latitude limits, with a warning', () => {
    const result = validate(pointAt(10.1234, 52.1234), inCountry('DE', 'Germany'), {
      commodity: null,
      commodityText: 'banana',
    });
    assert.deepEqual(
      [result.commodity_type, result.commodity_presence, result.confidence_level, codes(result)],
      ['banana', 1, 'high', ['commodity_fallback']],
    );
    assert.match(result.primary_warning ?? '', /^"banana" has no detection model/);
  });

  it('runs every other check and leaves the level to the score where no mask covers the place', () => {
    const result = validate(riau, { plantationShare: () => null }, { commodity: null, commodityText: null });
    assert.deepEqual(
      [
        result.commodity_type,
        result.commodity_presence,
        result.confidence_score,
        result.confidence_level,
        result.road_access,
      ],
      [null, 0, 0.5, 'medium', 1],
    );
  });
});

describe('decision 6: invalid geometries', () => {
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [null, /is null/],
    [{ type: 'Point', coordinates: ['12.3', 4] }, /text "12.3" where a number was wanted/],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [4, 4],
            [4, 0],
            [0, 4],
            [0, 0],
          ],
        ],
      },
      /crosses itself or another ring at \[2, 2\]/,
    ],
    ['nonsense', /the text "nonsense"/],
  ];
  for (const [geometry, reason] of bad) {
    it(`are unscored with the reason ${reason}`, () => {
      const result = validateFacility(
        { type: 'Feature', id: 'a', geometry, properties: { name: 'N' } },
        options(),
        sources(),
        signal,
      ) as ValidatedFacility;
      const { properties } = result;
      assert.equal(result.geometry, geometry);
      assert.deepEqual(
        [properties.confidence_level, properties.confidence_score, properties.facility_name, properties.evidence],
        ['invalid', 0, 'N', []],
      );
      assert.match(properties.confidence_comment ?? '', reason);
      for (const name of [
        'commodity_presence',
        'poi_presence',
        'building_presence',
        'road_access',
        'water_access',
        'port_proximity',
        'high_density',
      ])
        assert.equal(properties[name], 0);
      assert.equal(properties.warnings[0]?.code, 'invalid_geometry');
    });
  }
});

describe('decision 7 and missing data: unknown is not absent', () => {
  it('scores what is not known as if it were not there, and says what an operator can do', () => {
    const result = validateFacility(riau, options(), noData(), signal) as ValidatedFacility;
    assert.equal(result.properties.confidence_score, 0.25);
    const road = evidenceOf(result.properties, 'road_access');
    assert.deepEqual([road?.status, road?.value, road?.penalty, road?.dataset], ['unknown', 0, 0.15, null]);
    assert.match(
      road?.detail ?? '',
      /No road dataset covers this place; an operator can add one with the role `roads`/,
    );
    assert.deepEqual(codes(result.properties), ['missing_data']);
  });

  it('keeps the other indicators when a source throws, tells no secret and reports the failure', () => {
    const failure = Object.assign(new Error('GET https://example.test/?key=SECRET failed'), { code: 'ECONNREFUSED' });
    const reported: unknown[] = [];
    const result = validate(riau, {
      nearestRoad: () => {
        throw failure;
      },
      reportFailure: (what, error) => void reported.push(what, error),
    });
    assert.deepEqual([result.confidence_score, result.poi_presence, codes(result)], [0.85, 1, ['source_failed']]);
    assert.match(
      evidenceOf(result, 'road_access')?.detail ?? '',
      /Could not look for roads: the source failed \(ECONNREFUSED\)\./,
    );
    assert.ok(!JSON.stringify(result).includes('SECRET'));
    assert.deepEqual(reported, ['road_access', failure]);
  });

  it('leaves a source that misses its deadline behind and aborts it', async () => {
    let aborted: unknown = null;
    const result = await validateFacility(
      riau,
      options({ checkTimeoutMs: 20 }),
      sources({
        businesses: (_commodity, _shape, _within, itsSignal) =>
          new Promise(() => itsSignal.addEventListener('abort', () => (aborted = itsSignal.reason))),
      }),
      signal,
    );
    assert.match(evidenceOf(result.properties, 'poi_presence')?.detail ?? '', /no answer within 20 ms/);
    assert.equal((aborted as DOMException).name, 'TimeoutError');
    assert.equal(result.properties.confidence_score, 0.8);
  });

  it('takes the same answers as promises, and asks all sources before any has answered', async () => {
    const asked: string[] = [];
    const over = Object.fromEntries(
      Object.entries(sources()).map(([name, ask]) => [
        name,
        name === 'countryCode'
          ? ask
          : (...args: unknown[]) => {
              asked.push(name);
              return Promise.resolve((ask as (...values: unknown[]) => unknown)(...args));
            },
      ]),
    );
    const pending = validateFacility(riau, options(), sources(over), signal);
    assert.deepEqual(asked, ['whereabouts', 'businesses', 'buildings', 'nearestRoad', 'density']);
    assert.deepEqual((await pending).properties, validate(riau));
  });

  it('rejects with the reason of the caller, who stops it', async () => {
    const abort = new AbortController();
    const pending = validateFacility(
      riau,
      options(),
      sources({ nearestRoad: () => new Promise(() => undefined) }),
      abort.signal,
    );
    abort.abort(new Error('enough'));
    await assert.rejects(async () => pending, /enough/);
    assert.throws(() => validateFacility(riau, options(), sources(), abort.signal), /enough/);
  });
});

describe('decision 8: optional checks', () => {
  it('do not look for water and ports unless asked, and never score them', () => {
    const plain = validate(riau);
    assert.deepEqual(
      [plain.water_access, plain.port_proximity, evidenceOf(plain, 'water_access')?.status],
      [0, 0, 'unknown'],
    );
    assert.match(evidenceOf(plain, 'water_access')?.detail ?? '', /did not ask for water/);
    const asked = validate(riau, {}, { checkWater: true, checkPort: true });
    assert.deepEqual([asked.water_access, asked.port_proximity, asked.confidence_score], [1, 1, 1]);
  });

  it('do not penalise a road that was not looked for', () => {
    const result = validate(riau, { nearestRoad: () => assert.fail('was asked') }, { checkRoad: false });
    assert.deepEqual(
      [result.road_access, result.confidence_score, evidenceOf(result, 'road_access')?.penalty, codes(result)],
      [0, 1, 0, []],
    );
  });

  it('count a road beyond the threshold as absent', () => {
    const at = (distanceM: number) =>
      validate(riau, { nearestRoad: () => answer({ distanceM, name: null, kind: 'track' }) }).road_access;
    assert.deepEqual([at(1_000), at(1_000.1)], [1, 0]);
  });

  it('take 0.10 for a dense urban area', () => {
    const result = validate(riau, { density: () => answer({ dense: true, detail: 'In Jakarta.', distanceM: 10.4 }) });
    assert.deepEqual([result.confidence_score, codes(result)], [0.9, ['dense_urban']]);
  });

  it('warn of a place without any infrastructure only when it was looked for', () => {
    const bare = {
      nearestRoad: () => answer(null),
      businesses: () => answer({ count: 0, nearest: null }),
      buildings: () => answer({ footprintsM2: [], industrial: false }),
    };
    assert.deepEqual(codes(validate(riau, bare)), ['no_infrastructure']);
    assert.ok(!codes(validate(riau, { ...bare, buildings: () => null })).includes('no_infrastructure'));
  });
});

describe('decision 9: polygons', () => {
  it('ask for the country and latitude at a point inside', () => {
    let at: readonly number[] = [];
    const corners = [
      [100, 0],
      [101, 0],
      [101, 1],
      [100, 1],
      [100, 0],
    ];
    validate(
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

describe('decision 10: country and coordinates', () => {
  const africa: FacilitySources['whereabouts'] = ([lon]) =>
    answer(
      lon < 0
        ? { country: { iso2: 'CI', name: "Cote d'Ivoire" }, onLand: true, neighbours: [] }
        : { country: null, onLand: false, neighbours: [] },
    );

  for (const spelling of ['Ivory Coast', "Cote d'Ivoire", 'CI']) {
    it(`takes ${spelling} for one country`, () => {
      assert.deepEqual(codes(validate(pointAt(-4.0123, 5.3123, { country: spelling }), { whereabouts: africa })), []);
    });
  }

  for (const key of ['country', 'Country', 'COUNTRY_NAME', 'iso', 'ISO2', 'country code', 'ProducerCountry']) {
    it(`reads the country from the property ${key}`, () => {
      const result = validate(pointAt(101.4478, 0.5071, { [key]: 'Malaysia' }));
      assert.deepEqual(
        [codes(result), result.primary_warning],
        [['country_mismatch'], 'The input says Malaysia, but the facility lies in Indonesia.'],
      );
    });
  }

  it('says when it does not know the country of the input', () => {
    assert.deepEqual(codes(validate(pointAt(101.4478, 0.5071, { country: 'Atlantis' }))), ['country_unrecognised']);
  });

  it('sees swapped coordinates by the stated country', () => {
    const result = validate(pointAt(5.3123, -4.0123, { country: 'Ivory Coast' }), { whereabouts: africa });
    assert.equal(
      result.primary_warning,
      "Longitude and latitude look swapped: the other way round the facility lies in Cote d'Ivoire.",
    );
    assert.deepEqual(codes(result), ['coordinates_swapped', 'off_land', 'country_mismatch']);
  });

  it('sees them without a stated country when the place cannot be right and the other fits', () => {
    assert.equal(codes(validate(pointAt(5.3123, -4.0123), { whereabouts: africa }))[0], 'coordinates_swapped');
    assert.ok(
      !codes(validate(pointAt(5.3123, -4.0123), { whereabouts: africa }, { commodity: 'soy' })).includes(
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
      validate(riau, { whereabouts: () => answer(where) }).primary_warning,
      'The facility lies in Malaysia, 1,234 m from the border with Thailand.',
    );
  });

  it('says when the place is not on land', () => {
    assert.equal(
      validate(riau, inCountry('ID', 'Indonesia', false)).primary_warning,
      'The facility does not lie on land (in the waters of Indonesia).',
    );
  });

  it('takes 0, 0 for valid and asks whether it is meant', () => {
    const result = validate(pointAt(0, 0), inCountry('GH', 'Ghana'));
    assert.deepEqual([result.confidence_level, codes(result)], ['high', ['null_island']]);
  });

  it('warns of coarse coordinates when both are', () => {
    assert.deepEqual(codes(validate(pointAt(101.45, 0.5))), ['low_precision']);
    assert.deepEqual(codes(validate(pointAt(101.45, 0.507))), []);
    assert.match(
      validate(pointAt(101, 1)).primary_warning ?? '',
      /\[101, 1\] have fewer than 3 decimals.*about 111 km/,
    );
  });
});

describe('decision 11: producer', () => {
  const match = { registry: 'Open Register', recordId: 'R1', name: 'PT Sawit', nameSimilarity: 1, distanceM: 0 };
  const scored = (nameSimilarity: number, distanceM: number | null) =>
    validate(pointAt(101.4478, 0.5071, { Company_Name: 'PT SAWIT' }), {
      producer: () => answer({ ...match, nameSimilarity, distanceM }),
    });
  const table = [
    [1, 0, 1, true],
    [1, 1_000, 1, true],
    [1, 25_000, 0.7, false],
    [1, 99_000, 0.7, false],
    [0.9, 13_000, 0.78, false],
    [0.93, 13_000, 0.8, true],
    [1, null, 0.7, false],
    [0, 0, 0.3, false],
  ] as const;
  for (const [similarity, distance, score, confirmed] of table) {
    it(`scores a name ${similarity} alike, ${distance} m away, ${score}`, () => {
      const result = scored(similarity, distance);
      assert.deepEqual([result.producer_confirmation_score, result.producer_confirmed], [score, confirmed]);
      assert.match(result.producer_confirmation_comment, /Open Register has "PT Sawit" \(R1\)/);
    });
  }

  it('says when there is no name, no record or no registry', () => {
    assert.match(validate(riau).producer_confirmation_comment, /has no name to look up/);
    assert.match(
      validate(pointAt(101.4478, 0.5071, { supplier: 'X' })).producer_confirmation_comment,
      /No registry record resembles "X"/,
    );
    assert.match(
      validate(pointAt(101.4478, 0.5071, { NAME: 'X' }), { producer: () => null }).producer_confirmation_comment,
      /No producer registry dataset covers/,
    );
  });

  it('prefers facility_name, then name, company_name and supplier', () => {
    assert.equal(
      validate(
        pointAt(1.1234, 1.1234, { supplier: 'S', Company: 'x', 'Company Name': 'C', name: ' ', 'Facility-Name': 'F' }),
      ).facility_name,
      'F',
    );
    assert.equal(
      validate(pointAt(1.1234, 1.1234, { supplier: 'S', 'Company Name': 'C', name: ' ' })).facility_name,
      'C',
    );
  });
});

describe('decision 12: the comment of a language model', () => {
  const said = (reply: unknown) =>
    validate(riau, { comment: () => answer(reply as string, 'model') }).aggregation_comment;

  it('is used, cleaned and marked as such', () => {
    assert.equal(
      said('A mill\n\u0007 beside a road. '),
      'Written by a language model from the indicators: A mill beside a road.',
    );
    const long = said('Word after word. '.repeat(100));
    assert.ok(long.length < 700 && long.endsWith('word.'));
  });

  it('is left for the composed one when it is empty, marked up or failed', () => {
    for (const reply of ['', '  ', 42, '<b>x</b>', 'see https://example.test', 'x'.repeat(5_000)])
      assert.match(said(reply), /^Composed from the indicators:/);
    assert.match(validate(riau, { comment: () => assert.fail('down') }).aggregation_comment, /^Composed/);
  });

  it('is told yes or no, names and distances, never a graduated value', () => {
    let facts: unknown = null;
    validate(pointAt(101.4478, 0.5071, { name: 'Mill' }), {
      comment: (told) => {
        facts = told;
        return null;
      },
    });
    const { indicators, ...rest } = facts as { indicators: readonly { indicator: string; present: number }[] };
    assert.deepEqual(rest, { facilityName: 'Mill', commodity: 'palm', country: 'Indonesia' });
    assert.deepEqual(
      indicators.find(({ indicator }) => indicator === 'building_presence'),
      { indicator: 'building_presence', present: 1, known: true },
    );
    assert.deepEqual(
      indicators.find(({ indicator }) => indicator === 'road_access'),
      { indicator: 'road_access', present: 1, known: true, name: 'Jalan Raya', distanceM: 412 },
    );
  });
});

describe('any facility', () => {
  const share = fc.option(
    fc.double({ min: 0, max: 1, noNaN: true }).map((value) => answer({ share: value, detail: '' })),
  );
  const near = fc.option(
    fc
      .option(
        fc.record({ distanceM: fc.nat({ max: 99_999 }), name: fc.option(fc.string()), kind: fc.constant('thing') }),
      )
      .map((value) => answer(value)),
  );
  const world = fc.record({
    where: fc.option(
      fc
        .constantFrom('ID', 'DE', null)
        .map((iso2) =>
          answer({ country: iso2 === null ? null : { iso2, name: iso2 }, onLand: iso2 !== null, neighbours: [] }),
        ),
    ),
    share,
    near,
    dense: fc.option(fc.boolean().map((dense) => answer({ dense, detail: '' }))),
    footprints: fc.option(
      fc.array(fc.nat({ max: 2_000 })).map((footprintsM2) => answer({ footprintsM2, industrial: false })),
    ),
    count: fc.option(fc.nat({ max: 3 }).map((count) => answer({ count, nearest: null }))),
  });
  const opts = fc.record({
    commodity: fc.constantFrom('palm' as const, 'cattle' as const, null),
    checkRoad: fc.boolean(),
    checkWater: fc.boolean(),
    checkPort: fc.boolean(),
  });
  const lonLat = fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  );

  it('has a receipt that gives its score, a score from 0 to 1 and a level that fits it', () => {
    fc.assert(
      fc.property(world, opts, lonLat, ({ where, share, near, dense, footprints, count }, chosen, [lon, lat]) => {
        const result = validate(
          pointAt(lon, lat),
          {
            whereabouts: () => where,
            commodityShare: () => share,
            plantationShare: () => share,
            nearestRoad: () => near,
            nearestWater: () => near,
            nearestPort: () => near,
            density: () => dense,
            buildings: () => footprints,
            businesses: () => count,
          },
          chosen,
        );
        const paid = result.evidence.reduce((sum, { penalty }) => sum + Math.round(penalty * 100), 0);
        assert.equal(Math.round(result.confidence_score * 100), Math.max(0, 100 - paid));
        assert.ok(result.confidence_score >= 0 && result.confidence_score <= 1);
        const byScore = result.confidence_score >= 0.7 ? 'high' : result.confidence_score >= 0.45 ? 'medium' : 'low';
        const failed = evidenceOf(result, 'commodity_presence')?.status === 'absent';
        assert.equal(result.confidence_level, failed ? 'low' : byScore);
        assert.equal(result.primary_warning, result.warnings[0]?.message ?? null);
        const order = codes(result).map((code) => Object.keys(WARNINGS).indexOf(code));
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
        assert.ok(!result.warnings.some(({ message }) => /[{}]|undefined/.test(message)));
      }),
      { numRuns: 500 },
    );
  });

  it('made of garbage is a result too', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({
            type: fc.constant('Feature'),
            geometry: fc.anything(),
            properties: fc.anything(),
            id: fc.anything(),
          }),
        ),
        (feature) => {
          const result = validateFacility(feature, options(), sources(), signal) as ValidatedFacility;
          assert.equal(result.type, 'Feature');
          assert.equal(result.properties.location_type, 'facility');
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
