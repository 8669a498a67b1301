import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noData } from '../../../test/facility-sources.ts';
import { BATCH_OPTIONS } from '../../../test/memory/collections.ts';
import type { BatchOptions } from '../../collections/collection.ts';
import type { PlotRecord, PlotStatistics } from '../../collections/plot-record.ts';
import { readConfig } from '../../config/settings.ts';
import type { Places } from '../../readers/built-in/places.ts';
import type { LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import { unpackRecords } from '../../db/collections/read-collections.ts';
import type { Checkpoint } from '../../jobs/checkpoints.ts';
import type { TaskContext } from '../../jobs/task.ts';
import { batchTask, checkTask, type BatchParts, type PlotToMeasure } from './batch.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from './collection-task.ts';
import { FEATURE_BYTES } from '../facilities/facilities.ts';
import { createLocationService } from '../locations/locations.ts';
import { unmeasured } from '../plots/unmeasured.ts';

const OPTIONS: BatchOptions = { ...BATCH_OPTIONS, cropType: null };
const PARAMS = {
  collectionId: 'c',
  collection: { id: 'c', userId: 'u', name: 'n', description: '', createdAt: new Date(0).toISOString() },
  reading: {
    locations: {
      locationType: 'plot',
      commodity: null,
      country: null,
      mapping: {},
      geocode: true,
      crs: null,
      sheets: null,
    },
    facility: { commodity: null, commodityText: null, commodityRadiusM: 5_000, checkTimeoutMs: 1_000 },
  },
} as unknown as CollectionTaskParams;
interface PlotProperties {
  readonly plot_checks: readonly { readonly check: string; readonly status: string; readonly detail: string }[];
  readonly plot_valid: boolean;
  readonly warnings: readonly { readonly code: string }[];
}

/** Every tenth place has an address alone; the last is where the first is. */
const ROWS = 120;
const CSV = [
  'id,lat,lon,address,area_ha',
  ...Array.from({ length: ROWS }, (_, i) => {
    const at = i === ROWS - 1 ? 0 : i;
    return at % 10 === 5
      ? `p${i},,,Street ${i},1`
      : `p${i},${(1 + at / 100).toFixed(6)},${(2 + at / 100).toFixed(6)},,1`;
  }),
].join('\n');

/** Forest lost in 2022 on every plot south of 1.3 N, nothing known of the others. */
function statisticsOf({ geometry }: PlotToMeasure): PlotStatistics {
  const [, lat] = (geometry as { coordinates: [number, number] }).coordinates;
  const none = unmeasured('no dataset covers the plot');
  if (lat >= 1.3) return { ...none, areaHa: 1 };
  const use = { status: 'measured', version: '1', synthetic: false, coveredShare: 1 } as const;
  const lost = { 2022: 0.75 };
  const losses = [{ ...use, dataset: 'l', lossHa: lost, inBaselineHa: lost, years: [2001, 2025] }] as const;
  return { ...none, areaHa: 1, baseline: { ...use, dataset: 'm', forestHa: 1 }, losses };
}

/** What outlives a worker, and what the world was asked. */
function world() {
  const asked: string[] = [];
  const measured: unknown[] = [];
  const stored: { part: Checkpoint; bytes: Uint8Array }[] = [];
  const geocoder: LiveGeocoder = {
    id: 'g',
    name: 'g',
    async query(query) {
      asked.push(JSON.stringify(query));
      const found = {
        precision: 'street',
        confidence: 0.2,
        name: 'x',
        country: null,
        admin1: null,
        provider: 'g',
      } as const;
      return { at: [5, 6], ...found };
    },
  };
  const config = readConfig({});
  const data = { sources: noData(), citation: () => null, datasets: [] };
  const places = {
    use: <R>(ask: (reader: Places) => R) => ask({ named: () => [], coded: () => [], similar: () => [] }),
    ready: Promise.resolve(),
  };
  const locations = createLocationService({ ...data, places, geocoders: [geocoder] }, config, FEATURE_BYTES.asTask);
  const parts: BatchParts = {
    locations,
    data,
    config,
    async measure(plots) {
      measured.push(...plots);
      return plots.map(statisticsOf);
    },
    async *writeReport(collection, records) {
      const numbers: number[] = [];
      for await (const { number } of records()) numbers.push(number);
      yield new TextEncoder().encode(JSON.stringify([collection.counts?.locations, numbers.length]));
    },
  };
  /** A worker that dies after it has kept so many parts. */
  function context(options: BatchOptions | null, dieAfter = Infinity): { context: TaskContext; written: Uint8Array[] } {
    const written: Uint8Array[] = [];
    let kept = 0;
    return {
      written,
      context: {
        params: { ...PARAMS, options },
        input: (async function* () {
          yield new TextEncoder().encode(CSV);
        })(),
        signal: new AbortController().signal,
        write: async (bytes) => void written.push(bytes),
        progress() {},
        kept: {
          list: async () => stored.map(({ part }) => structuredClone(part)),
          crashes: async () => ({ count: 0, bySteps: {} }),
          begin() {},
          async keep(part, bytes) {
            if (kept++ >= dieAfter) throw new Error('the worker died');
            stored[part.seq] = { part, bytes };
          },
          read: async (seq) => stored[seq]!.bytes,
        },
      },
    };
  }
  const records = async (): Promise<PlotRecord[]> =>
    (await Promise.all(stored.map(({ bytes }) => unpackRecords(bytes)))).flat();
  return { asked, measured, stored, parts, context, records };
}

describe('a batch', () => {
  it('that goes on after a crash queries and measures only what is not kept, and has the same records', async () => {
    const whole = world();
    await batchTask(whole.parts)(whole.context(OPTIONS).context);
    const resumed = world();
    await assert.rejects(batchTask(resumed.parts)(resumed.context(OPTIONS, 1).context), /the worker died/);
    const keptFirst = resumed.stored[0]!.part.count;
    assert.ok(keptFirst > 0 && keptFirst < ROWS);
    const asked = [...resumed.asked];
    resumed.asked.length = resumed.measured.length = 0;
    const { summary } = await batchTask(resumed.parts)(resumed.context(OPTIONS).context);
    assert.deepEqual(await resumed.records(), await whole.records());
    const located = (rows: readonly PlotRecord[]) => rows.filter(({ problem }) => problem === null).length;
    const rest = (await whole.records()).slice(keptFirst);
    assert.equal(resumed.measured.length, located(rest));
    const again = resumed.asked.filter((query) => asked.slice(0, Math.floor(keptFirst / 10)).includes(query));
    assert.deepEqual(again, [], 'no address of a kept location is looked up again');
    assert.equal((summary as CollectionTaskSummary).counts.locations, ROWS);
    const known = (await whole.records()).filter(({ statistics }) => statistics?.baseline.status === 'measured').length;
    assert.ok(known > 0 && known < whole.measured.length);
    assert.equal((summary as CollectionTaskSummary).counts.measured, known);
  });

  it('compares what it goes on with to what was kept before', async () => {
    const { parts, context, records } = world();
    await assert.rejects(batchTask(parts)(context(OPTIONS, 1).context));
    await batchTask(parts)(context(OPTIONS).context);
    const last = (await records()).at(-1)!;
    const checks = last.feature.properties['plot_checks'] as { check: string; status: string }[];
    assert.equal(checks.find(({ check }) => check === 'duplicates')?.status, 'warn');
  });

  it('compares its plots without validation as well, and goes on doing so after a crash', async () => {
    const options = { ...OPTIONS, validateLocations: false };
    const { parts, context, records } = world();
    await assert.rejects(batchTask(parts)(context(options, 1).context), /the worker died/);
    await batchTask(parts)(context(options).context);
    const all = await records();
    assert.equal(all.at(-1)!.earlier?.sameAs, 0);
    const compared = all.filter(({ problem }) => problem === null);
    assert.ok(compared.length > 0 && compared.every(({ earlier }) => earlier !== undefined));
  });

  it('evaluates deforestation by what it measured, and queries it once', async () => {
    const { parts, context, records, measured } = world();
    let asked = 0;
    const check = async (plots: readonly unknown[]) => ((asked += plots.length), plots.map(() => null));
    const forest = { check, close: async () => {} };
    const { summary } = await batchTask({ ...parts, data: { ...parts.data, forest } })(context(OPTIONS).context);
    const all = await records();
    assert.deepEqual([asked, measured.length > 0], [0, true]);
    const lost = all.filter(({ statistics }) => statistics?.baseline.status === 'measured');
    assert.ok(lost.length > 10 && lost.length < all.length / 2);
    for (const { feature, confidence } of lost) {
      const { plot_checks: checks, plot_valid: valid, warnings } = feature.properties as unknown as PlotProperties;
      const found = checks.find(({ check: name }) => name === 'deforestation');
      assert.deepEqual([found?.status, valid, confidence], ['fail', false, 'low']);
      assert.match(found?.detail ?? '', /^0\.75 ha of 1 ha of forest of 2020-12-31 lost in 2022\. By m 1, l 1\.$/);
      assert.equal(warnings.filter(({ code }) => code === 'deforestation').length, 1);
    }
    const { confidence, reasons } = summary as CollectionTaskSummary;
    assert.equal(confidence.low, lost.length);
    assert.equal(reasons['plots fail the check deforestation'], lost.length);
    const rest = all.filter(({ statistics }) => statistics?.baseline.status === 'unknown');
    assert.ok(rest.length > 0 && rest.every(({ confidence: one }) => one === 'high' || one === 'medium'));
  });

  it('that measures nothing looks for deforestation as its locations are validated', async () => {
    const { parts, context, records } = world();
    const finding = { status: 'fail', detail: 'Lost.' } as const;
    const forest = { check: async (plots: readonly unknown[]) => plots.map(() => finding), close: async () => {} };
    await batchTask({ ...parts, data: { ...parts.data, forest } })(context({ ...OPTIONS, statistics: false }).context);
    const plots = (await records()).filter(({ problem }) => problem === null);
    assert.ok(plots.length > 0 && plots.every(({ confidence }) => confidence === 'low'));
  });

  it('does not process what geocoding is too unsure of, and says why', async () => {
    const { parts, context, records } = world();
    await batchTask(parts)(context(OPTIONS).context);
    const geocoded = (await records())[5]!;
    assert.equal(geocoded.confidence, 'not processed: validation confidence too low');
    assert.match(geocoded.problem ?? '', /confidence of 0.2, below 0.3/);
    assert.equal(geocoded.statistics, null);
  });

  it('does not measure a plot that is a line, and says why', async () => {
    const { parts, context, records, measured } = world();
    const line = {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [1.001, 2.001],
      ],
    };
    const features = [{ type: 'Feature', geometry: line, properties: { name: 'border' } }];
    const input = (async function* () {
      yield new TextEncoder().encode(JSON.stringify({ type: 'FeatureCollection', features }));
    })();
    await batchTask(parts)({ ...context(OPTIONS).context, input });
    const [{ problem, statistics, confidence }] = (await records()) as [PlotRecord];
    assert.deepEqual([problem, statistics], ['A line has no area; wanted a point or a polygon.', null]);
    assert.deepEqual([confidence, measured.length], ['invalid', 0]);
  });

  it('writes its report from what is kept, with a digest of it', async () => {
    const { parts, context } = world();
    const { context: own, written } = context({ ...OPTIONS, eudrDds: true });
    const { resultType, summary } = await batchTask(parts)(own);
    assert.equal(resultType, 'application/zip');
    assert.equal(Buffer.concat(written).toString(), JSON.stringify([ROWS, ROWS]));
    const { report } = summary as CollectionTaskSummary;
    assert.equal(report?.size, written[0]!.length);
    assert.match(report.sha256, /^[0-9a-f]{64}$/);
  });

  it('without statistics and validation keeps the locations as they were normalised', async () => {
    const { parts, context, records, measured } = world();
    await batchTask(parts)(context({ ...OPTIONS, statistics: false, validateLocations: false }).context);
    assert.equal(measured.length, 0);
    assert.ok((await records()).every(({ confidence, statistics }) => confidence === null && statistics === null));
  });

  it('is checked without anything measured, and keeps its locations with their confidence', async () => {
    const { parts, context, stored, measured } = world();
    const { summary } = await checkTask(parts)(context(null).context);
    assert.equal(measured.length, 0);
    assert.ok(stored.length > 0);
    assert.equal((summary as CollectionTaskSummary).confidence['not processed: validation confidence too low'], 12);
  });
});
