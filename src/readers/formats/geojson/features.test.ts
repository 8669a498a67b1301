import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

import { Problem } from '../../../errors.ts';
import { cutGeojson, readGeojsonFeatures, readGeojsonPart, validateGeojsonStructure } from './features.ts';
import type { GeojsonItem } from './item.ts';
import type { GeojsonLimits } from './document.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

function encode(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

/** Reads the text in pieces of several sizes, makes sure that they agree, and that the structural pass agrees with them. */
async function read(text: string | Uint8Array, limits: GeojsonLimits = {}): Promise<GeojsonItem[]> {
  const bytes = encode(text);
  const whole = await Array.fromAsync(readGeojsonFeatures(inPieces(bytes, bytes.length || 1), limits));
  for (const size of [1, 2, 7])
    assert.deepEqual(await Array.fromAsync(readGeojsonFeatures(inPieces(bytes, size), limits)), whole);
  assert.equal((await validateGeojsonStructure(inPieces(bytes, 5), limits)).features, whole.length);
  for (const size of [
    { features: 2, bytes: 1_000 },
    { features: 100, bytes: 90 },
  ]) {
    const parts = await Array.fromAsync(cutGeojson(inPieces(bytes, 11), limits, size));
    assert.deepEqual(
      parts.flatMap((part) => [...readGeojsonPart(part)]),
      whole,
    );
    for (const { ends } of parts) assert.ok(ends.length <= size.features && (ends.at(-2) ?? 0) <= size.bytes);
  }
  return whole;
}

/** The problem both passes end in, whatever the size of the pieces. */
async function problemOf(text: string | Uint8Array, limits: GeojsonLimits = {}): Promise<Problem> {
  const bytes = encode(text);
  const problems: Problem[] = [];
  for (const size of [1, 3, bytes.length || 1]) {
    for (const pass of [
      async () => Array.fromAsync(readGeojsonFeatures(inPieces(bytes, size), limits)),
      async () => validateGeojsonStructure(inPieces(bytes, size), limits),
    ]) {
      const result = await pass().then(
        (value) => assert.fail(`accepted: ${JSON.stringify(value)}`),
        (error: unknown) => error,
      );
      assert.ok(result instanceof Problem, String(result));
      problems.push(result);
    }
  }
  for (const problem of problems)
    assert.deepEqual([problem.code, problem.message], [problems[0].code, problems[0].message]);
  return problems[0];
}

function features(items: readonly GeojsonItem[]): unknown[] {
  return items.map((item) => ('feature' in item ? item.feature : item.fault.code));
}

const point = { type: 'Point', coordinates: [9, 0] };
const feature = { type: 'Feature', id: 'a', geometry: point, properties: { name: 'Mühle 工場 🏭' } };

test('reads the features of a collection whose members come in any order', async () => {
  const list = `"features":[${JSON.stringify(feature)}, null]`;
  const type = '"type":"FeatureCollection"';
  const foreign = '"foreign":{"features":[1,{"type":"Feature"}],"type":"x"}';
  for (const members of [
    [type, list],
    [list, type],
    [foreign, list, foreign.replace('foreign', 'b'), type],
    [type, foreign, list, '"properties":{"features":[1]}'],
  ]) {
    const items = await read(`{${members.join(' ,\n')}}`);
    assert.deepEqual(items[0], { index: 0, feature });
    assert.deepEqual(features(items), [feature, 'not_an_object'], members.join());
  }
  assert.deepEqual(await read('{"type":"FeatureCollection","features":[ ]}'), []);
});

test('reads member names that are written with escapes', async () => {
  const items = await read(`{"\\u0066eatures":[${JSON.stringify(feature)}],"t\\u0079pe":"Feature\\u0043ollection"}`);
  assert.deepEqual(features(items), [feature]);
});

test('reads a single feature, a bare geometry and a geometry collection as one feature each', async () => {
  const collection = { type: 'GeometryCollection', geometries: [point] };
  assert.deepEqual(features(await read(JSON.stringify(feature))), [feature]);
  for (const geometry of [point, collection])
    assert.deepEqual(features(await read(`\n ${JSON.stringify(geometry)} \n`)), [
      { type: 'Feature', geometry, properties: {} },
    ]);
});

test('reads an array, one text a line and record separators', async () => {
  const text = JSON.stringify(feature);
  const bare = { type: 'Feature', geometry: point, properties: {} };
  const wanted = [feature, bare, 'wrong_type', 'not_an_object'];
  const texts = [text, JSON.stringify(point), '{"type":"FeatureCollection","features":[]}', '12'];
  assert.deepEqual(features(await read(`[${texts.join(',')}]`)), wanted);
  assert.deepEqual(features(await read(texts.join('\n'))), wanted);
  assert.deepEqual(features(await read(`${texts.join('\r\n')}\r\n`)), wanted);
  assert.deepEqual(features(await read(texts.map((one) => `\x1e${one}\n`).join(''))), wanted);
});

test('yields a fault, never nothing, for an item that is not a usable feature', async () => {
  const cases: [unknown, string, RegExp][] = [
    [null, 'not_an_object', /got null/],
    ['Feature', 'not_an_object', /got a string/],
    [[feature], 'not_an_object', /got an array/],
    [{ geometry: point }, 'missing_type', /no "type"/],
    [point, 'wrong_type', /bare Point; put it into/],
    [{ ...feature, type: 'feature' }, 'wrong_type', /got "feature"/],
    [{ ...feature, properties: [1] }, 'invalid_properties', /got an array/],
    [{ ...feature, crs: { type: 'name', properties: { name: 'EPSG:3857' } } }, 'unsupported_crs', /EPSG:3857/],
    [{ ...feature, geometry: { ...point, crs: 'EPSG:32630' } }, 'unsupported_crs', /EPSG:32630/],
  ];
  const items = await read(JSON.stringify({ type: 'FeatureCollection', features: cases.map(([value]) => value) }));
  assert.equal(items.length, cases.length);
  for (const [i, [value, code, detail]] of cases.entries()) {
    const item = items[i];
    assert.ok('fault' in item);
    assert.deepEqual([item.index, item.fault.code, item.value], [i, code, value]);
    assert.match(item.fault.detail, detail);
  }
});

test('keeps ids that are strings or numbers and completes what may be absent', async () => {
  const list = [
    { type: 'Feature', id: 0 },
    { type: 'Feature', id: '', properties: null, geometry: null },
    { type: 'Feature', id: {}, geometry: 7 },
  ];
  assert.deepEqual(features(await read(JSON.stringify(list))), [
    { type: 'Feature', id: 0, geometry: null, properties: {} },
    { type: 'Feature', id: '', geometry: null, properties: {} },
    { type: 'Feature', geometry: 7, properties: {} },
  ]);
});

test('accepts a byte order mark whatever the size of the pieces', async () => {
  assert.deepEqual(features(await read(`\ufeff[${JSON.stringify(feature)}]`)), [feature]);
  assert.equal((await problemOf(`\ufeff\ufeff[]`)).code, 'malformed_file');
});

test('leaves prototypes alone', async () => {
  const items = await read(
    '[{"type":"Feature","__proto__":{"geometry":1,"x":1},"properties":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}]',
  );
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const item = items[0];
  assert.ok('feature' in item);
  assert.equal(item.feature.geometry, null);
  assert.equal(Object.getPrototypeOf(item.feature.properties), Object.prototype);
  assert.equal(item.feature.properties.polluted, undefined);
});

test('accepts WGS84 in every usual spelling of the crs member and refuses others by name', async () => {
  const named = (name: string) =>
    `{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":${JSON.stringify(name)}}},"features":[]}`;
  for (const name of [
    'urn:ogc:def:crs:OGC:1.3:CRS84',
    'urn:ogc:def:crs:EPSG::4326',
    'EPSG:4326',
    'OGC:CRS84',
    'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
    'urn:ogc:def:crs:EPSG:6.9:4326',
  ])
    assert.deepEqual(await read(named(name)), []);
  assert.deepEqual(await read('{"type":"FeatureCollection","crs":null,"features":[]}'), []);
  assert.match(
    (await problemOf(named('urn:ogc:def:crs:EPSG::32630'))).message,
    /got coordinates in urn:ogc:def:crs:EPSG::32630/,
  );
  assert.match(
    (await problemOf('{"features":[],"type":"FeatureCollection","crs":{"type":"link","properties":{"href":"a.prj"}}}'))
      .message,
    /a\.prj/,
  );
  assert.match(
    (await problemOf('{"type":"FeatureCollection","crs":{"type":"EPSG","properties":{"code":27700}},"features":[]}'))
      .message,
    /EPSG:27700/,
  );
});

test('says what is wrong, where, and at which pointer', async () => {
  const cases: [string, string, RegExp, string?][] = [
    ['', 'empty', /got an empty file/],
    [' \n ', 'empty', /got an empty file/],
    [
      '{"type":"FeatureCollection",\n"features":[{"a":[1,NaN]}]}',
      'invalid_json',
      /got 'N' \(NaN is not JSON; write null\) \(line 2, byte 49, feature 0, at \/features\/0\/a\/1\)/,
      '/features/0/a/1',
    ],
    [
      '{"type":"FeatureCollection","features":[{},{"a":{"b/c":-Infinity}}]}',
      'invalid_json',
      /digit after the minus/,
      '/features/1/a/b~1c',
    ],
    ['[{},{"a":1,}]', 'invalid_json', /member name in double quotes, got '}'/, '/1'],
    ['{"type":"Feature","geometry":{"coordinates":[0,01]}}', 'invalid_json', /leading 0/, '/geometry/coordinates/1'],
    [
      '{"type":"FeatureCollection","features":[{"type":"Feature"',
      'truncated',
      /got the end of the file/,
      '/features/0/type',
    ],
    ['{"type":"FeatureCollection","features":[]', 'truncated', /end of the file/],
    [
      '{"type":"FeatureCollection","features":[]} x',
      'trailing_content',
      /after the end of the FeatureCollection, got 'x'/,
    ],
    ['[]\n{}', 'trailing_content', /after the end of the array/],
    ['{"type":"Point","coordinates":[0,0]} {}', 'trailing_content', /after the end of the object/],
    ['{\n"type":"Point",\n"coordinates":[0,\n0]}0', 'trailing_content', /after the end of the object, got '0'/],
    [
      '{"type":"FeatureCollection","features":[],"features":[]}',
      'duplicate_member',
      /one member "features"/,
      '/features',
    ],
    ['{"type":"FeatureCollection","features":{}}', 'invalid_features', /array as "features", got '{'/, '/features'],
    ['{"type":"FeatureCollection"}', 'missing_features', /got none/],
    ['{"features":[]}', 'missing_type', /no "type"/],
    ['{"type":"Feature","features":[]}', 'invalid_type', /got "Feature"/],
    ['{"features":[],"type":7}', 'invalid_type', /got 7/],
    ['{"type":"Topology"}', 'not_geojson', /TopoJSON/],
    ['{"a":1}', 'not_geojson', /without "type"/],
    ['"text"', 'not_geojson', /begins with { or \[, got '"'/],
    ['lon,lat\n1,2', 'not_geojson', /got 'l'/],
    ['["a\tb"]', 'invalid_json', /control characters must be escaped\), got byte 0x09/],
    [`${'['.repeat(65)}`, 'nesting_too_deep', /at most 64 levels/],
  ];
  for (const [text, code, message, pointer] of cases) {
    const problem = await problemOf(text);
    assert.equal(problem.code, 'malformed_file', text);
    assert.equal(problem.errors[0].code, code, `${text}: ${problem.message}`);
    assert.match(problem.message, message);
    if (pointer !== undefined) assert.equal(problem.errors[0].pointer, pointer);
  }
});

test('names other formats and encodings', async () => {
  const text = '{"type":"FeatureCollection","features":[]}';
  const utf32 = Buffer.alloc(text.length * 4);
  for (let i = 0; i < text.length; i++) utf32.writeUInt32LE(text.charCodeAt(i), i * 4);
  const cases: [string | Uint8Array, RegExp][] = [
    [Buffer.from(text, 'utf16le'), /UTF-16/],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), /UTF-16/],
    [Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), /UTF-16/],
    [utf32, /UTF-32/],
    [Buffer.from('<!DOCTYPE html><html></html>'), /an HTML page/],
    [Buffer.from('<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2">'), /KML/],
    [Buffer.from('\n <gpx/>'), /XML/],
    [Buffer.from('PK\x03\x04rest'), /ZIP/],
    [gzipSync(text), /gzip/],
    [Buffer.from('SQLite format 3\0'), /GeoPackage/],
    [Buffer.from([...encode('[{"a":"'), 0xc3, 0x28, ...encode('"}]')]), /not UTF-8 \(byte 7\)/],
    [Buffer.from([...encode('[{"a":"'), 0xf0, 0x9f]), /not UTF-8 \(byte 7\)/],
    [Buffer.from([...encode('["'), 0xed, 0xa0, 0x80, ...encode('"]')]), /not UTF-8 \(byte 2\)/],
  ];
  for (const [bytes, message] of cases) assert.match((await problemOf(bytes)).message, message);
  assert.equal(gunzipSync(gzipSync(text)).toString(), text);
});

test('stops at the limits', async () => {
  const two = JSON.stringify({ type: 'FeatureCollection', features: [feature, feature] });
  assert.equal((await read(two, { maxFeatures: 2 })).length, 2);
  const many = await problemOf(two, { maxFeatures: 1 });
  assert.deepEqual([many.code, many.status], ['too_large', 413]);
  assert.match(
    many.message,
    /^The file has too many features; wanted at most 1 features, got more \(line 1, byte \d+, feature 1\)\.$/,
  );
  const bytes = encode(JSON.stringify(feature)).length;
  assert.equal((await read(two, { maxFeatureBytes: bytes })).length, 2);
  for (const text of [two, JSON.stringify(feature), `${JSON.stringify(feature)}\n`]) {
    const long = await validateGeojsonStructure(inPieces(encode(text), 9), { maxFeatureBytes: bytes - 1 }).catch(
      (error: unknown) => error,
    );
    assert.ok(long instanceof Problem);
    assert.equal(long.code, 'too_large');
    assert.match(
      long.message,
      /^A feature is too large; wanted at most \d+ bytes, got a longer one \(line 1, byte \d+.*\)$/,
    );
  }
});
