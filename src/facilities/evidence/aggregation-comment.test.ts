import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, pointAt, rate, riau } from '../../../test/facility-sources.ts';
import { contradictedBy } from './aggregation-comment.ts';

describe('the comment of a language model', () => {
  const said = (reply: unknown) => rate(riau, { comment: () => answer(reply as string, 'model') }).aggregation_comment;

  it('is used, cleaned and marked as such', () => {
    assert.equal(
      said('A mill\n\u0007 beside a road. '),
      'Written by a language model from the indicators: A mill beside a road. Evidence: verified, with 100 % of what is scored assessed.',
    );
    const long = said('Word after word. '.repeat(100));
    assert.ok(long.length < 800 && long.includes('word. Evidence: '));
  });

  it('is left for the composed one when it is empty, marked up or failed', () => {
    for (const reply of ['', '  ', 42, '<b>x</b>', 'see https://example.test', 'x'.repeat(5_000)])
      assert.match(said(reply), /^Composed from the indicators:/);
    assert.match(rate(riau, { comment: () => assert.fail('down') }).aggregation_comment, /^Composed/);
  });

  it('gets yes or no, names and distances, never a graduated value', () => {
    let facts: unknown = null;
    rate(pointAt(101.4478, 0.5071, { name: 'Mill' }), {
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

const FACTS = [
  { indicator: 'road_access', present: 1, known: true },
  { indicator: 'port_proximity', present: 0, known: true },
  { indicator: 'water_access', present: 0, known: false },
  { indicator: 'high_density', present: 0, known: true },
] as const;

describe('a reply of a language model', () => {
  it('agrees where it denies what is absent, affirms what is present and leaves open what is not known', () => {
    for (const reply of [
      'The place has road access, and no port is near.',
      'A road passes by; neither port nor harbour was found.',
      'Access by road is good but there is no seaport. Water could not be assessed.',
      'It is not in a dense urban area.',
      'The facility looks plausible.',
    ])
      assert.equal(contradictedBy(reply, FACTS), null, reply);
  });

  it('contradicts where it does anything else', () => {
    for (const reply of [
      'There is no road.',
      'The site lacks road access.',
      'A port lies near.',
      'No port, but the city is dense.',
      'It lies on a river.',
      'There is no water nearby.',
      'Whether there is a road is unknown.',
    ])
      assert.notEqual(contradictedBy(reply, FACTS), null, reply);
  });

  it('that contradicts an indicator is replaced by the composed comment, with a warning', () => {
    const rated = rate(riau, { comment: () => answer('There is no road anywhere near.', 'model') });
    assert.match(rated.aggregation_comment, /^Composed from the indicators:/);
    const { message = '' } = rated.warnings.find(({ code }) => code === 'comment_refused') ?? {};
    assert.match(message, /does not agree with the evidence on roads/);
    assert.doesNotMatch(JSON.stringify(rated), /anywhere near/);
  });

  it('that cannot be used, and a model that fails, are warnings as well and change no number', () => {
    const plain = rate(riau);
    for (const [comment, code] of [
      [() => answer('<b>x</b>', 'model'), 'comment_refused'],
      [() => assert.fail('down'), 'comment_failed'],
    ] as const) {
      const rated = rate(riau, { comment });
      assert.deepEqual(
        rated.warnings.map((warning) => warning.code),
        [...plain.warnings.map((warning) => warning.code), code],
      );
      assert.equal(rated.confidence_score, plain.confidence_score);
      assert.match(rated.aggregation_comment, /^Composed/);
    }
    const fine = rate(riau, { comment: () => answer('A road passes by.', 'model') });
    assert.match(fine.aggregation_comment, /^Written by a language model .*A road passes by\./);
    assert.deepEqual(fine.warnings, plain.warnings);
  });
});
