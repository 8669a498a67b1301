import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FEATURE_FORMATS, featureText, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import type { Review } from '../../collections/review.ts';
import { reviewedResults } from './reviewed-results.ts';

const FEATURES = [
  { type: 'Feature', geometry: null, properties: { name: 'a "quoted"\nname', evidence: [{ a: {} }] } },
  { type: 'Feature', id: 7, geometry: { type: 'Point', coordinates: [1, 2] }, properties: {} },
  { type: 'Feature', geometry: null, properties: { nested: { deep: 1 } } },
];
const COLUMNS = {
  header: ['name', 'id'],
  row: ({ properties, id }: (typeof FEATURES)[number]) => [properties.name, id],
};
const REVIEW: Review = {
  state: 'rejected',
  note: '=no, "mill"',
  by: 'ana@example.org',
  at: '2026-01-02T03:04:05.000Z',
};
const FIELDS = { review_state: 'rejected', review_note: REVIEW.note, review_by: REVIEW.by, review_at: REVIEW.at };
const REVIEWS = new Map([[1, REVIEW]]);

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  // Chunks that end within a line, and within a letter.
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
}

async function reviewed(format: FeatureFormat): Promise<string> {
  const results = { features: from(FEATURES), aggregate: () => ({ mean: 1 }), columns: COLUMNS };
  const text = (await Array.fromAsync(featureText(format, results))).join('');
  return (await Array.fromAsync(reviewedResults(pieces(text), FEATURE_FORMATS[format], REVIEWS))).join('');
}

async function* from<T>(all: readonly T[]): AsyncGenerator<T> {
  yield* all;
}

const expected = FEATURES.map((feature, i) => ({
  ...feature,
  properties: { ...feature.properties, ...(i === 1 ? FIELDS : { review_state: 'open' }) },
}));

describe('results with what people decided', () => {
  it('have it in the properties of GeoJSON, and leave everything else as it was', async () => {
    const collection = JSON.parse(await reviewed('geojson')) as object;
    assert.deepEqual(collection, { type: 'FeatureCollection', features: expected, properties: { mean: 1 } });
  });

  it('have it on each line of NDJSON but the last', async () => {
    const lines = (await reviewed('ndjson')).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [...expected, { type: 'FeatureCollection', properties: { mean: 1 } }],
    );
  });

  it('have it as the last columns of CSV, also where a cell has several lines', async () => {
    assert.deepEqual((await reviewed('csv')).split('\r\n'), [
      'name,id,review_state,review_note,review_by,review_at',
      '"a ""quoted""\nname",,open,,,',
      ',7,rejected,"\'=no, ""mill""",ana@example.org,2026-01-02T03:04:05.000Z',
      ',,open,,,',
      '',
    ]);
  });
});
