import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createLargeGeometryTurn } from '../../geo/shapes/large-geometry.ts';
import { createLog } from '../../log.ts';
import type { FileHandlers, FileJob } from './handlers.ts';
import { openFileWork, SMALL_FILE_BYTES, type FileRequest, type FileWork } from './file-work.ts';

const ENTRY = new URL('../../../test/file-thread.fixture.ts', import.meta.url);
const here: string[] = [];
/** Notes what is done in this thread. */
const handler = (kind: string) => async () => {
  here.push(kind);
  return { resultType: 'application/json', summary: `${kind} here` };
};
const HANDLERS: FileHandlers = {
  inspect_facilities: handler('inspect_facilities'),
  rate_facilities: handler('rate_facilities'),
  open_locations: handler('open_locations'),
  inspect_locations: handler('inspect_locations'),
  answer_locations: handler('answer_locations'),
  preview_locations: handler('preview_locations'),
  split_plots: handler('split_plots'),
  false_colour: handler('false_colour'),
  map_collection: handler('map_collection'),
  map_results: handler('map_results'),
};

describe('work on files', () => {
  let folder: string;
  let path: string;
  let work: FileWork;
  /** Lets a thread compute for as long as a busy machine takes to fill its memory. */
  let patient: FileWork;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-file-work-'));
    path = join(folder, 'file');
    await writeFile(path, 'name,lat,lon\n');
    const log = createLog({ level: 'silent', json: true });
    const data = { turn: createLargeGeometryTurn() };
    const options = { threads: 1, memoryMb: 48, entry: ENTRY, log, turn: data.turn, currentData: async () => data };
    work = openFileWork(HANDLERS, { ...options, maxPauseS: 4 });
    patient = openFileWork(HANDLERS, { ...options, maxPauseS: 600 });
  });
  after(async () => {
    await Promise.all([work.close(), patient.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  const request = (more: Partial<FileRequest> = {}): FileRequest => ({
    userId: 'somebody',
    size: SMALL_FILE_BYTES + 1,
    signal: new AbortController().signal,
    ...more,
  });
  const job = (kind: FileJob['kind']): FileJob => ({ kind, params: { path } }) as unknown as FileJob;

  test('stays in this thread for small text, and never for what is packed', async () => {
    assert.equal(await work.run(job('open_locations'), request({ size: 100 })), 'open_locations here');
    const zip = join(folder, 'zip');
    await writeFile(zip, 'PK\u0003\u0004');
    const packed = { kind: 'open_locations', params: { path: zip } } as unknown as FileJob;
    await assert.rejects(work.run(packed, request({ size: 4 })), { code: 'malformed_file' });
    assert.deepEqual(here, ['open_locations']);
  });

  test('fails with what the job throws, findings included', async () => {
    await assert.rejects(work.run(job('open_locations'), request()), (error: { code: string; errors: unknown[] }) => {
      assert.equal(error.code, 'malformed_file');
      assert.deepEqual((error.errors[0] as { code: string }).code, 'open_ring');
      return true;
    });
  });

  test('is refused with the name of the limit when a thread computes for too long', async () => {
    await assert.rejects(work.run(job('inspect_facilities'), request()), {
      code: 'too_large',
      message: /more than 4 s of work \(file_work_s in \/limits\)/,
    });
  });

  test('is refused with the name of the limit when its memory is full, and goes on with the next file', async () => {
    await assert.rejects(patient.run(job('inspect_locations'), request()), {
      code: 'too_large',
      message: /at most 48 MB \(file_memory_mb in \/limits\)/,
    });
    await assert.rejects(patient.run(job('open_locations'), request()), { code: 'malformed_file' });
  });

  test('ends a thread that took the turn of large geometries, and passes the turn on', async () => {
    const first = await work.run(job('preview_locations'), request());
    assert.notEqual(await work.run(job('preview_locations'), request()), first);
  });

  test('may wait as long as it likes: only computing counts', async () => {
    const bytes = await Array.fromAsync(await work.stream(job('answer_locations'), request()));
    assert.equal(Buffer.concat(bytes).toString(), 'late');
  });

  test('gives its bytes in order, no faster than they are read, and frees its thread when the reader leaves', async () => {
    const seen: string[] = [];
    for await (const bytes of await work.stream(job('rate_facilities'), request())) {
      seen.push(Buffer.from(bytes).toString());
      if (seen.length === 50) break;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 50 }, (_, i) => `piece ${i}\n`),
    );
    // There is one thread, and it answers the same user again.
    await assert.rejects(work.run(job('open_locations'), request()), { code: 'malformed_file' });
  });

  test('ends with the reason of the signal, before it begins and while it works', async () => {
    const abort = new AbortController();
    const bytes = await work.stream(job('rate_facilities'), request({ signal: abort.signal }));
    const waiting = work.run(job('open_locations'), request({ signal: abort.signal }));
    abort.abort(new Error('the client left'));
    await assert.rejects(waiting, /the client left/);
    await assert.rejects(Array.fromAsync(bytes), /the client left/);
    await assert.rejects(work.run(job('open_locations'), request()), { code: 'malformed_file' });
  });
});
