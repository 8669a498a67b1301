import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseStoreDocument, storeAttributes, type StoreDocument, type StoreEntry } from './store-document.ts';

const entry: StoreEntry = {
  path: 'EPSG_32616/2024',
  raster: 'EPSG:32616',
  year: 2024,
  algorithm: 'test/1',
  datasetVersion: 'v1',
  lattice: { crs: 'EPSG:32616', originX: 10, originY: -10, cellWidth: 20, cellHeight: 20 },
  column: -5,
  row: 7,
  width: 8192,
  height: 4096,
  chunk: 256,
  shard: 4096,
  phase: { x: 1, y: 0 },
  coverage: [[0, 256, 512, 256]],
};
const document: StoreDocument = {
  dataset: { id: 'aef', version: 'v1', licence: 'CC-BY-4.0', attribution: 'Google', synthetic: false },
  entries: [entry],
};

test('what is written is read back', () => {
  const attributes = JSON.parse(JSON.stringify(storeAttributes(document))) as Record<string, unknown>;
  assert.deepEqual(parseStoreDocument('here', attributes), document);
});

for (const [wrong, message] of [
  [{ width: 0 }, /rasters 0: width: wanted a whole number from 1 to 2147483648, got 0/],
  [{ chunk: 1_000_000 }, /chunk: wanted a whole number from 1 to 4096/],
  [{ year: '2024' }, /year: wanted a whole number/],
  [{ path: '../secret' }, /path: wanted names with "\/" between them/],
  [{ path: 'a/../../b' }, /path: wanted names/],
  [{ lattice: { ...entry.lattice, cellWidth: 0 } }, /lattice: cellWidth: wanted a number above 0/],
  [{ phase: { x: 2, y: 0 } }, /phase: x: wanted a whole number from 0 to 1/],
  [{ coverage: [[1, 2, 3]] }, /coverage 0: wanted four whole numbers/],
  [{ coverage: 'all' }, /coverage: wanted a list/],
] as const)
  test(`a document with ${JSON.stringify(wrong)} is refused`, () => {
    const attributes = JSON.parse(JSON.stringify(storeAttributes(document))) as { rasters: object[] };
    attributes.rasters[0] = { ...attributes.rasters[0], ...wrong };
    assert.throws(() => parseStoreDocument('here', attributes), message);
  });

test('another version is refused by name', () => {
  assert.throws(
    () => parseStoreDocument('here', { firstmile_label_store: 2 }),
    /here: wanted a label store of version 1, got/,
  );
});

test('any JSON is read or refused with a sentence', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (attributes, rasters) => {
      const broken = { ...storeAttributes(document), ...attributes, rasters };
      try {
        parseStoreDocument('here', broken as Record<string, unknown>);
      } catch (error) {
        assert.match((error as Error).message, /^here.*wanted .*got /s);
      }
    }),
  );
});
