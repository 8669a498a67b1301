import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';

import { parseArrayMetadata, parseGroupAttributes } from './parse-metadata.ts';
import { ZarrError, type ZarrFault } from './zarr-array.ts';
import { runs } from '../../../../test/property-runs.ts';

const BYTES = { name: 'bytes', configuration: { endian: 'little' } };
const CRC = { name: 'crc32c' };

const GOOD = {
  zarr_format: 3,
  node_type: 'array',
  shape: [9, 64, 1_859_584, 4_009_984],
  data_type: 'int8',
  chunk_grid: { name: 'regular', configuration: { chunk_shape: [1, 64, 4096, 4096] } },
  chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
  fill_value: -128,
  codecs: [sharding()],
  attributes: { 'proj:code': 'EPSG:4326' },
};

function sharding(changes: object = {}): object {
  const configuration = {
    chunk_shape: [1, 64, 256, 256],
    codecs: [{ name: 'bytes' }, { name: 'zstd', configuration: { level: 9, checksum: false } }],
    index_codecs: [BYTES, CRC],
    index_location: 'end',
    ...changes,
  };
  return { name: 'sharding_indexed', configuration };
}

const grid = (chunkShape: readonly number[]): object => ({
  chunk_grid: { name: 'regular', configuration: { chunk_shape: chunkShape } },
});

const REFUSED: readonly (readonly [what: string, changes: object, kind: ZarrFault, message: RegExp])[] = [
  ['version 2', { zarr_format: 2 }, 'unsupported', /zarr_format: wanted 3, got 2/],
  ['a field it does not know', { extension: { name: 'x' } }, 'unsupported', /"extension" is not understood/],
  ['a storage transformer', { storage_transformers: [{ name: 'x' }] }, 'unsupported', /storage_transformers/],
  ['a type of 64 bits', { data_type: 'uint64' }, 'unsupported', /data_type.*got "uint64"/],
  ['a type by a name of every object', { data_type: 'constructor' }, 'unsupported', /data_type/],
  ['another grid', { chunk_grid: { name: 'rectilinear' } }, 'unsupported', /"rectilinear"/],
  ['other keys', { chunk_key_encoding: 'hilbert' }, 'unsupported', /"hilbert"/],
  [
    'a separator that leads elsewhere',
    { chunk_key_encoding: { name: 'v2', configuration: { separator: '/../' } } },
    'metadata',
    /separator/,
  ],
  ['a negative size', { shape: [9, 64, -1, 5] }, 'metadata', /shape/],
  ['a size that is no number', { shape: [9, 64, '5', 5] }, 'metadata', /shape/],
  ['a size past all numbers', { shape: [9, 64, 1e300, 5] }, 'metadata', /shape/],
  ['no dimension', { shape: [] }, 'metadata', /1 to 8 dimensions, got 0/],
  ['a chunk without values', grid([1, 64, 0, 4096]), 'metadata', /chunk_shape/],
  ['a chunk of fewer dimensions', grid([64, 4096, 4096]), 'metadata', /wanted 4 dimensions/],
  ['a fill value the type cannot hold', { fill_value: 128 }, 'metadata', /fill_value.*got 128/],
  ['a fill value of text', { fill_value: 'NaN' }, 'metadata', /fill_value/],
  ['no codecs', { codecs: [] }, 'metadata', /codecs/],
  ['a hundred codecs', { codecs: Array.from({ length: 100 }, () => CRC) }, 'metadata', /list of 1 to 16/],
  [
    'a codec it does not know',
    { codecs: [sharding({ codecs: [BYTES, { name: 'blosc' }] })] },
    'unsupported',
    /"blosc"/,
  ],
  [
    'a codec before bytes it does not know',
    { codecs: [sharding({ codecs: [{ name: 'bitround' }, BYTES] })] },
    'unsupported',
    /"bitround"/,
  ],
  ['a codec around the shards', { codecs: [sharding(), CRC] }, 'unsupported', /"crc32c" next to sharding_indexed/],
  ['shards in shards', { codecs: [sharding({ codecs: [sharding()] })] }, 'unsupported', /"sharding_indexed"/],
  ['a shard of part chunks', { codecs: [sharding({ chunk_shape: [1, 64, 300, 256] })] }, 'metadata', /whole chunks/],
  [
    'a compressed index',
    { codecs: [sharding({ index_codecs: [BYTES, { name: 'gzip' }] })] },
    'unsupported',
    /index_codecs/,
  ],
  ['an index in the middle', { codecs: [sharding({ index_location: 'middle' })] }, 'metadata', /index_location/],
  [
    'a chunk of a gigabyte',
    { ...grid([1, 64, 4096, 4096]), codecs: [{ name: 'bytes' }] },
    'unsupported',
    /at most 268435456 bytes, got 1073741824/,
  ],
  [
    'a shard of a billion chunks',
    { codecs: [sharding({ chunk_shape: [1, 1, 1, 1] })] },
    'unsupported',
    /at most 1048576 chunks/,
  ],
  ['more names than dimensions', { dimension_names: ['t', 'b', 'y', 'x', 'z'] }, 'metadata', /dimension_names/],
  ['attributes that are a list', { attributes: [] }, 'metadata', /attributes/],
];

describe('the metadata of an array', () => {
  it('of the public mosaic is understood', () => {
    const { chunkShape, sharding: shards, codecs, fillValue } = parseArrayMetadata('here', JSON.stringify(GOOD));
    assert.deepEqual(chunkShape, [1, 64, 256, 256]);
    assert.deepEqual(shards, { shardShape: [1, 64, 4096, 4096], indexAt: 'end', indexChecksum: true });
    assert.deepEqual(codecs.bytes, [{ name: 'zstd', level: 9, checksum: false }]);
    assert.equal(fillValue, -128);
  });

  for (const [what, changes, kind, message] of REFUSED) {
    it(`is refused with what was wanted: ${what}`, () => {
      assert.throws(
        () => parseArrayMetadata('here', JSON.stringify({ ...GOOD, ...changes })),
        (error) => error instanceof ZarrError && error.kind === kind && message.test(error.message),
      );
    });
  }

  it('leaves out what need not be understood', () => {
    const extended = { ...GOOD, extension: { name: 'x', must_understand: false } };
    assert.equal(parseArrayMetadata('here', JSON.stringify(extended)).dataType, 'int8');
    const group = { zarr_format: 3, node_type: 'group', consolidated_metadata: null };
    assert.deepEqual(parseGroupAttributes('here', JSON.stringify(group)), {});
  });

  it('of any shape whatever is parsed or refused by a ZarrError', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.integer(), fc.constantFrom('bytes', 'transpose', 'zstd', 'end'));
    const fields = fc.constantFrom(...Object.keys(GOOD));
    fc.assert(
      fc.property(fc.array(fc.tuple(fields, anything), { maxLength: 4 }), (changes) => {
        try {
          parseArrayMetadata('here', JSON.stringify({ ...GOOD, ...Object.fromEntries(changes) }));
        } catch (error) {
          assert.ok(error instanceof ZarrError, String(error));
        }
      }),
      { numRuns: runs(1000) },
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.throws(() => parseArrayMetadata('here', text), ZarrError);
      }),
    );
  });
});
