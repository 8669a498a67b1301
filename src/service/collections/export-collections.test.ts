import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLLECTION, gather } from '../../../test/due-diligence-export.ts';
import { memoryCollections } from '../../../test/memory/collections.ts';
import { memoryTasks } from '../../../test/memory/tasks.ts';
import { noChoices, type FilingChoices } from '../../collections/due-diligence/filing-choices.ts';
import type { Task } from '../../jobs/task.ts';
import { BATCH_TASK } from './collection-task.ts';
import { reportPeriod } from './due-diligence.ts';
import { exportCollections, exportKey, type ExportDeps } from './export-collections.ts';

const REPORT = 'the report of the batch';
const WRITTEN = 'written again';
async function* bytesOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}
const collectionOf = (completed: string) => ({
  ...COLLECTION,
  taskId: 'task',
  completedAt: new Date(`${completed}T12:00:00Z`),
});

/** What answers a request for the export of a collection that was completed on a day. */
async function answerTo(completed: string, filing: FilingChoices): Promise<string> {
  const batch = { userId: COLLECTION.userId, id: 'task', kind: BATCH_TASK, resultType: 'application/zip' } as Task;
  const deps: ExportDeps = {
    collections: memoryCollections([]),
    tasks: { ...memoryTasks(), get: async () => batch, results: async () => bytesOf(REPORT) },
    dueDiligence: { write: () => bytesOf(WRITTEN), writeReport: () => bytesOf(WRITTEN) },
  };
  const collection = collectionOf(completed);
  const period = { ...reportPeriod(collection), filing };
  const { bytes } = await exportCollections(deps, [collection], period, true, new AbortController().signal);
  return (await gather(bytes!)).toString();
}

describe('the report of a batch', () => {
  it('answers the export while the law is that of its day', async () => {
    assert.equal(await answerTo('2026-09-18', noChoices('2027-12-29')), REPORT);
    assert.equal(await answerTo('2026-09-17', noChoices('2026-09-18')), WRITTEN);
    assert.equal(await answerTo('2025-05-25', noChoices('2025-05-26')), WRITTEN);
  });

  it('answers no export that says something of the filing', async () => {
    const said: readonly Partial<FilingChoices>[] = [
      { role: 'operator' },
      { size: 'large' },
      { established: '2020-01-01' },
      { activity: 'IMPORT' },
      { codes: [{ commodity: 'cocoa', digits: '1801' }] },
      { kind: 'simplified_declaration' },
      { isDayGiven: true },
    ];
    for (const more of said)
      assert.equal(
        await answerTo('2026-10-01', { ...noChoices('2026-11-23'), ...more }),
        WRITTEN,
        JSON.stringify(more),
      );
  });
});

describe('the key of an export', () => {
  const key = (more: Partial<FilingChoices>) =>
    exportKey([collectionOf('2026-10-01')], {
      start: '2020-12-31',
      end: '2024-12-31',
      filing: { ...noChoices('2026-11-23'), ...more },
    });

  it('is the same on every day between two changes of the law, unless the day is given or parcels are looked up', () => {
    assert.equal(key({ day: '2026-11-24' }), key({}));
    assert.notEqual(key({ day: '2027-12-30' }), key({}));
    assert.notEqual(key({ isDayGiven: true }), key({}));
    const declared = { kind: 'simplified_declaration', places: 'cadastral' } as const;
    assert.notEqual(key({ ...declared, day: '2026-11-24' }), key(declared));
  });

  it('differs for everything that is said', () => {
    const keys = [
      key({}),
      key({ role: 'operator' }),
      key({ size: 'micro' }),
      key({ activity: 'EXPORT' }),
      key({ kind: 'simplified_declaration' }),
      key({ codes: [{ commodity: 'cocoa', digits: '1801' }] }),
    ];
    assert.equal(new Set(keys).size, keys.length);
  });
});
