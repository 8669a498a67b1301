import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PlotRecord } from '../../collections/plot-record.ts';
import type { TaskContext } from '../../jobs/task.ts';
import { madeUpCollection, madeUpRecord } from '../../../test/memory/collections.ts';
import { exportedCollection, exportInput, exportTask } from './export-task.ts';

it('an export task reads every record as it was handed over, whatever its texts hold', async () => {
  const records = ['Ada', 'a line\u2028break', 'a paragraph\u2029end', 'two\r\nlines'].map((name, i) =>
    madeUpRecord(i, { properties: { name } }),
  );
  async function* given(): AsyncGenerator<PlotRecord, void> {
    yield* records;
  }
  const collection = madeUpCollection();
  const read: PlotRecord[] = [];
  const task = exportTask({
    async *write([source]) {
      for await (const record of source!.records()) read.push(record);
      yield new Uint8Array();
    },
  });
  await task({
    params: {
      collections: [exportedCollection(collection)],
      period: {},
      at: new Date(0).toISOString(),
      locations: records.length,
    },
    input: exportInput([{ collection, records: given }]),
    signal: new AbortController().signal,
    write: () => Promise.resolve(),
    progress() {},
  } as unknown as TaskContext);
  assert.deepEqual(read, records);
});
