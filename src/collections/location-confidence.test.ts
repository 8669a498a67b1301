import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { collectionConfidence, reasonSentences } from './collection-confidence.ts';
import { plotConfidence, plotReasons, plotReasonsInFull, type PlotFindings } from './location-confidence.ts';
import { CONFIDENCES, NOT_PROCESSED, type LocationsConfidence } from './plot-record.ts';

type Status = PlotFindings['checks'][number]['status'];
const found = (statuses: Readonly<Record<string, Status>>, geocoded = false): PlotFindings => ({
  checks: Object.entries(statuses).map(([check, status]) => ({ check, status })),
  geocoded,
});

/** Everything that `high` needs, passed. */
const LOOKED_AT = {
  geometry: 'pass',
  position: 'pass',
  country: 'pass',
  commodity_zone: 'pass',
  commodity: 'pass',
  deforestation: 'pass',
} as const;

describe('the confidence of a plot', () => {
  it('is high only where position, commodity and deforestation were looked at and passed', () => {
    assert.equal(plotConfidence(found(LOOKED_AT)), 'high');
    assert.equal(plotConfidence(found({ ...LOOKED_AT, facility_distance: 'unknown' })), 'high');
    for (const check of ['position', 'country', 'commodity_zone', 'commodity', 'deforestation'] as const) {
      assert.equal(plotConfidence(found({ ...LOOKED_AT, [check]: 'unknown' })), 'medium', check);
      const { [check]: _, ...others } = LOOKED_AT;
      assert.equal(plotConfidence(found(others)), 'medium', check);
      assert.deepEqual(plotReasons(found(others)), [`plots could not be checked for ${check}`]);
    }
  });

  it('is that of the worst that was found of it', () => {
    assert.equal(plotConfidence(found({ ...LOOKED_AT, precision: 'warn' })), 'medium');
    assert.equal(plotConfidence(found({ ...LOOKED_AT, geometry: 'warn' })), 'medium');
    assert.equal(plotConfidence(found({ ...LOOKED_AT, precision: 'warn', country: 'fail' })), 'low');
    assert.equal(plotConfidence(found(LOOKED_AT, true)), 'low');
    assert.equal(plotConfidence(found({ ...LOOKED_AT, geometry: 'fail', country: 'fail' }, true)), 'invalid');
  });

  it('gives its reasons, for all plots alike and in full for one', () => {
    const statuses = { ...LOOKED_AT, area: 'fail', overlaps: 'warn', commodity: 'unknown' } as const;
    assert.deepEqual(plotReasons(found(statuses, true)), [
      'plots were found by their address alone',
      'plots fail the check area',
      'plots have a doubt in the check overlaps',
      'plots could not be checked for commodity',
    ]);
    const checks = Object.entries(statuses).map(([check, status]) => ({ check, status, detail: `About ${check}.` }));
    assert.deepEqual(plotReasonsInFull(checks, false), [
      'Not looked at: commodity. About commodity.',
      'Failed: area. About area.',
      'In doubt: overlaps. About overlaps.',
    ]);
  });

  it('is high exactly where there is no reason', () => {
    const status = fc.constantFrom<Status>('pass', 'warn', 'fail', 'unknown');
    const name = fc.oneof(fc.constantFrom(...Object.keys(LOOKED_AT)), fc.string());
    fc.assert(
      fc.property(fc.dictionary(name, status), fc.boolean(), (statuses, geocoded) => {
        const findings = found({ ...LOOKED_AT, ...statuses }, geocoded);
        assert.equal(plotConfidence(findings) === 'high', plotReasons(findings).length === 0);
      }),
    );
  });
});

describe('the confidence of a collection', () => {
  it('is low when any location is low, otherwise the most common', () => {
    assert.equal(collectionConfidence({ high: 1_000, low: 1 }), 'low');
    assert.equal(collectionConfidence({ high: 3, medium: 2, invalid: 1 }), 'high');
    assert.equal(collectionConfidence({ high: 3, medium: 4 }), 'medium');
    assert.equal(
      collectionConfidence({ high: 1, 'not processed: geocoding failed': 2 }),
      'not processed: geocoding failed',
    );
  });

  it('goes to the more cautious of two that are equally common, and is invalid without any', () => {
    assert.equal(collectionConfidence({ high: 2, medium: 2 }), 'medium');
    assert.equal(collectionConfidence({ high: 2, invalid: 2, 'not processed: geocoding failed': 2 }), 'invalid');
    assert.equal(collectionConfidence({ medium: 2, 'not processed: geocoding too imprecise': 2 }), NOT_PROCESSED[2]);
    assert.equal(collectionConfidence({}), 'invalid');
  });

  it('is always one that a location has', () => {
    const all = [...CONFIDENCES, ...NOT_PROCESSED] as LocationsConfidence[];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all), { minLength: 1 }), (levels) => {
        const counts: Partial<Record<LocationsConfidence, number>> = {};
        for (const level of levels) counts[level] = (counts[level] ?? 0) + 1;
        const one = collectionConfidence(counts);
        assert.ok(levels.includes(one));
        if (levels.includes('low')) assert.equal(one, 'low');
        else for (const count of Object.values(counts)) assert.ok(count <= counts[one]!);
      }),
    );
  });

  it('lists its reasons by how common they are', () => {
    assert.deepEqual(reasonSentences({ 'plots b': 2, 'plots a': 2, 'plots c': 7 }), [
      '7 plots c.',
      '2 plots a.',
      '2 plots b.',
    ]);
  });

  it('names one location in the singular, whatever the reason', () => {
    const reasons = [
      ...plotReasons(found({ ...LOOKED_AT, area: 'fail', overlaps: 'warn', deforestation: 'unknown' }, true)),
      'facilities lost points for roads',
      'facilities could not be checked for buildings',
      'facilities have a geometry that cannot be used',
      'locations are not processed: geocoding failed',
    ];
    assert.deepEqual(reasonSentences(Object.fromEntries(reasons.map((reason) => [reason, 1]))), [
      '1 facility could not be checked for buildings.',
      '1 facility has a geometry that cannot be used.',
      '1 facility lost points for roads.',
      '1 location is not processed: geocoding failed.',
      '1 plot could not be checked for deforestation.',
      '1 plot fails the check area.',
      '1 plot has a doubt in the check overlaps.',
      '1 plot was found by its address alone.',
    ]);
  });
});
