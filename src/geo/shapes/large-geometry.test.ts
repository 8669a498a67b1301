import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import {
  createLargeGeometryTurn,
  hasLargeGeometryTurn,
  LARGE_GEOMETRY_BYTES,
  leaveLargeGeometryTurn,
  shareLargeGeometryTurn,
  takeLargeGeometryTurn,
  type LargeGeometryTurn,
} from './large-geometry.ts';

if (isMainThread) {
  test('threads take turns with large geometries, and none waits for a small one', { timeout: 30_000 }, async () => {
    const turn = createLargeGeometryTurn();
    const first = new Worker(new URL(import.meta.url), { workerData: { turn, bytes: LARGE_GEOMETRY_BYTES } });
    assert.deepEqual(await once(first, 'message'), ['done']);
    assert.ok(hasLargeGeometryTurn(turn, first.threadId));
    const small = new Worker(new URL(import.meta.url), { workerData: { turn, bytes: LARGE_GEOMETRY_BYTES - 1 } });
    assert.deepEqual(await once(small, 'message'), ['done']);
    const second = new Worker(new URL(import.meta.url), { workerData: { turn, bytes: LARGE_GEOMETRY_BYTES } });
    assert.deepEqual(await once(second, 'message'), ['waiting']);
    leaveLargeGeometryTurn(turn, second.threadId);
    assert.ok(hasLargeGeometryTurn(turn, first.threadId), 'one who waits cannot give the turn of another away');
    second.removeAllListeners('message');
    const done = new Promise<void>((resolve) => second.on('message', (what) => what === 'done' && resolve()));
    leaveLargeGeometryTurn(turn, first.threadId);
    await done;
    assert.ok(hasLargeGeometryTurn(turn, second.threadId));
    await Promise.all([first, small, second].map((worker) => worker.terminate()));
  });
} else {
  const { turn, bytes } = workerData as { turn: LargeGeometryTurn; bytes: number };
  const say = (what: string): void => parentPort!.postMessage(what, []);
  shareLargeGeometryTurn({ turn, everyMs: 10, whileWaiting: () => say('waiting') });
  takeLargeGeometryTurn(bytes);
  say('done');
  parentPort!.on('message', () => {});
}
