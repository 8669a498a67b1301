import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { createPack, openPack, packArray, packHeaderFault, readPack, writePack } from './pack-file.ts';
import { runs } from '../../../test/property-runs.ts';

let folder = '';
let path = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-pack-'));
  path = join(folder, 'towns.pack');
});
after(() => rm(folder, { recursive: true }));

const ARRAYS = {
  boxes: Int32Array.of(-5, 7, 1 << 30),
  offsets: Uint32Array.of(0, 4_000_000_000),
  bytes: Uint8Array.of(1, 2, 3, 4, 5),
};
const make = (key = 'towns@1') => createPack('towns', key, ARRAYS, { title: 'Côte d’Ivoire' });

test('a pack that was written is read back whole, into shared memory', async () => {
  await writePack(path, make());
  const { pack } = await readPack(path, 'towns', 'towns@1');
  assert.ok(pack !== null && pack.buffer instanceof SharedArrayBuffer);
  assert.deepEqual(packArray(pack, 'boxes', 'Int32Array'), ARRAYS.boxes);
  assert.deepEqual(packArray(pack, 'offsets', 'Uint32Array'), ARRAYS.offsets);
  assert.deepEqual(packArray(pack, 'bytes', 'Uint8Array'), ARRAYS.bytes);
  assert.deepEqual(pack.header.meta, { title: 'Côte d’Ivoire' });
  assert.deepEqual(openPack(pack.buffer).header, pack.header);
  assert.deepEqual(await readdir(folder), ['towns.pack']);
});

test('an absent pack and one made from something else are reasons to build, not errors', async () => {
  assert.deepEqual(await readPack(join(folder, 'none.pack'), 'none', 'x'), { pack: null, reason: 'not built yet' });
  await writePack(path, make('towns@0'));
  assert.deepEqual(await readPack(path, 'towns', 'towns@1'), {
    pack: null,
    reason: 'out of date: wanted towns@1, got towns@0',
  });
  assert.match(reasonOf(await readPack(path, 'ports', 'towns@0')), /wanted the dataset ports, got towns/);
  assert.notEqual(reasonOf(await readPack(folder, 'towns', 'towns@1')), '');
});

test('a header says which pack a file is without reading the rest, and why it cannot be another', async () => {
  assert.equal(await packHeaderFault(join(folder, 'none.pack'), 'none', 'x'), 'not built yet');
  await writePack(path, make('towns@0'));
  assert.equal(await packHeaderFault(path, 'towns', 'towns@0'), null);
  assert.equal(await packHeaderFault(path, 'towns', 'towns@1'), 'out of date: wanted towns@1, got towns@0');
  assert.match((await packHeaderFault(path, 'ports', 'towns@0')) ?? '', /wanted the dataset ports, got towns/);
  await writeFile(path, new Uint8Array(make().buffer).slice(0, 20));
  assert.match((await packHeaderFault(path, 'towns', 'towns@1')) ?? '', /damaged/);
});

test('a pack cut off anywhere is refused', async () => {
  const whole = new Uint8Array(make().buffer);
  for (let length = 0; length < whole.length; length++) {
    await writeFile(path, whole.slice(0, length));
    assert.match(reasonOf(await readPack(path, 'towns', 'towns@1')), /damaged|out of date/, `${length} bytes`);
  }
});

test('a pack with any bit turned over, or bytes changed or added, is refused', async () => {
  const whole = Uint8Array.from(new Uint8Array(make().buffer));
  const refused = async (bytes: Uint8Array): Promise<void> => {
    await writeFile(path, bytes);
    assert.match(reasonOf(await readPack(path, 'towns', 'towns@1')), /damaged|out of date/);
  };
  for (let bit = 0; bit < whole.length * 8; bit += 3) {
    const bytes = whole.slice();
    bytes[bit >> 3] ^= 1 << (bit & 7);
    await refused(bytes);
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }), async (at, noise) => {
      const bytes = new Uint8Array(Math.max(whole.length, at + noise.length));
      bytes.set(whole);
      bytes.set(noise, at);
      if (Buffer.compare(bytes, whole) !== 0) await refused(bytes);
    }),
    { numRuns: runs(200) },
  );
});

test('writers at the same time leave one whole pack and no remains', async () => {
  await Promise.all(Array.from({ length: 8 }, () => writePack(path, make())));
  assert.notEqual((await readPack(path, 'towns', 'towns@1')).pack, null);
  assert.deepEqual(await readdir(folder), ['towns.pack']);
});

test('remains of a writer that died are cleared away, those of a running one are not', async () => {
  await writeFile(`${path}.dead.tmp`, 'x');
  await utimes(`${path}.dead.tmp`, 0, 0);
  await writeFile(`${path}.running.tmp`, 'x');
  await writePack(path, make());
  assert.deepEqual((await readdir(folder)).sort(), ['towns.pack', 'towns.pack.running.tmp']);
  await rm(`${path}.running.tmp`);
});

test('a pack that cannot be written leaves the old one', async () => {
  await writePack(path, make());
  const before = await readFile(path);
  await assert.rejects(writePack(join(path, 'below-a-file.pack'), make()));
  assert.deepEqual(await readFile(path), before);
});

test('an array that is not in the pack, or of another type, is refused by name', () => {
  assert.throws(
    () => packArray(make(), 'bytes', 'Int32Array'),
    /"bytes" of Int32Array in the pack towns, got Uint8Array/,
  );
  assert.throws(() => packArray(make(), 'rows', 'Int32Array'), /"rows" of Int32Array in the pack towns, got none/);
});

function reasonOf(reading: Awaited<ReturnType<typeof readPack>>): string {
  return reading.pack === null ? reading.reason : '';
}
