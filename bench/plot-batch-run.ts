/**
 * The batch of a file of plots in one process, stage by stage: what cutting, the parts and the join with its report cost, and a digest of
 * the records and of the report. `node bench/plot-batch-run.ts CHECKOUT DATA FILE [KEEP]` runs it twice, or for `plot-batch.ts` as often as
 * that says: the code of CHECKOUT is run, so that two versions can be compared; DATA is a data folder, KEEP a folder for records and report. The database is memory: what it takes
 * is no part of it.
 */
import { createHash } from 'node:crypto';
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Checkpoint, Checkpoints, PartResult, TaskCut, TaskPart } from '../src/jobs/checkpoints.ts';
import type { TaskContext, TaskResult, TaskStage } from '../src/jobs/task.ts';
import type { CollectionTaskParams } from '../src/service/collections/collection-task.ts';
import { costOf, type Cost } from './rounds.ts';

/** What one run gives. */
export interface BatchRun {
  /** Reading the file and cutting it into parts; checks and statistics of the parts; totals and the due diligence report. */
  readonly cut: Cost;
  readonly parts: Cost;
  readonly join: Cost;
  /** What `JSON.stringify` of all records takes, which no batch can do without. */
  readonly texts: Cost;
  readonly locations: number;
  /** Of all records, and of the report. */
  readonly digest: string;
  readonly peakMb: number;
}

const [folder, dataDir, file, keepIn] = process.argv.slice(2);
const RealDate = Date;
/** Reports say when they were made: at the same moment each. */
const MOMENT = RealDate.UTC(2026, 10, 27);
globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number]) {
    super(...((given.length === 0 ? [MOMENT] : given) as [number]));
  }
} as DateConstructor;

const load = async <M>(path: string): Promise<M> =>
  (await import(pathToFileURL(join(folder, 'src', path)).href)) as unknown as M;
const { readConfig } = await load<typeof import('../src/config/settings.ts')>('config/settings.ts');
const { createLog } = await load<typeof import('../src/log.ts')>('log.ts');
const { openWorld } = await load<typeof import('../src/service/world/world.ts')>('service/world/world.ts');
const { collectionHandlers } = await load<typeof import('../src/service/collections/handlers.ts')>(
  'service/collections/handlers.ts',
);
const { createLocationService } = await load<typeof import('../src/service/locations/locations.ts')>(
  'service/locations/locations.ts',
);
const { unpackRecords } = await load<typeof import('../src/db/collections/pack-records.ts')>(
  'db/collections/pack-records.ts',
).catch(() => load<typeof import('../src/db/collections/pack-records.ts')>('db/collections/read-collections.ts'));

const log = createLog({ level: 'error', json: true });
const config = readConfig({
  DATA_DIR: dataDir,
  PUBLIC_RASTERS: 'off',
  AUTO_DATA: 'off',
  PUBLIC_DATA: 'off',
  MAX_UPLOAD_MB: '4000',
});
const world = await openWorld(config, log);
const locations = createLocationService(world, config, 1_000_000);
const handler = collectionHandlers(locations, world, world.catalogue, config, (what, error) => {
  console.error(what, error);
})['collection_batch'];

const PARAMS: CollectionTaskParams = {
  collectionId: '00000000-0000-4000-8000-000000000001',
  collection: {
    id: '00000000-0000-4000-8000-000000000001',
    userId: 'u',
    name: 'made-up plots',
    description: '',
    file: { name: 'made-up-plots.geojson', size: 1, sha256: '0'.repeat(64) },
    createdAt: new Date(0).toISOString(),
  },
  reading: {
    locations: {
      locationType: null,
      commodity: 'palm',
      country: null,
      mapping: {},
      geocode: true,
      crs: null,
      sheets: null,
    },
    facility: {
      commodity: null,
      commodityText: null,
      commodityRadiusM: 5_000,
      checkTimeoutMs: config.checkTimeoutMs,
    },
  } as unknown as CollectionTaskParams['reading'],
  email: null,
  options: {
    cropType: 'palm',
    statistics: true,
    validateLocations: true,
    eudrDds: true,
    monitoringStart: '2017-01-01',
    monitoringEnd: '2025-12-31',
  },
};

process.on('message', () => void run().then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
if (process.send === undefined) {
  console.log(await run());
  console.log(await run());
  process.exit();
}
process.send('ready');

async function run(): Promise<BatchRun> {
  const staged: { part: TaskPart; input: Uint8Array; added?: Uint8Array }[] = [];
  const done: { part: Checkpoint; bytes: Uint8Array }[] = [];
  let shared = new Uint8Array();
  const kept: Checkpoints = {
    list: async () => done.map(({ part }) => part),
    read: async (seq) => done[seq].bytes,
    staged: async () => staged.map(({ part }) => part),
    stage: async (part, input) => void (staged[part.seq] = { part, input }),
    readStaged: async (seq) => staged[seq].input,
    complement: async (seq, added) => void (staged[seq] = { ...staged[seq], added }),
    share: async (input) => void (shared = new Uint8Array(input)),
    prepared: () => Promise.reject(new Error('no part was prepared')),
    crashes: async () => ({ count: 0, bySteps: {} }),
    begin() {},
  };
  const report = createHash('sha256');
  const pages: Uint8Array[] = [];
  const stage = async (at: TaskStage, input: AsyncIterable<Uint8Array>) => {
    const context: TaskContext = {
      params: PARAMS,
      stage: at,
      input,
      signal: new AbortController().signal,
      write: async (bytes) => {
        report.update(bytes);
        if (keepIn !== undefined) pages.push(new Uint8Array(bytes));
      },
      progress() {},
      kept,
    };
    return handler(context);
  };
  const [cutCost, { cut }] = await costOf(
    async () => (await stage({ type: 'whole' }, createReadStream(file))) as TaskCut,
  );
  const [partsCost] = await costOf(async () => {
    for (const { part, input, added } of staged) {
      const chunks = [input, shared, ...(added === undefined ? [] : [added])];
      const { summary, bytes } = (await stage(
        { type: 'part', part, isPrepared: false },
        chunksOf(chunks),
      )) as PartResult;
      done.push({ part: { ...part, summary }, bytes });
    }
  });
  const [joinCost] = await costOf(async () => (await stage({ type: 'join', cut }, chunksOf([]))) as TaskResult);
  const records = createHash('sha256');
  let count = 0;
  const texts: string[] = [];
  let textsCost: Cost = { ms: 0, cpuMs: 0 };
  for (const { bytes } of done) {
    const all = await unpackRecords(bytes);
    const [cost, made] = await costOf(() => all.map((record) => JSON.stringify(record)));
    textsCost = { ms: textsCost.ms + cost.ms, cpuMs: textsCost.cpuMs + cost.cpuMs };
    for (const text of made) records.update(text);
    if (keepIn !== undefined) texts.push(...made);
    count += made.length;
  }
  if (keepIn !== undefined) {
    writeFileSync(join(keepIn, 'records.ndjson'), texts.join('\n'));
    writeFileSync(join(keepIn, 'report.zip'), Buffer.concat(pages));
  }
  const digest = `${records.digest('hex').slice(0, 12)} ${report.digest('hex').slice(0, 12)}`;
  const peakMb = process.resourceUsage().maxRSS / 1000;
  return { cut: cutCost, parts: partsCost, join: joinCost, texts: textsCost, locations: count, digest, peakMb };
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}
