import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eudrVerdict, NOT_A_PLOT } from '../../collections/fetch/eudr-verdict.ts';
import { checkDeforestation } from '../../collections/statistics/deforestation.ts';
import { faultSentence, toShape } from '../../geo/shapes/to-shape.ts';
import { FOREST_WARNINGS } from '../../forest/warnings.ts';
import { PARCEL_WARNINGS } from '../../parcels/warnings.ts';
import { LANGUAGE_CODES } from '../languages.ts';
import { translatorFor } from '../translator.ts';
import { inLanguage } from './in-language.ts';
import { recognise, recogniseReason, RECOGNISED } from './recognise.ts';

/** What each kind of blank may be filled with. */
const EXAMPLES: Readonly<Record<string, string>> = {
  text: 'something',
  name: 'Data 2025',
  word: 'country',
  number: '1.25',
  year: '2022',
  day: '2020-12-31',
  percent: '13 %',
  metres: '15 m',
  kilometres: '34 km',
  distance: '640 m',
  dataset: 'sample-losses in jrc-gfc2020',
  datasets: 'hansen-gfc-v1.12 and glad',
  list: 'hansen-gfc-v1.12, glad',
  rules: 'perennial-1 or annual-2',
  country: 'the Philippines',
  countries: 'Malaysia and the Democratic Republic of the Congo',
  commodity: 'palm',
  check: 'commodity_zone',
  verdict: 'more information needed',
  indicator: 'forest 2020',
  indicators: 'forest 2020, planted forest 2020',
  waters: 'the sea and a lake',
  delimiter: 'semicolon',
  host: 'hooks.example.org',
  place: 'corner 4 of the outline of part 2',
  found: 'the number 7.25',
  degrees: '-101.123456',
  where: 'geometries[0].coordinates[0][3]',
  known: 'its data could not be read',
  columns: '"lat", "y \\"north\\"" then "breite"',
  subject: 'building density',
  pixels: '200 sampled pixels (standard error 1.8 %)',
  rule: 'class 1 or 2',
  heads: 'palm-head from 0.6 on (as measured); palm-2 from 0.5 on (as published)',
  members: 'the map plantations, 2025, where it says 60 or more; and in aef, 2024, by palm-head from 0.6 on (measured)',
  age: '3 minutes',
  wanted: 'a whole number from 1 to 100',
  got: 'nothing',
  json: '"x y"',
  upper: 'POST',
  noun: 'query parameter',
  quoted: '"x (7"',
  sign: "'('",
  choice: 'test or production',
  collection: 'geometries[1].geometries',
  file: 'the sheet "Plots"',
  row: 'row 7',
  places: 'line 3, byte 40, feature 2, at /features/2',
  reason: 'no dataset covers the plot',
  together: 'aef, store',
  reasons: 'aef, mosaic: this machine has no network; store: it did not answer in time',
};
const filled = (english: string): string => english.replaceAll(/\{\w+:(\w+)\}/g, (_, kind: string) => EXAMPLES[kind]!);
const OTHERS = LANGUAGE_CODES.filter((code) => code !== 'en');

/** Asserts that a text in another language has every number of the English one, however it is written. */
function assertNumbers(text: string, english: string): void {
  const numbersIn = (words: string): readonly string[] =>
    [...words.matchAll(/\d+(?:[.,]\d+)*/g)].map(([number]) => number.replaceAll(',', '.'));
  const there = new Set(numbersIn(text));
  assert.deepEqual(
    numbersIn(english).filter((number) => !there.has(number)),
    [],
    `${english} | ${text}`,
  );
}

describe('a sentence of ours that carries no code', () => {
  it('is recognised, each of them, alone and among others', () => {
    for (const [english, code] of RECOGNISED.sentences) {
      const text = filled(english);
      const alone = recognise(text);
      assert.equal(alone?.length, 1, text);
      assert.equal(alone[0]!.code, code, text);
      assert.deepEqual(
        recognise(`No area is known. ${text} From synthetic data that describes no real place.`)?.map(
          (one) => one.code,
        ),
        ['plot.no_area', code, 'verdict.synthetic'],
        text,
      );
    }
    for (const [english, code] of RECOGNISED.reasons) {
      const reason = recogniseReason(filled(english));
      assert.ok(typeof reason === 'object' && 'code' in reason && reason.code === code, english);
    }
  });

  for (const language of OTHERS)
    it(`has a translation in ${language} without a blank that stays open`, async () => {
      const translator = (await translatorFor(language))!;
      for (const [english] of RECOGNISED.sentences) {
        const text = inLanguage(filled(english), translator);
        if (/^\{\w+:number\} ha\.$/.test(english)) continue;
        assert.notEqual(text, filled(english));
        assert.doesNotMatch(text, /\{|undefined|\b(the|which|within|plot|could not|no dataset|because)\b/i, text);
      }
      for (const [english] of RECOGNISED.reasons) {
        const text = translator.say('parcel.unavailable', { reason: filled(english) });
        assert.doesNotMatch(text ?? '{', /\{|undefined|\b(the|which|plot|its|because)\b/, text ?? '');
      }
    });

  for (const language of OTHERS)
    it(`has the same numbers in ${language}`, async () => {
      const translator = (await translatorFor(language))!;
      for (const [english] of RECOGNISED.sentences) {
        const text = filled(english);
        assertNumbers(inLanguage(text, translator), text);
      }
      for (const [english] of RECOGNISED.reasons)
        assertNumbers(translator.say('parcel.unavailable', { reason: filled(english) }) ?? '', filled(english));
    });

  it('says what was wanted and what came, each of both', () => {
    for (const [english, code] of RECOGNISED.wanted)
      assert.match(JSON.stringify(recogniseReason(`wanted ${filled(english)}, got nothing`)), new RegExp(`"${code}"`));
    for (const [english, code] of RECOGNISED.got)
      assert.match(JSON.stringify(recogniseReason(`wanted a text, got ${filled(english)}`)), new RegExp(`"${code}"`));
  });

  it('is left alone where a part of it is somebody else’s', () => {
    assert.equal(recognise('No area is known. Ask Budi.'), null);
    assert.equal(recognise('The plot lies in Atlantis.'), null);
    assert.equal(recognise(''), null);
    assert.equal(recognise(`${'No area is known. '.repeat(200)}No area is known.`), null);
    assert.equal(recogniseReason('the dog ate it'), 'the dog ate it');
  });

  it('is found quickly among sentences that begin alike, and in what is made to be slow', () => {
    const begun = process.cpuUsage();
    for (let i = 0; i < 200; i++)
      recognise(`${i} ${'The plot lies in a, '.repeat(60)}${'% of the plot is '.repeat(20)}`.slice(0, 1_999));
    assert.ok(process.cpuUsage(begun).user < 4e6);
  });
});

describe('the comment on the deforestation of a plot', () => {
  const measured = { status: 'measured', dataset: 'made-up', version: '1', synthetic: false } as const;
  const baselines = [
    { ...measured, forestHa: 1.5, coveredShare: 1 },
    { ...measured, forestHa: 0, coveredShare: 1 },
    { ...measured, forestHa: 2, coveredShare: 0.4 },
    { status: 'unknown', reason: 'no dataset covers the plot' },
    { status: 'unknown', reason: 'made-up: it could not be reached' },
  ] as const;
  const losses = [
    { ...measured, years: [2001, 2024], lossHa: {}, inBaselineHa: {}, coveredShare: 1 },
    { ...measured, years: [2001, 2024], lossHa: { 2022: 1 }, inBaselineHa: { 2022: 1 }, coveredShare: 0.9 },
    { ...measured, years: [2001, 2020], lossHa: { 2022: 1 }, inBaselineHa: null, coveredShare: 1 },
    {
      ...measured,
      synthetic: true,
      years: [2001, 2024],
      lossHa: { 2021: 0.01, 2023: 0.01 },
      inBaselineHa: { 2021: 0.01, 2023: 0.01 },
      coveredShare: 1,
    },
    { status: 'unknown', reason: 'made-up has no data there' },
  ] as const;

  it('is recognised whatever was found', () => {
    const unknown = new Set<string>([NOT_A_PLOT.eudr_comment].filter((text) => recognise(text) === null));
    for (const baseline of baselines)
      for (const first of losses)
        for (const second of losses)
          for (const end of ['2024-12-31', '2026-11-26', '2020-12-31'])
            for (const areaHa of [2, 0.000_01]) {
              const statistics = { baseline, losses: [first, second] } as never;
              const check = checkDeforestation(statistics, { start: '2020-12-31', end } as never);
              const { eudr_comment: comment } = eudrVerdict(check, areaHa);
              if (recognise(comment) === null) unknown.add(comment);
            }
    assert.deepEqual([...unknown], []);
  });
});

describe('a fault of a geometry', () => {
  const square = [0, 9, 9, 0, 0].map((x, i) => [x, [0, 0, 9, 9, 0][i]]);
  const bow = [0, 4, 4, 0, 0].map((x, i) => [x, [0, 4, 0, 4, 0][i]]);
  const bad: readonly unknown[] = [
    null,
    'a text',
    { type: 'Circle' },
    { type: 'Point', coordinates: [0, 95] },
    { type: 'Point', coordinates: [500_000, 1] },
    { type: 'Point', coordinates: [] },
    { type: 'Point', coordinates: null },
    { type: 'LineString', coordinates: [[0, 0]] },
    {
      type: 'MultiPoint',
      coordinates: [
        [0, 0],
        [0, 200],
      ],
    },
    { type: 'Polygon', coordinates: [3] },
    { type: 'Polygon', coordinates: [[[0, 0], 'x']] },
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, '2'],
        ],
      ],
    },
    { type: 'Polygon', coordinates: [square.slice(1)] },
    { type: 'Polygon', coordinates: [square.slice(0, 1)] },
    { type: 'Polygon', coordinates: [bow] },
    { type: 'Polygon', coordinates: [square, bow] },
    {
      type: 'Polygon',
      coordinates: [
        bow
          .slice(0, 2)
          .flatMap((at) => [at, at])
          .concat([bow[0]!]),
      ],
    },
    { type: 'MultiPolygon', coordinates: [[square], [square, square.map(([x, y]) => [x! + 20, y!])]] },
    { type: 'GeometryCollection', geometries: [{ type: 'MultiPolygon', coordinates: [[bow]] }] },
    { type: 'GeometryCollection', geometries: [null] },
    { type: 'GeometryCollection', geometries: 7 },
  ];
  const faults = bad.map((geometry) => {
    const laid = toShape(geometry);
    assert.ok(laid.shape === null, JSON.stringify(geometry));
    return faultSentence(laid.fault);
  });

  it('is the same from its sentence as from where it is found', async () => {
    const translator = (await translatorFor('de'))!;
    const crossing = faults.find(({ code }) => code === 'fault.crossing');
    assert.equal(
      inLanguage(crossing!.message, translator),
      translator.say(crossing!.code, crossing!.params),
      crossing!.message,
    );
  });

  it('is recognised from its sentence, whatever it is', () => {
    for (const { code, message } of faults) assert.equal(recognise(message)?.at(-1)?.code, code, message);
  });

  for (const language of OTHERS)
    it(`is said in ${language} with its place in words, from its code and from its sentence`, async () => {
      const translator = (await translatorFor(language))!;
      for (const { code, params, message } of faults)
        for (const text of [translator.say(code, params), inLanguage(message, translator)]) {
          assert.doesNotMatch(text ?? '{', /coordinates|[{}]|\b(the|corner|outline|hole) /, message);
          assertNumbers(text ?? '', message);
        }
    });
});

describe('the warnings of patches and parcels', () => {
  it('are recognised', () => {
    const words: Readonly<Record<string, string>> = {
      reason: 'aef: it could not be reached',
      dataset: 'aef',
      detail: '',
      crs: 'EPSG:3857',
      extent: '20 km',
      metres: '12.5',
      segment: 'abc-1',
      jurisdiction: 'Somewhere',
      count: '3',
      others: ' and others',
      results: 'x',
      note: 'This answer was kept from 3 hours ago.',
    };
    const unknown = Object.entries({ ...FOREST_WARNINGS, ...PARCEL_WARNINGS }).flatMap(([code, { message }]) => {
      const text = message.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? assert.fail(word));
      return recognise(text) === null ? [code] : [];
    });
    assert.deepEqual(unknown, []);
  });
});
