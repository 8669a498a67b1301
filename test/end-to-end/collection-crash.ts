import { mkdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { createLog } from '../../src/log.ts';
import { createCollectionReader } from '../../src/db/collections/read-collections.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import type { TestDatabase } from '../contracts/engines.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

export interface CollectionCrashOptions {
  readonly plots: number;
  /** Most times the process is killed with SIGKILL. */
  readonly kills: number;
  /** Locations done after which it is killed for the `kill`-th time, given those that were kept at the last. */
  readonly killAt: (kill: number, kept: number) => number;
  /** Hears of each kill and of the end. */
  readonly say?: (line: string) => void;
}

export interface CollectionCrashReport {
  readonly kills: number;
  readonly attempts: number;
  /** Locations kept at each kill. */
  readonly keptAtKills: readonly number[];
  /** Parts that were there at a kill and were written again, or are gone. */
  readonly writtenAgain: number;
  readonly records: number;
  /** Locations of the file that are not in the collection, or not once, or not in their place. */
  readonly wrong: number;
  readonly measured: number;
  /** Events of the completion; a batch has one. */
  readonly events: number;
  /** Most resident memory of the process, in MB. */
  readonly peakMb: number;
  /** The slowest of the answers of `/healthz` while the batch ran, in milliseconds. */
  readonly slowestHealthMs: number;
  readonly seconds: number;
}

interface Progress {
  readonly status: string;
  readonly counts: { readonly measured: number } | null;
  readonly error: unknown;
  readonly task: {
    readonly attempt: number;
    readonly progress: { readonly done: number; readonly total: number | null };
  } | null;
}

const log = createLog({ level: 'error', json: true });

/** Kills the service again and again while it works on one collection, then reads what the collection holds. */
export async function collectionCrash(
  database: TestDatabase,
  { plots, kills, killAt, say = () => {} }: CollectionCrashOptions,
): Promise<CollectionCrashReport> {
  const begun = performance.now();
  await mkdir(database.dataDir, { recursive: true });
  await shareSampleDistrict(database.dataDir);
  const watch = { peakMb: 0, slowestHealthMs: 0 };
  const keptAtKills: number[] = [];
  const written = new Map<string, string>();
  let writtenAgain = 0;
  let service = await start(database);
  try {
    const id = await submit(service, plots);
    for (let kill = 1; kill <= kills; kill++) {
      const { status } = await follow(service, id, killAt(kill, keptAtKills.at(-1) ?? 0), watch);
      if (status !== 'processing') break;
      await service.stop('SIGKILL');
      const parts = await partsOf(database);
      writtenAgain += compare(parts, written);
      keptAtKills.push(parts.reduce((sum, { count }) => sum + count, 0));
      say(`killed at ${keptAtKills.at(-1)} of ${plots} locations`);
      service = await start(database);
    }
    const end = await follow(service, id, Infinity, watch);
    if (end.status !== 'completed') throw new Error(`the batch ended as ${JSON.stringify(end)}`);
    await service.stop();
    const parts = await partsOf(database);
    writtenAgain += compare(parts, written);
    return {
      kills: keptAtKills.length,
      attempts: end.task?.attempt ?? 0,
      keptAtKills,
      writtenAgain,
      ...(await read(database, id, plots)),
      measured: end.counts?.measured ?? 0,
      peakMb: Math.round(watch.peakMb),
      slowestHealthMs: Math.round(watch.slowestHealthMs),
      seconds: Math.round((performance.now() - begun) / 1_000),
    };
  } finally {
    await service.stop('SIGKILL');
  }
}

function start({ dataDir, databaseUrl }: TestDatabase): Promise<RunningProcess> {
  return runService({ ownProcess: true, dataDir, ...(databaseUrl !== null && { env: { DATABASE_URL: databaseUrl } }) });
}

async function submit(service: RunningProcess, plots: number): Promise<string> {
  const form = new FormData();
  form.set('file', madeUpPlots(plots), 'synthetic-plots.geojson');
  form.set('collection_name', 'synthetic plots');
  form.set('crop_type', 'palm');
  form.set('validate_locations', 'true');
  const answer = await service.fetch('/batch_process', { method: 'POST', body: form });
  const body = (await answer.json()) as { collection_id: string };
  if (answer.status !== 202) throw new Error(`the batch was refused: ${JSON.stringify(body)}`);
  return body.collection_id;
}

/** Asks until `enough` locations are done or the batch has ended. */
async function follow(
  service: RunningProcess,
  id: string,
  enough: number,
  watch: { peakMb: number; slowestHealthMs: number },
): Promise<Progress> {
  for (;;) {
    const asked = performance.now();
    await (await service.fetch('/healthz')).text();
    watch.slowestHealthMs = Math.max(watch.slowestHealthMs, performance.now() - asked);
    watch.peakMb = Math.max(watch.peakMb, await peakMbOf(service.pid));
    const answer = await service.fetch(`/batch_progress?tracking_id=${id}`);
    const progress = (await answer.json()) as Progress;
    // Until it is known how many there are, those that were read are counted.
    const { done, total } = progress.task?.progress ?? { done: 0, total: null };
    if (progress.status !== 'processing' || (total !== null && done >= enough)) return progress;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function peakMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
}

/** Parts with the transaction that wrote the row: a part that was written again has another. */
async function partsOf(database: TestDatabase): Promise<readonly { key: string; by: string; count: number }[]> {
  return withStore(database, async ({ db }) => {
    const { rows } = await sql<{ key: string; by: string; count: number }>`
      select run || ' ' || seq as key, xmin::text as by, count from collection_parts order by seq`.execute(db);
    return rows;
  });
}

function compare(parts: Awaited<ReturnType<typeof partsOf>>, written: Map<string, string>): number {
  const now = new Map(parts.map(({ key, by }) => [key, by]));
  const again = [...written].filter(([key, by]) => now.get(key) !== by).length;
  for (const [key, by] of now) written.set(key, by);
  return again;
}

function read(database: TestDatabase, id: string, plots: number) {
  return withStore(database, async ({ db }) => {
    const { user_id: userId } = await db
      .selectFrom('collections')
      .select('user_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const reader = createCollectionReader(db);
    const collection = (await reader.get(userId, id))!;
    let records = 0;
    let wrong = 0;
    for await (const { number, feature, statistics } of reader.records(collection)) {
      if (number !== records || feature.id !== `synthetic-${records}` || statistics === null) wrong++;
      records++;
    }
    const { count } = await db
      .selectFrom('webhook_events')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('type', '=', 'batch_zonal_stats_complete')
      .executeTakeFirstOrThrow();
    return { records, wrong: wrong + Math.abs(plots - records), events: count };
  });
}

async function withStore<T>(database: TestDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = database;
  const store = await openStore({ dataDir, databaseUrl, poolSize: 3, log });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
