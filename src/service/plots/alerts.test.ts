import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { utmProjection } from '../../geo/crs/utm.ts';
import { castVote, type Vote } from '../../plots/cast-vote.ts';
import { converge } from '../../plots/converge.ts';
import type { Evidence } from '../../plots/evidence.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { PUBLIC_RASTERS } from '../../readers/rasters/public-rasters.ts';
import { openHostileSite } from '../../../test/hostile-site.ts';
import { boxPolygon } from '../../../test/made-up-rasters.ts';
import { zoneStrips, type ZoneStrips } from '../../../test/zone-strips.ts';
import { alertLayers } from './alerts.ts';
import { openPlotStatistics, type MeasurablePlot } from './statistics.ts';

const site = openHostileSite();
const { signal } = new AbortController();
const CONFIG = { cacheMaxMb: 64, forestMemoryMb: 500, forestThreads: 1, taskConcurrency: 1 } as const;
let folder = '';
beforeEach(() => {
  site.files.clear();
  folder = mkdtempSync(join(tmpdir(), 'firstmile-alerts-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Pixels of 30 m, as wide as a zone with the tiles that reach over its edges. */
const WIDTH = 26_000;
const HEIGHT = 2_000;
const WEST = 110_000;
/** Days after 2020-12-31 of 2024-07-01 and 2026-03-01. */
const [IN_2024, IN_2026] = [1278, 1886];

interface Ground {
  readonly zone: number;
  /** Upper left corner of the file in metres, as EPSG:326xx has it. */
  readonly north: number;
  readonly width?: number;
  readonly height?: number;
  readonly status: (column: number) => number;
  readonly days: (column: number) => number;
  /** Rows that have them; the others have no alert. */
  readonly rows: readonly number[];
  readonly change?: Partial<ZoneStrips>;
}

/** Puts both files of a zone at the site, under the names of the real ones. */
function put({ zone, north, width = WIDTH, height = HEIGHT, status, days, rows, change }: Ground): void {
  const name = `${String(zone).padStart(2, '0')}.tif`;
  const common = { epsg: 32_600 + zone, width, height, west: WEST, north, pixel: 30, ...change };
  const at = (value: (column: number) => number) => new Map(rows.map((row) => [row, value] as const));
  site.files.set(
    `/VEG-DIST-STATUS/${name}`,
    zoneStrips({ ...common, sampleType: 'uint8', blank: 0, rows: at(status) }),
  );
  site.files.set(`/VEG-DIST-DATE/${name}`, zoneStrips({ ...common, sampleType: 'int16', blank: 0, rows: at(days) }));
}

/** The entries of the catalogue at the site, with a sentinel that is there. */
function datasets(sentinel: readonly [number, number] = [33, 0.05]): readonly Dataset[] {
  return (PUBLIC_RASTERS as readonly Dataset[])
    .filter(({ role }) => role === 'alerts' || role === 'alert-dates')
    .map((entry) => ({
      ...entry,
      url: `${site.base}/${entry.url?.split('/').slice(-2).join('/')}`,
      contract: { ...entry.contract!, sentinel },
    }));
}

function sentinelZone(): void {
  put({ zone: 36, north: 20_000, status: () => 0, days: () => 0, rows: [] });
}

/** A plot of pixels of a file, from its upper left corner on. */
function pixels(zone: number, north: number, x0: number, y0: number, x1: number, y1: number): MeasurablePlot {
  const { toLonLat } = utmProjection(zone, true);
  const place = new Float64Array(2);
  const corner = (x: number, y: number): number[] => {
    toLonLat(WEST + 30 * x, north - 30 * y, place, 0);
    return [((place[0] + 540) % 360) - 180, place[1]];
  };
  const ring = [corner(x0, y0), corner(x0, y1), corner(x1, y1), corner(x1, y0), corner(x0, y0)];
  return { geometry: { type: 'Polygon', coordinates: [ring] }, statedHa: null };
}

async function evidenceOn(sets: readonly Dataset[], ...plots: readonly MeasurablePlot[]): Promise<readonly Evidence[]> {
  const measurer = openPlotStatistics(sets, { ...CONFIG, dataDir: folder });
  const statistics = await measurer.measure(plots, signal);
  await measurer.close();
  return statistics.map(({ evidence = [] }) => {
    const [one] = evidence;
    assert.ok(one !== undefined && evidence.length === 1 && one.indicator === 'disturbance_after_2020');
    return one;
  });
}

const PLOT = { areaHa: 9, ground: 'polygon', until: '2026-11-26' } as const;

async function voteOn(sets: readonly Dataset[], plot: MeasurablePlot): Promise<Vote> {
  const [evidence] = await evidenceOn(sets, plot);
  return castVote(evidence!, PLOT);
}

/** South of the equator in the Amazon: the files count metres of the northern zone, below 0. */
const BRAZIL = { zone: 22, north: -1_000_000 } as const;
const onAlerts = (): MeasurablePlot => pixels(22, BRAZIL.north, 8_000, 1_000, 8_010, 1_010);
const ROWS = Array.from({ length: 10 }, (_, i) => 1_000 + i);

describe('alerts of the public map', () => {
  it('that are sure in every coding are a vote, south of the equator too', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: (x) => (x < 8_004 ? 6 : 0), days: () => IN_2024, rows: ROWS });
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts, vote.coveredShare, vote.contract], ['yes', true, 1, 'held']);
    assert.ok(Math.abs((vote.areaHa ?? 0) - 40 * 0.09) < 0.01, `${vote.areaHa} ha`);
  });

  const doubts: readonly (readonly [name: string, status: number])[] = [
    ['1, low and not confirmed in both codings', 1],
    ['3, confirmed in one coding', 3],
    ['4, confirmed in the other', 4],
    ['5, confirmed with low loss in one', 5],
    ['9, which no coding has', 9],
  ];
  for (const [name, status] of doubts)
    it(`of status ${name}, raise a doubt and no more`, async () => {
      sentinelZone();
      put({ ...BRAZIL, status: () => status, days: (x) => (x < 8_005 ? IN_2024 : IN_2026), rows: ROWS });
      const vote = await voteOn(datasets(), onAlerts());
      assert.deepEqual([vote.state, vote.counts, vote.areaHa], ['unknown', true, 0]);
      assert.equal(
        vote.reason,
        'glad-dist-alert has alerts on 100.0 % of the plot, seen first in 2024 to 2026. How sure they are is not known.',
      );
    });

  it('are of the coding of eight states where a status 7 or 8 is found', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: (x) => (x % 2 === 0 ? 8 : 4), days: () => IN_2026, rows: ROWS });
    const vote = await voteOn(datasets(), onAlerts());
    // 4 is a first alert there, and not confirmed as in the other coding.
    assert.equal(vote.state, 'yes');
    assert.ok(Math.abs((vote.areaHa ?? 0) - 4.5) < 0.01, `${vote.areaHa} ha`);
  });

  it('without a day raise a doubt, however sure they are', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 6, days: () => 0, rows: ROWS });
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts], ['unknown', true]);
    assert.match(vote.reason ?? '', /alerts on 100\.0 % of the plot\. How sure/);
  });

  it('that are not there clear nothing, and count for nothing', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 0, days: () => 0, rows: ROWS });
    const [evidence] = await evidenceOn(datasets(), onAlerts());
    const vote = castVote(evidence!, PLOT);
    assert.deepEqual([vote.state, vote.counts, vote.coveredShare], ['unknown', false, 1]);
    assert.match(vote.reason ?? '', /no alert on the plot, which does not say that nothing was lost/);
    const about = { version: '1', date: '2020', synthetic: false, contract: 'held', coveredShare: 1 } as const;
    const trees = { ...about, indicator: 'forest_2020', dataset: 'trees', yesHa: 9 } as const;
    const crops = { ...about, indicator: 'commodities_2020', dataset: 'crops', yesHa: 0 } as const;
    const older = { ...about, indicator: 'disturbance_before_2020', dataset: 'losses', yesHa: 9 } as const;
    const others: readonly Evidence[] = [trees, crops, older];
    // Where nobody else looked at losses, the plot stays open: no alert is no "no".
    const alone = converge([...others, evidence!], 'coffee', PLOT);
    assert.equal(alone.indicators.find(({ indicator }) => indicator === 'disturbance_after_2020')?.state, 'unknown');
    assert.notEqual(alone.verdict, 'low');
    // Where somebody did, it changes nothing.
    const losses = { ...about, indicator: 'disturbance_after_2020', dataset: 'losses', yesHa: 0 } as const;
    assert.equal(converge([...others, losses, evidence!], 'coffee', PLOT).verdict, 'low');
  });

  it('without data on the plot count for nothing', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 255, days: () => 0, rows: ROWS });
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts, vote.coveredShare], ['unknown', false, 0]);
    assert.match(vote.reason ?? '', /covers 0\.0 % of it/);
  });

  it('are read for a few rows of a file of half a million strips', async () => {
    sentinelZone();
    const tall = { ...BRAZIL, north: 8_000_000, height: 530_000 };
    const row = (8_000_000 + 1_030_000) / 30;
    const rows = Array.from({ length: 10 }, (_, i) => row + i);
    put({ ...tall, status: () => 6, days: () => IN_2026, rows });
    const size = site.files.get('/VEG-DIST-STATUS/22.tif')?.length ?? 0;
    assert.ok(size > 6_000_000, `${size} bytes: the tables alone are large`);
    const good = site.handler;
    let bytes = 0;
    site.handler = (request, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      bytes += Number(to) - Number(from) + 1;
      good(request, response);
    };
    const plot = pixels(22, tall.north, 8_000, row, 8_010, row + 10);
    assert.equal((await voteOn(datasets(), plot)).state, 'yes');
    // Of both files: header, a piece of each of two tables, strips; and two sentinels.
    assert.ok(bytes < 2_000_000, `${bytes} bytes`);
    assert.ok(site.requests.length <= 20, site.requests.join('\n'));
  });

  it('are read in the one file of the middle of a plot, on the edge of two zones', async () => {
    sentinelZone();
    // 36 degrees east is the edge of zones 36 and 37; files of both reach over it.
    for (const zone of [36, 37])
      put({
        zone,
        north: 30_000,
        status: () => (zone === 36 ? 6 : 0),
        days: () => IN_2026,
        rows: Array.from({ length: 2_000 }, (_, i) => i),
      });
    const box = (west: number): MeasurablePlot => ({
      geometry: boxPolygon(west, 0.05, west + 0.003, 0.053),
      statedHa: null,
    });
    const found = await evidenceOn(datasets([33, 0.05]), box(36 - 0.002), box(36 - 0.001));
    const yes = found.map((one) => ('yesHa' in one ? [one.yesHa > 10, one.coveredShare] : one.reason));
    assert.deepEqual(yes, [
      [true, 1],
      [false, 1],
    ]);
  });

  it('are measured once on a plot across the antimeridian', async () => {
    sentinelZone();
    const rows = Array.from({ length: 2_000 }, (_, i) => i);
    for (const zone of [1, 60]) put({ zone, north: -1_800_000, status: () => 6, days: () => IN_2026, rows });
    const ring = [
      [179.998, -16.5],
      [-179.999, -16.5],
      [-179.999, -16.503],
      [179.998, -16.503],
      [179.998, -16.5],
    ];
    const [found] = await evidenceOn(datasets(), {
      geometry: { type: 'Polygon', coordinates: [ring] },
      statedHa: null,
    });
    assert.ok(found !== undefined && 'yesHa' in found && found.coveredShare === 1, JSON.stringify(found));
    // 0.003 degrees each way at 16.5 degrees south.
    assert.ok(Math.abs(found.yesHa - 10.63) < 0.05, `${found.yesHa} ha`);
    const named = site.requests.filter((path) => /(01|60)\.tif/.test(path));
    assert.ok(named.length > 0 && new Set(named.map((path) => path.slice(-6))).size === 1, named.join('\n'));
  });

  it('are unknown, and counted as unknown, where a file lies in another zone', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 0, days: () => 0, rows: ROWS, change: { epsg: 32_621 } });
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts, vote.areaHa], ['unknown', true, null]);
  });

  it('are unknown, and counted as unknown, where the address answers 404 to everything', async () => {
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts, vote.areaHa], ['unknown', true, null]);
    assert.equal(vote.contract, 'broken');
  });

  it('have no data in a zone without a file, while the sentinel is there', async () => {
    sentinelZone();
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts, vote.coveredShare], ['unknown', false, 0]);
  });

  it('are unknown where they are there and their days are not', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 6, days: () => IN_2026, rows: ROWS });
    const good = site.handler;
    site.handler = (request, response) =>
      request.url?.includes('DATE/22') === true
        ? response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
        : good(request, response);
    const vote = await voteOn(datasets(), onAlerts());
    assert.deepEqual([vote.state, vote.counts], ['unknown', true]);
    assert.match(vote.reason ?? '', /^glad-dist-alert-dates: /);
  });

  it('are never read with the tables of a file that was replaced meanwhile', async () => {
    sentinelZone();
    put({ ...BRAZIL, status: () => 0, days: () => 0, rows: ROWS });
    // What lies in the cache on disk is of the file that was opened; without one, every strip is requested.
    const measurer = openPlotStatistics(datasets(), { ...CONFIG, dataDir: folder, cacheMaxMb: 0 });
    const measured = async (plot: MeasurablePlot): Promise<Evidence> => {
      const [{ evidence = [] }] = await measurer.measure([plot], signal);
      return evidence[0]!;
    };
    const first = await measured(onAlerts());
    assert.ok('yesHa' in first && first.yesHa === 0);
    // New images came in: other rows, so that other strips lie at the old places.
    const more = [1_500, 1_501, 1_502, 1_503, 1_504, ...ROWS];
    put({ ...BRAZIL, status: () => 6, days: () => IN_2026, rows: more });
    const elsewhere = pixels(22, BRAZIL.north, 9_000, 1_500, 9_010, 1_505);
    const during = await measured(elsewhere);
    assert.ok('reason' in during || during.yesHa > 4, JSON.stringify(during));
    const then = await measured(elsewhere);
    assert.ok('yesHa' in then && Math.abs(then.yesHa - 4.5) < 0.01, JSON.stringify(then));
    const again = await measured(onAlerts());
    assert.ok('yesHa' in again && Math.abs(again.yesHa - 9) < 0.02, JSON.stringify(again));
    await measurer.close();
  });

  it('name the map of their days, or are refused', () => {
    const [alerts, dates] = datasets();
    assert.equal(alertLayers([alerts!, dates!]).length, 1);
    assert.throws(() => alertLayers([alerts!]), CatalogueError);
    assert.throws(() => alertLayers([{ ...alerts!, options: {} }, dates!]), CatalogueError);
    assert.throws(() => alertLayers([alerts!, { ...dates!, options: { epoch: '2020' } }]), CatalogueError);
  });
});
