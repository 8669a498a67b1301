import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inCountry, noData, options, pointAt, rate, riau } from '../../test/facility-sources.ts';
import { locationWarning } from '../locations/warnings.ts';
import { convergenceProperties } from '../collections/fetch/convergence.ts';
import { converge } from '../plots/converge.ts';
import type { Evidence } from '../plots/evidence.ts';
import { LANGUAGE_CODES, type Language } from './languages.ts';
import { localise } from './localise.ts';
import { translatorFor } from './translator.ts';

type Facility = ReturnType<typeof rate>;

async function inLanguage(language: Language, facility: Facility): Promise<Facility> {
  const copy = JSON.parse(JSON.stringify(facility)) as Facility;
  const translator = await translatorFor(language);
  if (translator !== null) localise(copy, translator);
  return copy;
}

/** Every sentence of ours in a facility. */
function sentencesOf({ warnings, evidence, ...rest }: Facility): string[] {
  const comments = [
    rest.aggregation_comment,
    rest.producer_confirmation_comment,
    rest.primary_warning,
    rest.confidence_comment,
  ];
  return [...warnings.map(({ message }) => message), ...evidence.map(({ detail }) => detail), ...comments].filter(
    (text) => typeof text === 'string',
  );
}

const wide = {
  type: 'Feature',
  geometry: {
    type: 'LineString',
    coordinates: [
      [-170, 0],
      [170, 0],
    ],
  },
  properties: {},
};
const all = { checkWater: true, checkPort: true };
const FACILITIES: readonly Facility[] = [
  rate(riau, {}, all),
  rate(pointAt(101.4478, 0.5071, { name: 'PT Sawit', country: 'Atlantis', commodity_type: 'cocoa' }), {}, all),
  rate(pointAt(0, 0), inCountry('GH', 'Ghana', false)),
  rate(pointAt(10, 70), inCountry('PH', 'Philippines')),
  rate(pointAt(10.5, -17), noData(), all),
  rate(riau, { nearestRoad: () => assert.fail('down'), businesses: () => assert.fail('down') }),
  rate(riau, { plantationShare: () => null }, { commodity: null, commodityText: 'palms' }),
  rate(wide),
  rate({ type: 'Feature', geometry: { type: 'Point', coordinates: [500, 1] }, properties: {} }),
  rate({ type: 'Feature', geometry: null, properties: {} }),
];

describe('a facility in another language', () => {
  for (const language of LANGUAGE_CODES.filter((code) => code !== 'en'))
    it(`has no English sentence of ours in ${language}, and all else as it was`, async () => {
      for (const facility of FACILITIES) {
        const there = await inLanguage(language, facility);
        const kept = sentencesOf(there).filter(
          // What the sources of the tests say themselves has no code.
          (text) => sentencesOf(facility).includes(text) && !/^(Sampled|No large)/.test(text),
        );
        assert.deepEqual(kept, []);
        for (const text of sentencesOf(there))
          assert.doesNotMatch(text, /\{|\bundefined\b|\b(the|which|within|is)\b/, text);
        const codes = ({ warnings, evidence }: Facility) => [
          warnings.map(({ code }) => code),
          evidence.map(({ code }) => code),
        ];
        assert.deepEqual(codes(there), codes(facility));
        assert.deepEqual(
          [there.confidence_score, there.country, there.primary_warning === null],
          [facility.confidence_score, facility.country, facility.primary_warning === null],
        );
      }
    });

  it('says the same as the English one', async () => {
    const german = await inLanguage('de', rate(riau));
    const road = german.evidence.find(({ indicator }) => indicator === 'road_access');
    assert.equal(road?.detail, 'Nächste Straße: Nebenstraße (Jalan Raya), 412 m entfernt.');
    assert.match(
      german.aggregation_comment,
      /^Aus den Indikatoren zusammengestellt: verifiziert; .*100 %\..*Land: Indonesien\. Das Land erzeugt: Ölpalme\./,
    );
    const thai = await inLanguage('th', rate(riau));
    assert.match(thai.evidence[0]!.detail, /^อยู่ในอินโดนีเซีย/);
  });

  it('stays English where an older version stored no parameters', async () => {
    const old = { warnings: [{ code: 'dense_urban', message: 'The facility lies in a dense urban area.' }] };
    const translator = await translatorFor('fr');
    localise(old, translator!);
    assert.equal(old.warnings[0]!.message, 'The facility lies in a dense urban area.');
  });

  it('repeats its gravest warning as primary_warning', async () => {
    const facility = rate(pointAt(10, 70), inCountry('DE', 'Germany'), options());
    const spanish = await inLanguage('es', facility);
    assert.equal(spanish.primary_warning, spanish.warnings[0]?.message);
    assert.notEqual(spanish.primary_warning, facility.primary_warning);
  });
});

describe('a warning of a row in another language', () => {
  const warning = locationWarning('polygon_needed', { row: 12, column: 'Area', value: 5.5 }, { area: 5.5 });

  it('keeps its place, row, column and value, and says how to put it right', async () => {
    const german = structuredClone({
      warnings: [warning],
      summary: [{ code: 'polygon_needed', count: 3, fix: warning.fix }],
    });
    localise(german, (await translatorFor('de'))!);
    assert.deepEqual(german.warnings, [
      {
        ...warning,
        message:
          'Zeile 12, Spalte „Area“, Wert „5.5“: Die Parzelle hat 5,5 ha und ist als Punkt angegeben; über 4 ha verlangt die Verordnung ein Polygon.',
        fix: 'Geben Sie den Umriss der Parzelle an.',
      },
    ]);
    assert.equal(german.summary[0]?.fix, 'Geben Sie den Umriss der Parzelle an.');
  });

  it('has the words of closed lists in the language too', async () => {
    const thai = structuredClone(locationWarning('incomplete_coordinates', { row: 2 }, { axis: 'latitude' }));
    localise(thai, (await translatorFor('th'))!);
    assert.equal(thai.message, 'แถวที่ 2: ขาดพิกัด: ละติจูด');
  });
});

describe('the verdict of a plot in another language', () => {
  const source = (indicator: 'forest_2020' | 'disturbance_after_2020', dataset: string, yesHa: number): Evidence => ({
    indicator,
    dataset,
    version: '1',
    date: '2020-12-31',
    synthetic: dataset === 'made-up',
    contract: 'local',
    yesHa,
    coveredShare: 1,
  });
  const ground = { areaHa: 2, ground: 'polygon', until: '2024-12-31' } as const;
  const receipts = [
    converge([source('forest_2020', 'map-a', 0), source('forest_2020', 'made-up', 2)], 'cocoa', ground),
    converge([source('forest_2020', 'map-a', 0)], 'cocoa', ground),
    converge([], null, ground),
  ].map((found) => JSON.parse(JSON.stringify(convergenceProperties(found))) as Record<string, unknown>);

  for (const language of LANGUAGE_CODES.filter((code) => code !== 'en'))
    it(`is made again from its receipt in ${language}`, async () => {
      for (const receipt of receipts) {
        const there = structuredClone(receipt) as { comment: string; verdict: string };
        localise(there, (await translatorFor(language))!);
        assert.notEqual(there.comment, receipt['comment']);
        assert.doesNotMatch(there.comment, /Convergence of|Sources disagree|because|unknown|\{|undefined/);
        assert.equal(there.verdict, receipt['verdict']);
      }
    });

  it('says who disagrees, and that data is made up', async () => {
    const [receipt] = structuredClone(receipts) as [{ comment: string }];
    localise(receipt, (await translatorFor('de'))!);
    assert.match(receipt.comment, /Quellen widersprechen sich bei „Wald 2020“: ja made-up; nein map-a\./);
    assert.match(receipt.comment, /Aus synthetischen Daten, die keinen wirklichen Ort beschreiben\.$/);
  });
});

describe('what only looks like a sentence of the service', () => {
  for (const text of [
    '{"code":"country.!!!","params":{},"detail":"x"}',
    '{"code":"buildings","params":{"count":null,"within_m":null,"largest_m2":1,"class":"x"},"detail":"x"}',
    '{"code":"buildings","params":{"count":1,"within_m":{"code":{}},"largest_m2":1,"class":"x"},"detail":"x"}',
    '{"messages":{"name":[null]},"name":"x"}',
    '{"messages":{"name":[{"evidence":"y"}]},"name":"x","evidence":[null]}',
    '{"messages":{"names":[[{"code":"plot.in_country"}],1,null]},"names":["x","y",2]}',
  ])
    it(`stays as it is: ${text}`, async () => {
      const warning = { code: 'dense_urban', params: {}, message: 'The facility lies in a dense urban area.' };
      const answer = { properties: JSON.parse(text) as unknown, warnings: [warning] };
      localise(answer, (await translatorFor('de'))!);
      assert.equal(JSON.stringify(answer.properties), text);
      assert.match(answer.warnings[0]!.message, /^Die Anlage/, 'what follows is translated');
    });
});
