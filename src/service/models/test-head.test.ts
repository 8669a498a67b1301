import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MADE_UP_HEAD, randomHead } from '../../../test/detection-heads.ts';
import { createPack, packArray, readPack, writePack } from '../../readers/packs/pack-file.ts';
import { HEAD_LAYOUT, packHead } from '../../readers/models/head-pack.ts';
import { openCheckedHead } from './installed-models.ts';
import { headsToTest, openForTest, testHead } from './test-head.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'head-test-'));
});
after(() => rm(folder, { recursive: true }));

test('a stored head gives what it gave when it was stored, in both ways', async () => {
  for (const [seed, activation] of [
    [1, 'relu'],
    [2, 'tanh'],
    [3, 'gelu'],
  ] as const) {
    const path = join(folder, `${activation}.head`);
    await writePack(path, packHead(activation, randomHead(seed, activation, [16, 8]), MADE_UP_HEAD));
    const { head, kept } = await openCheckedHead({ id: activation, path, about: MADE_UP_HEAD });
    const found = testHead(head, kept, []);
    assert.deepEqual([found.pixels, found.kept, found.vectors, found.passed], [256, 64, 0, true], `${found.worst}`);
    assert.ok(found.worst <= 1e-5 && new Set(kept).size > 8, 'the pixels tell one head from another');
    const other = await openCheckedHead({ id: activation, path, about: MADE_UP_HEAD });
    assert.equal(testHead(randomHead(seed + 10, activation, [16, 8]), other.kept, []).passed, false);
  }
});

test('a head that was stored before anything was kept is tested on what there is', async () => {
  const path = join(folder, 'older.head');
  const pack = packHead('older', randomHead(4, 'relu', [4]), MADE_UP_HEAD);
  const names = Object.keys(pack.header.arrays).filter((name) => name !== 'checked');
  const arrays = Object.fromEntries(names.map((name) => [name, packArray(pack, name, 'Uint8Array')]));
  await writePack(path, createPack('older', HEAD_LAYOUT, arrays, pack.header.meta));
  assert.notEqual((await readPack(path, 'older', HEAD_LAYOUT)).pack, null);
  const { head, kept } = await openCheckedHead({ id: 'older', path, about: MADE_UP_HEAD });
  const found = testHead(head, kept, []);
  assert.deepEqual([found.kept, found.passed], [0, true]);
});

test('what is no number does not pass', () => {
  assert.equal(testHead(randomHead(5, 'relu', [4]), [Number.NaN], []).passed, false);
});

test('there is always a head to test: that of the service', async () => {
  const heads = await headsToTest({ dataDir: join(folder, 'empty') });
  assert.deepEqual(
    heads.map(({ id }) => id),
    ['firstmile-built-up'],
  );
  const { head, kept } = await openForTest(heads[0]);
  assert.equal(testHead(head, kept, []).passed, true);
});
