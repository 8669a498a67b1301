import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MADE_UP_HEAD } from '../../../test/detection-heads.ts';
import { MADE_UP_PLACE } from '../../../test/made-up-embeddings.ts';
import { evidenceOf, rate, pointAt, answer as answerOf } from '../../../test/facility-sources.ts';
import type { CommodityShare } from '../../facilities/sources.ts';
import { networkOf } from '../../geo/detection/logistic-head.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import type { HeadMeta } from '../../readers/models/head-pack.ts';
import type { TrainingReceipt } from '../../readers/models/training-receipt.ts';
import { createAnswerer } from './answer.ts';
import { createHeadClaims } from './claims.ts';
import { PLANTATION } from './heads.ts';
import type { MapReader } from './map-claims.ts';
import { createPixelMemory } from './pixel-memory.ts';
import { createPlantationAnswerer } from './plantations.ts';
import { installedHeads, writeHead } from '../models/installed-models.ts';

const SIDE = 1_000;
const here = pointShape(...MADE_UP_PLACE);
const { signal } = new AbortController();
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'years-'));
});
after(async () => {
  await rm(folder, { recursive: true });
});

type PartOfYear = Readonly<Record<number, number | Error>>;

/** Embeddings of some years, each with the commodity on so large a part of its columns; an error breaks that year. */
function embeddingsOf(parts: PartOfYear): EmbeddingSource {
  const xy = new Float64Array(2);
  utmProjection(47, true).toXY(...MADE_UP_PLACE, xy, 0);
  const rasterOf = (year: number): EmbeddingRaster =>
    ({
      id: `made-up-${year}`,
      year,
      crs: 'EPSG:32647',
      transform: [10, 0, xy[0] - 5 * SIDE, 0, -10, xy[1] + 5 * SIDE],
      covers: (x: number, y: number) => x >= 0 && y >= 0 && x < SIDE && y < SIDE,
      window: (left: number, _top: number, width: number) => {
        const part = parts[year];
        if (part instanceof Error) return Promise.reject(part);
        return Promise.resolve({
          copyRow(_row: number, out: Int8Array) {
            for (let x = 0; x < width; x++) {
              const isThere = ((left + x) * 0.618_034) % 1 < part;
              out.fill(isThere ? 60 : -60, x * BANDS, (x + 1) * BANDS);
            }
          },
        });
      },
    }) as unknown as EmbeddingRaster;
  const newest = Math.max(...Object.keys(parts).map(Number));
  const at = () => Promise.resolve({ raster: rasterOf(newest), x: SIDE / 2, y: SIDE / 2 });
  return {
    dataset: { id: 'made-up-embeddings', version: '1', synthetic: false },
    at,
    rasters: (_box: unknown, year: number | null) =>
      Promise.resolve(year !== null && year in parts ? [rasterOf(year)] : []),
    close: () => Promise.resolve(),
  } as unknown as EmbeddingSource;
}

/** What a head with known errors answers for the share of ground in each year. */
async function ask(parts: PartOfYear, radiusM = 2_000, scores: Partial<TrainingReceipt['scores']> = RATES) {
  const dataDir = join(folder, String(Math.random()));
  const training = { scores } as TrainingReceipt;
  const about: HeadMeta = { ...MADE_UP_HEAD, commodity: 'palm', training };
  const weights = new Float64Array(BANDS);
  weights[0] = 50;
  await writeHead({ dataDir }, 'own', networkOf({ weights, bias: 0 } as never), about);
  const ground = { embeddings: [embeddingsOf(parts)], memory: createPixelMemory(null) };
  const claims = createHeadClaims(await installedHeads({ dataDir }), async () => ground, 60_000);
  const found = await createAnswerer(claims)({ subject: 'palm', shape: here, radiusM }, signal);
  assert.ok(found !== null);
  const none = { around: () => Promise.resolve(null), at: () => Promise.resolve(null) } as unknown as MapReader;
  const mask = await createPlantationAnswerer(claims, none)({ subject: PLANTATION, shape: here, radiusM }, [], signal);
  assert.ok(mask !== null);
  return { ...found.value, mask: mask.value };
}

const RATES = { recall: 0.8, false_positive_rate: 0.05 };

/** The finding of a facility for which that was answered. */
function findingOf(value: CommodityShare) {
  const result = rate(pointAt(...MADE_UP_PLACE), { commodityShare: () => answerOf(value) });
  const { status, detail } = evidenceOf(result, 'commodity_presence') ?? {};
  return { status, value: result.commodity_presence, detail };
}

test('a share is corrected by how often the head is known to err, with an interval', async () => {
  const { share, between, covered, detail } = await ask({ 2024: 0.2 });
  assert.ok(Math.abs(share - (0.2 - 0.05) / 0.75) < 0.05, `${share}`);
  assert.ok(between !== undefined && between[0] < share && share < between[1] && between[1] - between[0] < 0.1);
  assert.equal(covered, 1);
  assert.match(
    detail,
    /(1[7-9]|2[0-3])\.\d % were claimed\. Between .* \(95 %\) after correction for false claims on 5\.0 % /,
  );
});

test('what false claims alone explain is no presence, and absent only where full presence is out of the question', async () => {
  assert.deepEqual([(await ask({ 2024: 0.05 })).between?.[0], findingOf(await ask({ 2024: 0.05 })).value], [0, 0]);
  assert.equal(findingOf(await ask({ 2024: 0.05 })).status, 'absent');
  const few = findingOf(await ask({ 2024: 0 }, 30));
  assert.deepEqual([few.status, few.value], ['unknown', 0.5]);
});

test('a head whose errors are not known is reported as it claims, and says so', async () => {
  const { share, detail } = await ask({ 2024: 0.2 }, 2_000, {});
  assert.ok(Math.abs(share - 0.2) < 0.03);
  assert.match(detail, /\(95 %\), its errors not known\./);
});

test('the two newest years are queried, and nothing is settled where they disagree', async () => {
  assert.match((await ask({ 2023: 0.2, 2024: 0.21 })).detail, /2023 gives (1[7-9]|2[0-3])\.\d %, which agrees\.$/);
  const planted = await ask({ 2022: 0.9, 2023: 0, 2024: 0.3 });
  assert.match(planted.detail, /The two newest years disagree: 2023 gives 0\.0 %, 2024 3\d\.\d %\.$/);
  assert.deepEqual([findingOf(planted).status, findingOf(planted).value], ['unknown', 0.5]);
  const cleared = findingOf(await ask({ 2023: 0.3, 2024: 0 }));
  assert.deepEqual([cleared.status, cleared.value], ['unknown', 0.5]);
  const grown = await ask({ 2023: 0.2, 2024: 0.6 });
  assert.equal(findingOf(grown).status, 'present');
  assert.ok(grown.between !== undefined && grown.between[1] - grown.between[0] > 0.4);
});

test('the plantation mask looks at both years as its heads do', async () => {
  const { mask: steady } = await ask({ 2023: 0.2, 2024: 0.21 });
  assert.match(steady.detail, /2023 gives .*, which agrees\.$/);
  const { mask: planted } = await ask({ 2023: 0, 2024: 0.3 });
  assert.match(planted.detail, /The two newest years disagree: 2023 gives 0\.0 %, 2024 2\d\.\d %\.$/);
  assert.ok(planted.share > 0.2);
  assert.deepEqual(planted.between, [0, 1]);
  assert.notDeepEqual(steady.between, [0, 1]);
});

test('a year before that cannot be read leaves the newest one to answer, and the receipt says so', async () => {
  const { detail } = await ask({ 2023: new Error('gone'), 2024: 0.3 });
  assert.match(detail, /The year before could not be read in time, so 2024 stands alone\.$/);
});
