import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SAMPLE_CROPS_FILE, sampleCropDatasets, sampleCrops } from './sample-crops.ts';
import { standAt } from './district.ts';

test('the map of planted crops is the same on every machine', () => {
  const { values, width, height, transform } = sampleCrops();
  const hash = createHash('sha256').update(`${width} ${height} ${transform?.join(' ')}\n`);
  hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  // A change here needs a new SAMPLE_CROPS_VERSION, or old folders keep the old bytes.
  assert.equal(hash.digest('hex'), '9544e2d9dde1e6a46f2581fe15bdc7c92b7a76816dc18cc8099e703582021b1e');
});

test('the map says of each cell what the plan of the district says', () => {
  const { values, width } = sampleCrops();
  const named: Readonly<Record<number, string>> = { 1: 'palm', 2: 'rubber' };
  const met = new Set<string>();
  for (const [i, value] of values.entries()) {
    const { cover } = standAt(i % width, Math.floor(i / width));
    const wanted = named[value] ?? 'nothing planted';
    assert.equal(cover === 'palm' || cover === 'rubber' ? cover : 'nothing planted', wanted, `cell ${i}`);
    met.add(wanted);
  }
  assert.deepEqual([...met].toSorted(), ['nothing planted', 'palm', 'rubber']);
});

test('every entry of the map says that it is synthetic, and names its file', () => {
  const entries = sampleCropDatasets('/data');
  assert.deepEqual(
    entries.map(({ role, options }) => options['commodity'] ?? role),
    ['palm', 'rubber', 'plantation-mask'],
  );
  for (const { synthetic, attribution, path } of entries) {
    assert.equal(synthetic, true);
    assert.match(attribution, /synthetic/);
    assert.equal(String(path).split(/[/\\]/).at(-1), SAMPLE_CROPS_FILE);
  }
});
