import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { ByteSourceError } from './byte-error.ts';
import { openNetwork, type Network } from './network.ts';

const root = mkdtempSync(join(tmpdir(), 'firstmile-network-'));
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
let now = 0;
let isUp = false;
let probes = 0;
let path = '';
const { signal } = new AbortController();
beforeEach(() => {
  [now, isUp, probes, path] = [1_000_000, false, 0, join(root, String(folders++), 'network.json')];
});

const open = (suspectMs = 60_000): Network =>
  openNetwork({
    path,
    suspectMs,
    now: () => now,
    reach: async () => {
      probes += 1;
      return isUp;
    },
  });
const hangs = (inner: AbortSignal): Promise<never> =>
  new Promise((_, reject) => inner.addEventListener('abort', () => reject(inner.reason as Error), { once: true }));
const fails = (): Promise<never> => Promise.reject(new ByteSourceError('transport', 'x', 'no route'));
const done = async (): Promise<string> => 'done';
/** Until what was begun in the background has ended. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('the state of the network', () => {
  it('gives up what hangs when the first probe fails, and from then on everything at once', async () => {
    const network = open();
    await assert.rejects(network.run('x', signal, hangs), { kind: 'offline' });
    let began = 0;
    for (let i = 0; i < 50; i++)
      await assert.rejects(
        network.run('x', signal, async () => (began += 1)),
        { kind: 'offline' },
      );
    assert.deepEqual([began, probes], [0, 1]);
  });

  it('is probed once a minute while it is down, by one of those who come, without waiting', async () => {
    const network = open();
    await assert.rejects(network.run('x', signal, fails), { kind: 'offline' });
    assert.equal(probes, 1);
    now += 59_999;
    await assert.rejects(network.run('x', signal, done), { kind: 'offline' });
    assert.equal(probes, 1);
    now += 2;
    isUp = true;
    await assert.rejects(network.run('x', signal, done), { kind: 'offline' });
    await settle();
    assert.equal(probes, 2);
    assert.equal(await network.run('x', signal, done), 'done');
  });

  it('is known to other processes of the data folder', async () => {
    await assert.rejects(open().run('x', signal, hangs), { kind: 'offline' });
    await assert.rejects(open().run('x', signal, done), { kind: 'offline' });
    assert.equal(probes, 1);
    assert.deepEqual(await open().state(), { reachable: false, at: 1_000_000 });
  });

  it('is doubted when a read takes long or fails, and a failure of one host stays one of that host', async () => {
    isUp = true;
    const network = open(5);
    assert.equal(await network.run('x', signal, done), 'done');
    assert.equal(probes, 0);
    now += 3_600_000;
    await assert.rejects(network.run('x', signal, fails), { kind: 'transport' });
    assert.equal(probes, 1);
    now += 3_600_000;
    isUp = false;
    await assert.rejects(network.run('x', signal, hangs), { kind: 'offline' });
    assert.equal(probes, 2);
  });

  it('leaves a caller who leaves with its own reason', async () => {
    isUp = true;
    const leaving = new AbortController();
    const running = open().run('x', leaving.signal, hangs);
    leaving.abort(new Error('left'));
    await assert.rejects(running, { message: 'left' });
  });
});
