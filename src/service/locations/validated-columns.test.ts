import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ValidatedLocation } from '../plots/evaluate-location.ts';
import { validatedColumns } from './validated-columns.ts';

describe('the table of validated locations', () => {
  it('has no score where the geometry is invalid or the row is a plot, and the lowest one where that was the score', () => {
    const scoreOf = (properties: object): unknown => {
      const feature = { type: 'Feature', geometry: null, properties: { warnings: [], source: {}, ...properties } };
      const row = validatedColumns.row(feature as unknown as ValidatedLocation);
      return row[validatedColumns.header.indexOf('confidence_score')];
    };
    assert.equal(scoreOf({ confidence_score: 0, confidence_level: 'invalid' }), undefined);
    assert.equal(scoreOf({ plot_valid: true }), undefined);
    assert.equal(scoreOf({ confidence_score: 0, confidence_level: 'low' }), 0);
  });
});
