import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answer, noData, sources } from '../../../test/facility-sources.ts';
import { BATCH_OPTIONS } from '../../../test/memory/collections.ts';
import type { BatchOptions } from '../../collections/collection.ts';
import type { PlotRecord, PlotStatistics } from '../../collections/plot-record.ts';
import { readConfig } from '../../config/settings.ts';
import type { Places } from '../../readers/built-in/places.ts';
import type { LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import { unpackRecords } from '../../db/collections/pack-records.ts';
import { batchTask, type BatchParts, type PlotToMeasure } from './batch.ts';
import type { Checkpoint, Checkpoints, PartResult, PreparedPart, TaskCut, TaskPart } from '../../jobs/checkpoints.ts';
import type { TaskContext, TaskResult, TaskStage } from '../../jobs/task.ts';
import { PART_LOCATIONS } from './parts.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from './collection-task.ts';
import { FEATURE_BYTES } from '../facilities/facilities.ts';
import { createLocationService } from '../locations/locations.ts';
import { unmeasured } from '../plots/unmeasured.ts';

const OPTIONS: BatchOptions = { ...BATCH_OPTIONS, cropType: null };
const PARAMS = {
  collectionId: 'c',
  collection: {
    id: 'c',
    userId: 'u',
    name: 'n',
    description: '',
    file: { name: 'plots.csv', size: 1, sha256: '' },
    createdAt: new Date(0).toISOString(),
  },
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
const ROWS = 420;
const CSV = [
  'id,lat,lon,address,area_ha',
  ...Array.from({ length: ROWS }, (_, i) => {
    const at = i === ROWS - 1 ? 0 : i;
    return at % 10 === 5
      ? `p${i},,,Street ${i},1`
      : `p${i},${(1 + at / 100).toFixed(6)},${(2 + at / 100).toFixed(6)},,1`;
  }),
].join('\n');

/** Mills and plots in turn, copies of both, a plot without a place and one that is a line. */
const MIXED = JSON.stringify({
  type: 'FeatureCollection',
  features: Array.from({ length: PART_LOCATIONS + 10 }, (_, i) => {
    const at = i % (PART_LOCATIONS - 10);
    const [lon, lat] = [2 + at / 100, 1 + at / 100];
    const ring = [
      [lon, lat],
      [lon + 0.011, lat],
      [lon + 0.011, lat + 0.011],
      [lon, lat],
    ];
    const geometry =
      at === 7
        ? null
        : at === 11
          ? { type: 'LineString', coordinates: ring.slice(0, 2) }
          : at % 3 === 0
            ? { type: 'Point', coordinates: [lon, lat] }
            : { type: 'Polygon', coordinates: [ring] };
    const properties =
      at % 3 === 0 ? { facility_name: `Mill ${at}`, location_type: 'facility' } : { plot_id: `p${at}`, area_ha: 1 };
    return { type: 'Feature', geometry, properties };
  }),
});

/** Forest lost in 2022 on every plot south of 1.3 N, nothing known of the others. */
function statisticsOf({ geometry }: PlotToMeasure): PlotStatistics {
  const [, lat] = (geometry as { coordinates: [number, number] }).coordinates;
  const none = unmeasured('no dataset covers the plot');
  if (lat >= 1.3) return { ...none, areaHa: 1 };
  const lost = { 2022: 0.75 };
  const losses = [{ ...MEASURED, dataset: 'l', lossHa: lost, inBaselineHa: lost, years: [2001, 2025] }] as const;
  return { ...none, areaHa: 1, baseline: { ...MEASURED, dataset: 'm', forestHa: 1 }, losses };
}

const MEASURED = { status: 'measured', version: '1', synthetic: false, coveredShare: 1 } as const;
/** Forest of which nothing is lost. */
const CLEARED: PlotStatistics = {
  ...unmeasured('no dataset covers the plot'),
  areaHa: 0.6,
  baseline: { ...MEASURED, dataset: 'm', forestHa: 0.6 },
  losses: [{ ...MEASURED, dataset: 'l', lossHa: {}, inBaselineHa: {}, years: [2001, 2025] }],
};

/** What outlives a worker, and what the world was asked. */
function world() {
  const asked: string[] = [];
  const measured: unknown[] = [];
  const staged: { part: TaskPart; input: Uint8Array; isFinal: boolean; added?: Uint8Array }[] = [];
  const done: { part: Checkpoint; bytes: Uint8Array }[] = [];
  let shared = new Uint8Array();
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
  const written: Uint8Array[] = [];
  async function* stream(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
    yield* chunks;
  }
  /** What a worker has that dies when it has staged so many parts. */
  function keptBy(dieAfter: number, prepared: Uint8Array | null): Checkpoints {
    return {
      list: async () => done.map(({ part }) => structuredClone(part)),
      read: async (seq) => done[seq]!.bytes,
      staged: async () => staged.map(({ part }) => part),
      async stage(part, input, isFinal) {
        if (part.seq >= dieAfter) throw new Error('the worker died');
        staged[part.seq] = { part, input, isFinal };
      },
      readStaged: async (seq) => staged[seq]!.input,
      complement: async (seq, added) => void (staged[seq] = { ...staged[seq]!, added }),
      share: async (input) => void (shared = new Uint8Array(input)),
      prepared: async () => prepared!,
      crashes: async () => ({ count: 0, bySteps: {} }),
      begin() {},
    };
  }
  /**
   * Cuts a file, prepares those of its parts that `isPrepared` names, works on all in the order that `order` brings them into, and
   * joins them.
   */
  async function work(
    options: BatchOptions | null,
    {
      all = parts,
      file = CSV,
      dieAfter = Infinity,
      order = (list: TaskPart[]) => list,
      isPrepared = null as ((part: TaskPart) => boolean) | null,
      locationType = 'plot' as 'plot' | null,
    } = {},
  ): Promise<CollectionTaskSummary> {
    const handler = batchTask(all);
    const reading = { ...PARAMS.reading, locations: { ...PARAMS.reading.locations, locationType } };
    const run = (stage: TaskStage, input: readonly Uint8Array[], prepared: Uint8Array | null = null) => {
      const context: TaskContext = {
        params: { ...PARAMS, options, reading },
        stage,
        input: stream(input),
        signal: new AbortController().signal,
        write: async (bytes) => void written.push(bytes),
        progress() {},
        kept: keptBy(dieAfter, prepared),
      };
      return handler(context);
    };
    const { parts: count, cut } = (await run({ type: 'whole' }, [new TextEncoder().encode(file)])) as TaskCut;
    assert.equal(count, staged.length);
    const prepared = new Map<number, Uint8Array>();
    for (const { part, input, isFinal } of staged)
      if (isPrepared?.(part) === true) {
        assert.ok(isFinal);
        prepared.set(part.seq, ((await run({ type: 'prepare', part }, [input])) as PreparedPart).prepared);
      }
    for (const part of order(staged.map((one) => one.part))) {
      const { input, added } = staged[part.seq]!;
      const own = [input, shared, ...(added === undefined ? [] : [added])];
      const { summary, bytes } = (await run(
        { type: 'part', part, isPrepared: prepared.has(part.seq) },
        own,
        prepared.get(part.seq),
      )) as PartResult;
      done[part.seq] = { part: { ...part, summary }, bytes };
    }
    const { resultType, summary } = (await run({ type: 'join', cut: structuredClone(cut) }, [])) as TaskResult;
    assert.equal(resultType, options?.eudrDds === true ? 'application/zip' : 'application/json');
    return summary as CollectionTaskSummary;
  }
  const records = async (): Promise<PlotRecord[]> =>
    (await Promise.all(done.map(({ bytes }) => unpackRecords(bytes)))).flat();
  const bytes = (): string[] => done.map((one) => Buffer.from(one.bytes).toString('hex'));
  return { asked, measured, parts, staged, work, written, records, bytes };
}

describe('a batch', () => {
  it('that is cut on after a crash looks up only what is not staged, and has the same records', async () => {
    const whole = world();
    await whole.work(OPTIONS);
    const resumed = world();
    await assert.rejects(resumed.work(OPTIONS, { dieAfter: 1 }), /the worker died/);
    assert.deepEqual(
      resumed.staged.map(({ part }) => part),
      [{ seq: 0, first: 0, count: PART_LOCATIONS }],
    );
    const asked = new Set(resumed.asked.slice(0, PART_LOCATIONS / 10));
    resumed.asked.length = 0;
    const { counts } = await resumed.work(OPTIONS);
    assert.deepEqual(await resumed.records(), await whole.records());
    assert.deepEqual(
      resumed.asked.filter((query) => asked.has(query)),
      [],
      'no address of a staged location is looked up again',
    );
    assert.equal(counts.locations, ROWS);
    const known = (await whole.records()).filter(({ statistics }) => statistics?.baseline.status === 'measured').length;
    assert.ok(known > 0 && known < whole.measured.length);
    assert.equal(counts.measured, known);
  });

  it('has the same records and totals in whichever order its parts are worked on', async () => {
    for (const validateLocations of [true, false]) {
      const options = { ...OPTIONS, validateLocations };
      const [forwards, backwards] = [world(), world()];
      const totals = await forwards.work(options);
      assert.ok(forwards.staged.length > 2);
      assert.deepEqual(await backwards.work(options, { order: (list) => list.toReversed() }), totals);
      assert.deepEqual(await backwards.records(), await forwards.records());
    }
  });

  it('has the same bytes whichever of its parts were prepared while the file was cut, and measures no plot twice', async () => {
    const changes: Partial<BatchOptions>[] = [{}, { validateLocations: false }, { statistics: false }];
    for (const change of changes) {
      const options = { ...OPTIONS, ...change };
      const of = { file: MIXED, locationType: null };
      const [alone, helped] = [world(), world()];
      const totals = await alone.work(options, of);
      assert.ok(alone.staged.length > 1);
      assert.deepEqual(await helped.work(options, { ...of, isPrepared: ({ seq }) => seq === 0 }), totals);
      assert.deepEqual(helped.bytes(), alone.bytes());
      assert.equal(helped.measured.length, alone.measured.length);
      assert.ok(totals.counts.plots > 0 && totals.counts.plots < totals.counts.locations);
    }
  });

  it('prepares nothing of a text that may be read otherwise the next time', async () => {
    const { parts, work, staged } = world();
    const locations = {
      ...parts.locations,
      async open(...given: Parameters<typeof parts.locations.open>) {
        const opened = await parts.locations.open(...given);
        return { ...opened, file: { ...opened.file, format: 'text' as const } };
      },
    };
    await work(OPTIONS, { all: { ...parts, locations } });
    assert.ok(staged.length > 0 && staged.every(({ isFinal }) => !isFinal));
  });

  it('compares plots of different parts', async () => {
    const { work, records } = world();
    await work(OPTIONS);
    const last = (await records()).at(-1)!;
    const checks = last.feature.properties['plot_checks'] as { check: string; status: string }[];
    assert.equal(checks.find(({ check }) => check === 'duplicates')?.status, 'warn');
  });

  it('compares its plots without validation as well, and goes on doing so after a crash', async () => {
    const options = { ...OPTIONS, validateLocations: false };
    const { work, records } = world();
    await assert.rejects(work(options, { dieAfter: 1 }), /the worker died/);
    await work(options);
    const all = await records();
    assert.equal(all.at(-1)!.earlier?.sameAs, 0);
    const compared = all.filter(({ problem }) => problem === null);
    assert.ok(compared.length > 0 && compared.every(({ earlier }) => earlier !== undefined));
  });

  it('evaluates deforestation by what it measured, and queries it once', async () => {
    const { parts, work, records, measured } = world();
    let asked = 0;
    const check = async (plots: readonly unknown[]) => ((asked += plots.length), plots.map(() => null));
    const forest = { check, close: async () => {} };
    const { confidence, reasons } = await work(OPTIONS, { all: { ...parts, data: { ...parts.data, forest } } });
    const all = await records();
    assert.deepEqual([asked, measured.length > 0], [0, true]);
    const lost = all.filter(({ statistics }) => statistics?.baseline.status === 'measured');
    assert.ok(lost.length > 10 && lost.length < all.length / 2);
    for (const { feature, confidence: level } of lost) {
      const { plot_checks: checks, plot_valid: valid, warnings } = feature.properties as unknown as PlotProperties;
      const found = checks.find(({ check: name }) => name === 'deforestation');
      assert.deepEqual([found?.status, valid, level], ['fail', false, 'low']);
      assert.match(found?.detail ?? '', /^0\.75 ha of 1 ha of forest of 2020-12-31 lost in 2022\. By m 1, l 1\.$/);
      assert.equal(warnings.filter(({ code }) => code === 'deforestation').length, 1);
    }
    assert.equal(confidence.low, lost.length);
    assert.equal(reasons['plots fail the check deforestation'], lost.length);
    const rest = all.filter(({ statistics }) => statistics?.baseline.status === 'unknown');
    assert.ok(rest.length > 0 && rest.every(({ confidence: one }) => one === 'high' || one === 'medium'));
  });

  it('gives a plot that everything was looked at of no reasons for its confidence, in words or as codes', async () => {
    const { parts, work, records } = world();
    const surface = () => answer({ water: null, outlineM: 0 });
    const measure: BatchParts['measure'] = async (plots) => plots.map(() => CLEARED);
    const [lon, lat] = [101.4471234, 0.5071234];
    const ring = [
      [lon, lat],
      [lon + 0.001, lat],
      [lon, lat + 0.001],
      [lon, lat],
    ];
    const properties = { plot_id: 'p', commodity_type: 'palm', area_ha: 0.6 };
    const plot = { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties };
    const all = { ...parts, measure, data: { ...parts.data, sources: sources({ surface }) } };
    await work(OPTIONS, { all, file: JSON.stringify({ type: 'FeatureCollection', features: [plot] }) });
    const [{ feature, confidence }] = (await records()) as [PlotRecord];
    const { location_confidence_reasons: reasons, messages } = feature.properties as Record<string, unknown>;
    assert.deepEqual([confidence, reasons, messages], ['high', [], undefined]);
  });

  it('that measures nothing looks for deforestation as its locations are validated', async () => {
    const { parts, work, records } = world();
    const finding = { status: 'fail', detail: 'Lost.' } as const;
    const forest = { check: async (plots: readonly unknown[]) => plots.map(() => finding), close: async () => {} };
    const all = { ...parts, data: { ...parts.data, forest } };
    await work({ ...OPTIONS, statistics: false }, { all });
    const plots = (await records()).filter(({ problem }) => problem === null);
    assert.ok(plots.length > 0 && plots.every(({ confidence }) => confidence === 'low'));
  });

  it('does not process what geocoding is too unsure of, and says why', async () => {
    const { work, records } = world();
    await work(OPTIONS);
    const geocoded = (await records())[5]!;
    assert.equal(geocoded.confidence, 'not processed: validation confidence too low');
    assert.match(geocoded.problem ?? '', /confidence of 0.2, below 0.3/);
    assert.equal(geocoded.statistics, null);
  });

  it('does not measure a plot that is a line, and says why', async () => {
    const { work, records, measured } = world();
    const line = {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [1.001, 2.001],
      ],
    };
    const features = [{ type: 'Feature', geometry: line, properties: { name: 'border' } }];
    await work(OPTIONS, { file: JSON.stringify({ type: 'FeatureCollection', features }) });
    const [{ problem, statistics, confidence }] = (await records()) as [PlotRecord];
    assert.deepEqual([problem, statistics], ['A line has no area; wanted a point or a polygon.', null]);
    assert.deepEqual([confidence, measured.length], ['invalid', 0]);
  });

  it('writes its report from what is kept, with a digest of it', async () => {
    const { work, written } = world();
    const { report } = await work({ ...OPTIONS, eudrDds: true });
    assert.equal(Buffer.concat(written).toString(), JSON.stringify([ROWS, ROWS]));
    assert.equal(report?.size, written[0]!.length);
    assert.match(report.sha256, /^[0-9a-f]{64}$/);
  });

  it('without statistics and validation keeps the locations as they were normalised', async () => {
    const { work, records, measured } = world();
    await work({ ...OPTIONS, statistics: false, validateLocations: false });
    assert.equal(measured.length, 0);
    assert.ok((await records()).every(({ confidence, statistics }) => confidence === null && statistics === null));
  });

  it('is checked without anything measured, and keeps its locations with their confidence', async () => {
    const { work, records, measured } = world();
    const { confidence } = await work(null);
    assert.equal(measured.length, 0);
    assert.equal((await records()).length, ROWS);
    assert.equal(confidence['not processed: validation confidence too low'], ROWS / 10);
  });
});
