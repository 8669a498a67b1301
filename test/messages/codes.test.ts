import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forestWarning } from '../../src/forest/warnings.ts';
import { LANGUAGE_CODES } from '../../src/messages/languages.ts';
import { localise } from '../../src/messages/localise.ts';
import { codesOf } from '../../src/messages/recognised/codes-of.ts';
import { SENTENCES } from '../../src/messages/recognised/sentences.ts';
import { catalogueOf } from '../../src/messages/catalogue.ts';
import { translatorFor } from '../../src/messages/translator.ts';
import { describeSplit } from '../../src/plots/split/describe-split.ts';
import type { PlotSplit } from '../../src/plots/split/split-plot.ts';

const OTHERS = LANGUAGE_CODES.filter((code) => code !== 'en');

const kind = { isMajor: true, nearestDistance: 0.3, ashmanD: 2.5, ownShare: 0.85 };
const whole = {
  kinds: [kind],
  kindHa: [1.25],
  areaHa: 1.5,
  unknownHa: 0,
  parts: null,
  halves: null,
  pieces: 1,
  unproven: 2,
  segments: 9,
  treeProbability: [0.5, 0.5, 0.5],
};
const two = { ...whole, kinds: [kind, { ...kind, ashmanD: Infinity }], kindHa: [0.9, 0.6] };

/** Plots of every result that a plot can have whose embeddings were read. */
const SPLITS = [
  whole,
  { ...whole, pieces: 4 },
  { ...whole, halves: { distance: 0.14, ashmanD: 1.8 }, unknownHa: 0.1 },
  { ...whole, halves: { distance: 0.05, ashmanD: Infinity } },
  { ...whole, unknownHa: 0.7 },
  { ...whole, kinds: [kind, { ...kind, isMajor: false }], kindHa: [1.4, 0.08] },
  { ...two, parts: [] },
  two,
  { ...whole, kinds: [], kindHa: [] },
] as unknown as readonly PlotSplit[];

describe('the texts on a split of a plot', () => {
  for (const language of OTHERS)
    it(`are said from their codes in ${language}`, async () => {
      const translator = (await translatorFor(language))!;
      for (const split of SPLITS)
        for (const isSynthetic of [false, true]) {
          const { reason, confidenceReasons, messages } = describeSplit(split, isSynthetic);
          const feature = {
            type: 'Feature',
            properties: { split_reason: reason, split_confidence_reasons: confidenceReasons, messages },
          };
          localise(feature, translator);
          const there = feature.properties;
          const texts = [there.split_reason, ...there.split_confidence_reasons];
          for (const [i, text] of texts.entries()) {
            assert.notEqual(text, [reason, ...confidenceReasons][i]);
            assert.doesNotMatch(text, /\{|undefined|NaN|\b(the|which|plot|ground|apart|cells)\b/, text);
          }
        }
    });

  it('have the same result and numbers in every language', async () => {
    const { reason, messages } = describeSplit(SPLITS[6]!, false);
    assert.equal(
      reason,
      "Two kinds of ground: A 0.9 ha (60 %), B 0.6 ha (40 %). Their mean embeddings are 0.30 apart (clear from 0.15), Ashman's D 2.5 (clear from 3): clearly apart.",
    );
    const feature = { type: 'Feature', properties: { split_reason: reason, messages } };
    localise(feature, (await translatorFor('de'))!);
    assert.match(feature.properties.split_reason, /^2 Flächenarten: A mit 0,9 ha \(60\s%\), B mit 0,6 ha \(40\s%\)\. /);
  });
});

describe('the codes next to texts of the service', () => {
  it('stand for the texts that have one, in lists too, and for no others', () => {
    assert.deepEqual(codesOf({ a: 'No area is known.', b: 'Budi says so.', c: null }), {
      messages: { a: [{ code: 'plot.no_area', params: {} }] },
    });
    assert.deepEqual(codesOf({ a: ['Budi says so.', 'The plot lies on land.'] }), {
      messages: { a: [null, [{ code: 'plot.on_land', params: {} }]] },
    });
    assert.deepEqual(codesOf({ a: 'x', b: [] }), {});
  });

  it('are those of catalogues', async () => {
    const catalogue = await catalogueOf('es');
    assert.deepEqual(
      SENTENCES.filter(([, code]) => catalogue[code] === undefined),
      [],
    );
  });

  it('come with warnings of forest patches', () => {
    const { message, messages } = forestWarning('nodata', { dataset: 'aef' });
    assert.equal(message, 'The dataset aef has no data at this place.');
    assert.deepEqual(messages, { message: [{ code: 'patch.no_data', params: { dataset: 'aef' } }] });
  });
});
