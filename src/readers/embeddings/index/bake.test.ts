import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../geo/seeded-random.ts';
import {
  indexParquet,
  type IndexFileOptions,
  type IndexRow,
} from '../../../../test/contracts/embeddings/index-file.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import { bakeAefIndex } from './bake.ts';
import { AefIndexError, openSlimIndex, packSlimIndex } from './pack.ts';
import type { IndexedFile } from './rows.ts';

const PREFIX = 's3://bucket/aef/';
const SIDE = 81_920;
const { signal } = new AbortController();

function row(path: string, over: Partial<IndexRow> = {}): IndexRow {
  const utm = [500_000 - SIDE, 60 * SIDE, 500_000, 61 * SIDE] as const;
  return { path: `${PREFIX}${path}`, year: 2024, epsg: 32_616, utm, wgs84: [-88, 44, -87, 45], ...over };
}

const ROWS = [
  row('v1/annual/2024/16N/b.tiff'),
  row('v1/annual/2024/16N/a.tiff', { utm: [500_000, 60 * SIDE, 500_000 + SIDE, 61 * SIDE] }),
  row('v1/annual/2023/16N/c.tiff', { year: 2023 }),
  row('v1/annual/2024/19S/d.tiff', { epsg: 32_719, utm: [500_000, 7_782_400, 581_920, 7_864_320] }),
];

async function bake(bytes: Uint8Array): Promise<Record<string, IndexedFile[]>> {
  const slim = await bakeAefIndex(memorySource('index', bytes), [PREFIX], signal);
  const groups = openSlimIndex(packSlimIndex('aef', 'key', slim, { sourceVersion: '1' }));
  return Object.fromEntries(groups.map((group) => [`${group.epsg} ${group.year}`, group.files()]));
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const error = await bake(bytes).then(
    () => assert.fail('it was taken'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AefIndexError, String(error));
  return error.message;
}

test('files are found by zone and year, in order of their paths, whatever the compression and the names of columns', async () => {
  const variants: IndexFileOptions[] = [
    ...(['SNAPPY', 'GZIP', 'ZSTD', 'BROTLI', 'UNCOMPRESSED'] as const).map((codec) => ({ codec })),
    { rowGroupSize: 2 },
    { without: ['crs', 'fid', 'geometry'] },
    { without: ['utm_zone'], renamed: { path: 'location', crs: 'proj:code' } },
  ];
  for (const options of variants) {
    const groups = await bake(indexParquet(ROWS, options));
    assert.deepEqual(Object.keys(groups), ['32616 2023', '32616 2024', '32719 2024'], JSON.stringify(options));
    assert.deepEqual(
      groups['32616 2024'].map(({ path }) => path),
      ['v1/annual/2024/16N/a.tiff', 'v1/annual/2024/16N/b.tiff'],
    );
    assert.deepEqual(groups['32719 2024'][0], {
      path: 'v1/annual/2024/19S/d.tiff',
      year: 2024,
      epsg: 32_719,
      rect: { left: 50_000, top: 233_568, right: 58_192, bottom: 241_760 },
      footprint: [-88, 44, -87, 45],
    });
  }
});

test('an index without degrees has files without a footprint', async () => {
  const groups = await bake(indexParquet(ROWS, { without: ['wgs84_north'] }));
  assert.equal(groups['32616 2023'][0].footprint, null);
});

test('bounds whose south and north were taken from bottom-up files the wrong way round are those of the same file', async () => {
  const upright = row('v1/annual/2024/16N/b.tiff');
  const turned = (box: IndexRow['utm']): IndexRow['utm'] => [box[0], box[3], box[2], box[1]];
  const swapped = { ...upright, utm: turned(upright.utm), wgs84: turned(upright.wgs84) };
  assert.deepEqual(await bake(indexParquet([swapped])), await bake(indexParquet([upright])));
});

test('an index that lacks columns is refused by the names of what is missing', async () => {
  assert.match(await refusal(indexParquet(ROWS, { without: ['path'] })), /wanted the columns path or location/);
  assert.match(await refusal(indexParquet(ROWS, { without: ['utm_west', 'year'] })), /year, utm_west, got fid, path/);
  assert.match(await refusal(indexParquet(ROWS, { without: ['crs', 'utm_zone'] })), /crs or utm_zone/);
});

test('rows that cannot be true are refused, each for its reason', async () => {
  const cases: [Partial<IndexRow>, RegExp][] = [
    [{ path: 'https://evil.example/a.tiff' }, /wanted paths of TIFF files that begin with s3:.*got "https:\/\/evil/],
    [{ path: `${PREFIX}../a.tiff` }, /wanted paths/],
    [{ year: 20_240 }, /wanted a year from 2000 to 2100, got 20240/],
    [{ epsg: 32_661 }, /wanted a UTM zone on WGS84, got crs EPSG:32661/],
    [{ utm: [500_000, 0, 500_000, 1_000] }, /wanted bounds inside the UTM zone/],
    [{ utm: [500_000, 0, 5e9, 1_000] }, /wanted bounds inside the UTM zone/],
    [{ utm: [Number.NaN, 0, 1_000, 1_000] }, /wanted bounds inside the UTM zone, got no numbers/],
  ];
  for (const [over, message] of cases)
    assert.match(await refusal(indexParquet([...ROWS, row('x.tiff', over)])), message);
});

test('what is no index, an empty one, and one cut short are refused', async () => {
  const whole = indexParquet(ROWS);
  assert.match(await refusal(new TextEncoder().encode('<html>not found, sorry</html>')), /not a usable index/);
  assert.match(await refusal(new Uint8Array(3)), /wanted an index of 12 to/);
  assert.match(await refusal(indexParquet([])), /wanted rows, got none/);
  for (const length of [12, whole.length >> 1, whole.length - 1]) await refusal(whole.slice(0, length));
});

test('an index with any bytes turned over is read or refused, and never takes the process with it', async () => {
  const whole = indexParquet(ROWS, { codec: 'UNCOMPRESSED', without: ['geometry'] });
  const random = seededRandom(11);
  const outcomes = { read: 0, refused: 0 };
  const once = async (): Promise<void> => {
    const bytes = whole.slice();
    for (let i = 0; i < 1 + random() * 3; i++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    const damaged = memorySource('index', bytes);
    await bakeAefIndex(damaged, [PREFIX], AbortSignal.timeout(2_000)).then(
      () => (outcomes.read += 1),
      () => (outcomes.refused += 1),
    );
  };
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 8; i++) await once();
    }),
  );
  assert.equal(outcomes.read + outcomes.refused, 32);
  assert.ok(outcomes.refused > 10);
});
