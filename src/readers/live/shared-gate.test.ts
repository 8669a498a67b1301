import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createGateState, sharedGate } from './shared-gate.ts';

const never = new AbortController().signal;

it('gives the place of a thread that was ended to the next, once its lease is over', async () => {
  const state = createGateState(1);
  const source = `
    const { workerData, parentPort } = require('node:worker_threads');
    import(workerData.module).then(({ sharedGate }) => {
      setInterval(() => {}, 1_000);
      sharedGate(workerData.state, { leaseMs: 60_000 }).run(new AbortController().signal, () => {
        parentPort.postMessage('holding');
        return new Promise(() => {});
      });
    });`;
  const module = new URL('shared-gate.ts', import.meta.url).href;
  const worker = new Worker(source, { eval: true, workerData: { module, state } });
  await new Promise((resolve) => worker.once('message', resolve));
  const held = sharedGate(state, { leaseMs: 60_000 });
  const early = AbortSignal.timeout(300);
  await assert.rejects(
    held.run(early, () => Promise.resolve()),
    'the place is held across threads',
  );
  await worker.terminate();
  const later = sharedGate(state, { leaseMs: 60_000, now: () => Date.now() + 61_000 });
  assert.equal(await later.run(never, () => Promise.resolve('ran')), 'ran');
});
