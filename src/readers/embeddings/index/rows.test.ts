import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { relativeIndexPath } from './rows.ts';
import { runs } from '../../../../test/property-runs.ts';

const PREFIXES = ['s3://bucket/tge-labs/aef/', 'https://data.example/tge-labs/aef/'];

test('full paths below the base and relative ones are taken', () => {
  const file = 'v1/annual/2024/10N/xojgayo1cxc1vo6gf-0000000000-0000008192.tiff';
  assert.equal(relativeIndexPath(`s3://bucket/tge-labs/aef/${file}`, PREFIXES), file);
  assert.equal(relativeIndexPath(`https://data.example/tge-labs/aef/${file}`, PREFIXES), file);
  assert.equal(relativeIndexPath(file, PREFIXES), file);
  assert.equal(relativeIndexPath('one.TIF', []), 'one.TIF');
});

test('a path that leads anywhere else is refused', () => {
  const paths = [
    's3://other/tge-labs/aef/a.tiff',
    'http://169.254.169.254/latest/a.tiff',
    'https://data.example/tge-labs/aef-other/a.tiff',
    's3://bucket/tge-labs/aef/../../secret/a.tiff',
    's3://bucket/tge-labs/aef/https://evil.example/a.tiff',
    's3://bucket/tge-labs/aef//evil.example/a.tiff',
    '../a.tiff',
    'a/../b.tiff',
    './a.tiff',
    '.hidden/a.tiff',
    '/etc/a.tiff',
    '//evil.example/a.tiff',
    '\\\\evil\\a.tiff',
    'C:\\a.tiff',
    'file:///etc/a.tiff',
    'a.tiff?x=.tiff',
    'a.tiff#.tiff',
    'a%2e%2e/b.tiff',
    'a b.tiff',
    'a\n.tiff',
    'user@host/a.tiff',
    'aef_index.parquet',
    'a.tiff.vrt',
    'x'.repeat(600) + '.tiff',
    '',
  ];
  for (const path of paths) assert.equal(relativeIndexPath(path, PREFIXES), null, path);
});

test('whatever an index says, the address stays below the base', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('..', '.', '/', '//', '\\', 'https:', '%2e%2e', '@', '?', '#', 'a.tiff', ...PREFIXES),
  );
  const base = new URL(PREFIXES[1]);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const found = relativeIndexPath(`${pieces.join('')}.tiff`, PREFIXES);
      if (found === null) return;
      const address = new URL(found, base);
      assert.equal(address.href, base.href + found);
    }),
    { numRuns: runs(2_000) },
  );
});
