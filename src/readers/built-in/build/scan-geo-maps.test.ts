import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { scanGeoMaps } from './scan-geo-maps.ts';
import { runs } from '../../../../test/property-runs.ts';

let path = '';
before(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'firstmile-scan-')), 'map.geo.json');
});
after(() => rm(join(path, '..'), { recursive: true }));

interface Seen {
  readonly rings: { index: number; vertices: number[] }[];
  readonly texts: string[];
}

async function scan(text: string): Promise<Seen> {
  await writeFile(path, text);
  const seen: Seen = { rings: [], texts: [] };
  scanGeoMaps(path, {
    ring: (coordinates, count, index) => seen.rings.push({ index, vertices: [...coordinates.subarray(0, count * 2)] }),
    text: (value) => seen.texts.push(value),
  });
  return seen;
}

test('reads every ring of what JSON.parse reads, holes and polygons distinguished', async () => {
  const thousandths = (limit: number) => fc.integer({ min: -limit, max: limit });
  const ring = fc.array(fc.tuple(thousandths(180_000), thousandths(90_000)), { minLength: 1, maxLength: 6 });
  const polygons = fc.array(fc.array(ring, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(polygons, async (coordinates) => {
      const degrees = coordinates.map((rings) =>
        rings.map((positions) => positions.map(([x, y]) => [x / 1000, y / 1000])),
      );
      const { rings, texts } = await scan(
        JSON.stringify({
          type: 'Feature',
          geometry: { type: 'MultiPolygon', coordinates: degrees },
          properties: { A3: 'GHA' },
        }),
      );
      assert.deepEqual(
        rings,
        coordinates.flatMap((list) => list.map((positions, index) => ({ index, vertices: positions.flat() }))),
      );
      assert.deepEqual(texts.slice(-2), ['A3', 'GHA']);
    }),
    { numRuns: runs(150) },
  );
});

test('reads numbers and texts that lie across the chunks it reads', async () => {
  const positions = Array.from({ length: 200_000 }, (_, i) => [
    ((i * 7) % 360_000) / 1000 - 180,
    ((i * 3) % 180_000) / 1000 - 90,
  ]);
  const { rings } = await scan(
    JSON.stringify({ type: 'Polygon', coordinates: [positions.map((p) => p.map((n) => Number(n.toFixed(3))))] }),
  );
  assert.equal(rings.length, 1);
  assert.deepEqual(
    rings[0].vertices,
    positions.flatMap((p) => p.map((n) => Math.round(n * 1000) + 0)),
  );
});

for (const [title, text, message] of [
  [
    'more decimals than the format has',
    '{"coordinates":[[[[1.2345,2]]]]}',
    /coordinate with 4 decimals, wanted at most 3/,
  ],
  ['an exponent', '{"coordinates":[[[[1e2,2]]]]}', /the byte 101 where/],
  ['a position of three numbers', '{"coordinates":[[[[1,2,3]]]]}', /position that is not of two numbers/],
  ['an end in the middle', '{"coordinates":[[[[1,2],[3', /ends in the middle/],
] as const) {
  test(`refuses ${title}`, async () => {
    await assert.rejects(scan(text), message);
  });
}
