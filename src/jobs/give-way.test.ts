import assert from 'node:assert/strict';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { giveWay } from './give-way.ts';

const MODULE = JSON.stringify(new URL('give-way.ts', import.meta.url).href);

test(
  'lowers the priority of the thread that calls it, and of no other',
  { skip: process.platform !== 'linux' },
  async () => {
    const before = getPriority();
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
     const { readlinkSync } = require('node:fs');
     import(${MODULE}).then(({ giveWay }) => {
       giveWay();
       const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
       parentPort.postMessage(require('node:os').getPriority(thread));
     });`,
      { eval: true },
    );
    const lowered = await new Promise((done) => worker.once('message', done));
    await worker.terminate();
    assert.equal(lowered, Math.max(before, 5));
    assert.equal(getPriority(), before);
  },
);

test('leaves a thread as it is where threads have no names', () => {
  const before = getPriority();
  giveWay('/proc/nothing');
  assert.equal(getPriority(), before);
});
