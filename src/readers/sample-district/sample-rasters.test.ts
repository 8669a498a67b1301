import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { historyAt, LOSS_YEARS } from './district.ts';
import { sampleRasterDatasets, sampleRasters } from './sample-rasters.ts';

test('the rasters of the district are the same on every machine', () => {
  const hash = createHash('sha256');
  for (const [name, { values, width, height, transform }] of sampleRasters()) {
    hash.update(`${name} ${width} ${height} ${transform?.join(' ')}\n`);
    hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  // A change here needs a new SAMPLE_RASTERS_VERSION, or old folders keep the old bytes.
  assert.equal(hash.digest('hex'), '83bee0a714783fb1b1c35b3daad5db0bcbc646dadb8dea5b44d68d09e412f7e1');
});

test('the made-up history has losses before and after the cut-off, inside forest and outside', () => {
  const found = new Set<string>();
  for (let row = 0; row < 256; row++) {
    for (let column = 0; column < 256; column++) {
      const { isForest, lossYear } = historyAt(column, row);
      if (lossYear === 0) continue;
      assert.ok(lossYear >= LOSS_YEARS[0] && lossYear <= LOSS_YEARS[1]);
      // Forest of 2020 was not lost before.
      assert.ok(!isForest || lossYear > 2020);
      found.add(`${lossYear > 2020 ? 'after' : 'before'} ${isForest ? 'inside' : 'outside'}`);
    }
  }
  assert.deepEqual([...found].toSorted(), ['after inside', 'after outside', 'before outside']);
});

test('every entry of the district says that it is synthetic, and has its files', () => {
  const files = [...sampleRasters().keys()];
  for (const { synthetic, attribution, path, options } of sampleRasterDatasets('/data')) {
    assert.equal(synthetic, true);
    assert.match(attribution, /synthetic/);
    const maps = Object.values((options['maps'] ?? {}) as Readonly<Record<string, string>>);
    const named = maps.length > 0 ? maps : [String(path).split(/[/\\]/).at(-1)];
    for (const name of named) assert.ok(files.includes(String(name)), String(name));
  }
});
