import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { codesOf, MADE_UP_HEAD, MODEL_FOLDER, testVectors } from '../../../test/detection-heads.ts';
import { MADE_UP_PLACE, MADE_UP_SIDE, writeEmbeddings } from '../../../test/made-up-embeddings.ts';
import { boxPolygon } from '../../../test/made-up-rasters.ts';
import { needsSharedData, SHARED_DATA } from '../../../test/shared-data.ts';
import { utmProjection } from '../../geo/crs/utm.ts';
import { networkOf } from '../../geo/detection/logistic-head.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import { castVote, type Vote } from '../../plots/cast-vote.ts';
import { converge } from '../../plots/converge.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { HeadMeta } from '../../readers/models/head-pack.ts';
import { installModel, publishedModel, removeHeads, writeHead } from '../models/installed-models.ts';
import { openPlotStatistics, type MeasurablePlot } from './statistics.ts';

const SIDE = MADE_UP_SIDE;
const [SOIL, PALM] = [-60, 60];
const { signal } = new AbortController();
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'head-votes-'));
});
after(() => rm(folder, { recursive: true }));

/** A box of pixels of the embeddings: columns and rows from their upper left corner, less a part of a pixel at each side. */
function plot(x0: number, y0: number, x1: number, y1: number) {
  const xy = new Float64Array(2);
  const utm = utmProjection(47, true);
  utm.toXY(...MADE_UP_PLACE, xy, 0);
  const [west, north] = [xy[0] - 5 * SIDE, xy[1] + 5 * SIDE];
  const corner = (x: number, y: number): [number, number] => {
    const out = new Float64Array(2);
    utm.toLonLat(west + 10 * x, north - 10 * y, out, 0);
    return [out[0], out[1]];
  };
  const ring = [corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1), corner(x0, y0)];
  return { geometry: { type: 'Polygon', coordinates: [ring] }, statedHa: null };
}

interface Setting {
  /** Code of every band of a pixel. */
  readonly code?: (column: number, row: number) => number;
  readonly heads?: Readonly<Record<string, Partial<HeadMeta>>>;
  readonly embeddings?: Partial<Dataset>;
}

async function open({ code = () => PALM, heads = { palm: {} }, embeddings = {} }: Setting) {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const dataset = await writeEmbeddings(dataDir, (column, row) => new Int8Array(BANDS).fill(code(column, row)), {
    date: '2020',
    ...embeddings,
  });
  const head = networkOf({ weights: Array.from({ length: BANDS }, (_, band) => (band === 0 ? 50 : 0)), bias: 0 });
  for (const [commodity, about] of Object.entries(heads))
    await writeHead({ dataDir }, `made-up-${commodity}`, head, { ...MADE_UP_HEAD, commodity, ...about });
  const failures: string[] = [];
  const config = { dataDir, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
  const measurer = openPlotStatistics([dataset], config, (id) => failures.push(id));
  return { dataDir, dataset, measurer, failures };
}

async function votesOn(setting: Setting, ...plots: readonly MeasurablePlot[]): Promise<Vote[][]> {
  const { measurer } = await open(setting);
  const statistics = await measurer.measure(plots, signal);
  await measurer.close();
  return statistics.map(({ evidence = [], areaHa, ground }) =>
    evidence.map((one) => castVote(one, { areaHa, ground, until: '2024-12-31' })),
  );
}

describe('the vote of a detection head', () => {
  it('is the share of the plot above its threshold, by the part of each pixel inside, on embeddings of 2020', async () => {
    const [[vote], [soil]] = await votesOn(
      { code: (x) => (x < 104 ? PALM : SOIL) },
      plot(99.5, 100, 109.5, 110),
      plot(120, 120, 130, 130),
    );
    const { share, areaHa, coveredShare, state, ...about } = vote!;
    assert.deepEqual([share, coveredShare, state], [0.45, 1, 'yes']);
    assert.ok(Math.abs(areaHa! - 0.45) < 0.002, `${areaHa} ha`);
    assert.deepEqual(about, {
      indicator: 'commodities_2020',
      dataset: 'made-up-palm',
      version: '7',
      date: '2020',
      synthetic: false,
      contract: 'local',
      commodity: 'palm',
      embeddings: { dataset: 'made-up-embeddings', version: '1', year: 2020 },
      ageYears: 4,
      reason: null,
      counts: true,
    });
    assert.deepEqual([soil?.state, soil?.share], ['no', 0]);
  });

  it('is none on embeddings of another year, beyond its latitudes, of no crop, and without embeddings', async () => {
    const here = plot(100, 100, 110, 110);
    assert.deepEqual(await votesOn({ embeddings: { date: '2023' } }, here), [[]]);
    assert.deepEqual(await votesOn({ heads: { palm: { latitude: 3 } } }, here), [[]]);
    assert.deepEqual(await votesOn({ heads: { plantation: {}, 'built-up': {} } }, here), [[]]);
    const away = { geometry: boxPolygon(102.5, 3.5, 102.501, 3.501), statedHa: null };
    const outside = { geometry: boxPolygon(12.5, 3.5, 12.501, 3.501), statedHa: null };
    assert.deepEqual(await votesOn({}, away, outside), [[], []]);
  });

  it('is unknown where the part without data decides, and no only where there is none', async () => {
    const half = (code: number) => ({ code: (x: number) => (x < 105 ? NODATA : code) });
    const [[open]] = await votesOn(half(SOIL), plot(100, 100, 110, 110));
    assert.deepEqual([open?.state, open?.coveredShare], ['unknown', 0.5]);
    assert.match(open?.reason ?? '', /covers 50\.0 % of the plot/);
    const [[found]] = await votesOn(half(PALM), plot(100, 100, 110, 110));
    assert.deepEqual([found?.state, found?.share], ['yes', 0.5]);
    const [[empty], [edge]] = await votesOn(
      { code: (x) => (x < 120 ? NODATA : SOIL) },
      plot(100, 100, 110, 110),
      plot(235, 100, 245, 110),
    );
    assert.deepEqual([empty?.state, empty?.reason], ['unknown', 'made-up-embeddings has no data of 2020 there.']);
    assert.deepEqual([edge?.state, edge?.coveredShare], ['unknown', 0.5]);
  });

  it('is unknown where the plot reaches beyond the ground it was fitted on', async () => {
    const bbox = [102, 3.1, MADE_UP_PLACE[0] + 0.001, 3.3] as const;
    const [[vote], [inside]] = await votesOn(
      { heads: { palm: { bbox } } },
      plot(100, 100, 139, 110),
      plot(100, 100, 110, 110),
    );
    assert.equal(vote?.state, 'unknown');
    assert.match(vote?.reason ?? '', /reaches beyond the ground that made-up-palm knows/);
    assert.equal(inside?.state, 'yes');
  });

  it('counts for a commodity of its own crop group alone', async () => {
    const { measurer } = await open({ heads: { palm: {}, soy: {} } });
    const [{ evidence = [], areaHa }] = await measurer.measure([plot(100, 100, 110, 110)], signal);
    await measurer.close();
    const counted = (commodity: string) =>
      converge(evidence, commodity, { areaHa, ground: 'polygon', until: '2024-12-31' })
        .votes.filter(({ counts }) => counts)
        .map(({ dataset }) => dataset);
    assert.deepEqual(counted('cocoa'), ['made-up-palm']);
    assert.deepEqual(counted('soy'), ['made-up-soy']);
    assert.deepEqual(counted('timber'), ['made-up-palm', 'made-up-soy']);
    const { votes } = converge(evidence, 'cocoa', { areaHa, ground: 'polygon', until: '2024-12-31' });
    assert.match(votes.find(({ counts }) => !counts)?.reason ?? '', /a detection head of soy does not clear/);
  });

  it('of made-up ground is that of heads that were fitted on such ground, and the reverse', async () => {
    const here = plot(100, 100, 110, 110);
    const heads = { palm: {}, cocoa: { synthetic: true } } as const;
    const [made] = await votesOn({ heads, embeddings: { synthetic: true } }, here);
    assert.deepEqual(
      made?.map(({ dataset, synthetic }) => [dataset, synthetic]),
      [['made-up-cocoa', true]],
    );
    const [real] = await votesOn({ heads }, here);
    assert.deepEqual(
      real?.map(({ dataset }) => dataset),
      ['made-up-palm'],
    );
  });

  it('of a large plot is that of a sample, and unknown where the sample does not settle it', async () => {
    const part = (share: number) => ({
      code: (x: number, y: number) => ((x * 0.618_034 + y * 0.414_214) % 1 < share ? PALM : SOIL),
    });
    const large = plot(10, 10, 230, 230);
    const [[half]] = await votesOn(part(0.5), large);
    assert.equal(half?.state, 'yes');
    assert.ok(Math.abs(half.share! - 0.5) < 0.03, `${half.share}`);
    const [[near]] = await votesOn(part(0.1), large);
    assert.equal(near?.state, 'unknown');
    assert.match(
      near.reason ?? '',
      /finds between \d+\.\d % and 1\d\.\d % by \d+ sampled pixels, which does not settle it/,
    );
    const [[little]] = await votesOn(part(0.02), large);
    assert.equal(little?.state, 'no');
    const [[larger]] = await votesOn({}, { geometry: boxPolygon(102.05, 3.15, 102.2, 3.3), statedHa: null });
    assert.match(larger?.reason ?? '', /plots above 10000 hectares are not looked at/);
  });

  it('is unknown with the reason where embeddings or the head cannot be read, which is reported once', async () => {
    const { dataset, measurer, failures } = await open({});
    await writeFile(dataset.path!, 'no longer a TIFF');
    const plots = Array.from({ length: 6 }, (_, i) => plot(100 + i, 100, 110 + i, 110));
    const statistics = await measurer.measure(plots, signal);
    await measurer.close();
    for (const { evidence = [] } of statistics)
      assert.deepEqual(
        evidence.map((one) => ('reason' in one ? [one.dataset, one.reason] : null)),
        [['made-up-palm', 'made-up-embeddings: its data could not be read']],
      );
    // Diversity is measured on the same file, and reports each plot.
    assert.deepEqual([...new Set(failures)], ['made-up-embeddings']);
    const damaged = await open({});
    const path = join(damaged.dataDir, 'models', 'made-up-palm.head');
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(7, bytes.length - 200));
    const [{ evidence = [] }] = await damaged.measurer.measure([plot(100, 100, 110, 110)], signal);
    await damaged.measurer.close();
    assert.deepEqual(
      evidence.map((one) => 'reason' in one && one.reason),
      ['made-up-palm: its data could not be read'],
    );
    assert.deepEqual(damaged.failures, ['made-up-palm']);
  });

  it('follows what is installed: none without a head, and one as soon as there is one', async () => {
    const { dataDir, measurer } = await open({});
    const here = [plot(100, 100, 110, 110)];
    const voters = async () => (await measurer.measure(here, signal))[0].evidence?.map(({ dataset }) => dataset);
    assert.deepEqual(await voters(), ['made-up-palm']);
    await removeHeads({ dataDir }, 'made-up-palm');
    assert.deepEqual(await voters(), []);
    await measurer.close();
  });

  it('is not waited for by a batch that was stopped', async () => {
    const { measurer } = await open({});
    const stop = new AbortController();
    const measuring = measurer.measure([plot(100, 100, 110, 110)], stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(measuring, /stopped/);
    await measurer.close();
  });

  it(
    'of the published heads is what the original model says of real pixels',
    needsSharedData(MODEL_FOLDER),
    async () => {
      const vectors = Object.entries(testVectors()).filter(([commodity]) =>
        publishedModel('fdp-2025b').heads.some((head) => head.commodity === commodity),
      );
      assert.equal(vectors.length, 4);
      // Each vector fills columns of its own, two pixels wide.
      const all = vectors.flatMap(([commodity, own]) =>
        own.map((one) => ({ commodity, ...one, codes: codesOf(one.x) })),
      );
      const dataDir = await mkdtemp(join(folder, 'real-'));
      const dataset = await writeEmbeddings(dataDir, (x) => all[Math.floor(x / 2) % all.length].codes, {
        date: '2020',
      });
      await installModel({ dataDir }, publishedModel('fdp-2025b'), join(SHARED_DATA, MODEL_FOLDER), () => {}, signal);
      const config = { dataDir, cacheMaxMb: 0, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 };
      const measurer = openPlotStatistics([dataset], config);
      const statistics = await measurer.measure(
        all.map((_, i) => plot(2 * i + 0.1, 100, 2 * i + 1.9, 110)),
        signal,
      );
      await measurer.close();
      let claimed = 0;
      all.forEach(({ commodity, calibrated }, i) => {
        const { threshold } = publishedModel('fdp-2025b').heads.find((head) => head.commodity === commodity)!;
        const { evidence = [], areaHa, ground } = statistics[i];
        const one = evidence.find(({ dataset: id }) => id === `fdp-2025b-${commodity}`)!;
        const vote = castVote(one, { areaHa, ground, until: '2024-12-31' });
        const isThere = calibrated >= threshold;
        assert.deepEqual([vote.state, vote.share], isThere ? ['yes', 1] : ['no', 0], `${commodity} ${calibrated}`);
        claimed += Number(isThere);
      });
      assert.ok(claimed > 0 && claimed < all.length, `${claimed} of ${all.length}`);
    },
  );
});
