import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unpackRecords } from '../../db/collections/read-collections.ts';
import type { EvaluatedLocation } from './locations.ts';
import { createPartSize, groupLocations, makePart, PART_CHARACTERS, PART_LOCATIONS } from './parts.ts';

function location(number: number, padding = 0): EvaluatedLocation {
  const feature = { type: 'Feature', geometry: null, properties: { x: 'x'.repeat(padding) } } as const;
  const record = { number, locationType: 'plot', feature, confidence: 'low', statistics: null, problem: null } as const;
  return { record, reasons: ['plots fail the check area'], measurable: true };
}

async function* locations(count: number, padding = 0): AsyncGenerator<EvaluatedLocation> {
  for (let i = 0; i < count; i++) yield location(i, padding);
}

describe('the parts of a batch', () => {
  it('hold as many locations as their size says when they are begun, and the rest', async () => {
    const sizes = [2, 3];
    const groups = await Array.fromAsync(groupLocations(locations(7), () => sizes[0]!));
    assert.deepEqual(
      groups.map((group) => group.length),
      [2, 2, 2, 1],
    );
    assert.deepEqual(await Array.fromAsync(groupLocations(locations(0), () => 5)), []);
  });

  it('are full when their text is long, whatever their number', async () => {
    const groups = await Array.fromAsync(groupLocations(locations(6, PART_CHARACTERS / 2), () => 500));
    assert.deepEqual(
      groups.map((group) => group.length),
      [2, 2, 2],
    );
  });

  it('say where they begin, how many they hold and what these add to the counts', async () => {
    const { part, bytes } = await makePart(3, [location(7), location(8, 1)], []);
    assert.deepEqual([part.seq, part.first, part.count], [3, 7, 2]);
    assert.deepEqual((part.summary as { confidence: object }).confidence, { low: 2 });
    const records = await unpackRecords(bytes);
    assert.deepEqual(
      records.map(({ number, feature }) => [number, feature]),
      [
        [7, location(7).record.feature],
        [8, location(8, 1).record.feature],
      ],
    );
  });

  it('grow where they are quick and shrink where they are slow, within bounds', () => {
    const size = createPartSize();
    assert.equal(size.now(), PART_LOCATIONS.first);
    for (let i = 0; i < 20; i++) size.took(10);
    assert.equal(size.now(), PART_LOCATIONS.most);
    size.took(5_000);
    assert.equal(size.now(), PART_LOCATIONS.most);
    for (let i = 0; i < 20; i++) size.took(60_000);
    assert.equal(size.now(), PART_LOCATIONS.least);
  });
});
