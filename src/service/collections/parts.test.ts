import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PLOT_RULES } from '../../locations/plots/plot-options.ts';
import type { PartSummary } from '../../collections/batch-summary.ts';
import { unpackRecords } from '../../db/collections/pack-records.ts';
import type { GroupRecord } from './group-plots.ts';
import type { EvaluatedLocation } from './locations.ts';
import { makePart, packBatch, packRows, packSurroundings, storedRecords, unpackInput } from './parts.ts';

function location(number: number, padding = 0): EvaluatedLocation {
  const feature = { type: 'Feature', geometry: null, properties: { x: 'x'.repeat(padding) } } as const;
  const record = { number, locationType: 'plot', feature, confidence: 'low', statistics: null, problem: null } as const;
  return { record, reasons: ['plots fail the check area'], measurable: true };
}

const GROUPED: GroupRecord = (record) => ({ record, group: 'left_out', isMeasured: false });

async function* chunks(...bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* bytes;
}

describe('the parts of a batch', () => {
  it('say what they add to the counts, and hold their records', async () => {
    const { summary, bytes } = await makePart([location(7), location(8, 1)], [], GROUPED);
    const { confidence, counts } = summary as PartSummary;
    assert.deepEqual([confidence, counts.groups?.left_out, counts.measured], [{ low: 2 }, 2, 0]);
    const records = await unpackRecords(bytes);
    assert.deepEqual(
      records.map(({ number, feature }) => [number, feature]),
      [
        [7, location(7).record.feature],
        [8, location(8, 1).record.feature],
      ],
    );
  });

  it('are read again for the records that are wanted alone', async () => {
    const made = await Promise.all(
      [[0, 1], [2], [3, 4]].map((numbers) =>
        makePart(
          numbers.map((number) => location(number)),
          [],
          GROUPED,
        ),
      ),
    );
    const parts = [
      { seq: 0, first: 0, count: 2 },
      { seq: 1, first: 2, count: 1 },
      { seq: 2, first: 3, count: 2 },
    ];
    const read: number[] = [];
    const kept = { read: async (seq: number) => (read.push(seq), made[seq]!.bytes) };
    const numbersOf = async (isWanted?: (number: number) => boolean): Promise<readonly number[]> =>
      (await Array.fromAsync(storedRecords(kept, parts, isWanted))).map(({ number }) => number);
    assert.deepEqual(
      [await numbersOf(), read.splice(0)],
      [
        [0, 1, 2, 3, 4],
        [0, 1, 2],
      ],
    );
    assert.deepEqual(
      [await numbersOf((number) => number % 3 === 1), read],
      [
        [1, 4],
        [0, 2],
      ],
    );
  });

  it('have what they were staged with, what all of them share, and what lies around them', async () => {
    const row = { location: { type: 'Feature' }, statedCountry: 'MY', foundCountry: null, isSound: true, aside: null };
    const batch = { facilities: [[101.5, 4.25, 3]], end: null, hasAllFacilities: true } as const;
    const plot = { index: 9, row: 10, geometry: { type: 'Point', coordinates: [0.1 + 0.2, -1e-7] }, statedHa: 4 };
    const staged = await packRows([JSON.stringify(row), JSON.stringify(row)]);
    const shared = await packBatch(batch);
    const alone = await unpackInput(chunks(staged, shared));
    assert.deepEqual([alone.rows, alone.batch], [[row, row], batch]);
    assert.deepEqual(alone.surroundings, { plots: [], sameIds: [], notCompared: [] });
    const rest = { sameIds: [[1, 4]], notCompared: [2] } as const;
    const added = await packSurroundings(rest, [JSON.stringify(plot)]);
    assert.deepEqual((await unpackInput(chunks(staged, shared, added))).surroundings, { ...rest, plots: [plot] });
    await assert.rejects(unpackInput(chunks(staged)), /no input/);
  });

  it('of a batch that was cut before an update say where comparing ended', async () => {
    const facilities: [number, number, number][] = [[101.5, 4.25, 3]];
    for (const [notComparedFrom, end] of [
      [null, null],
      [7, { from: 7, plots: PLOT_RULES.comparedPlots }],
    ] as const) {
      const shared = await packRows([JSON.stringify({ facilities, notComparedFrom })]);
      const { batch } = await unpackInput(chunks(await packRows([]), shared));
      assert.deepEqual(batch, { facilities, end, hasAllFacilities: true });
    }
  });
});
