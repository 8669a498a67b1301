import { acceptedLanguage, type Language } from '../../messages/languages.ts';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { KnownFinding, WatchReport } from '../../collections/watch/compare-findings.ts';
import type { DatasetChange, Watch, WatchRun, WatchRunDetail, WatchRunState } from '../../collections/watch/watch.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation, isUuid } from '../sql-values.ts';

/** A run that is not finished, with what is needed to submit its batch and to finish it. */
export interface OpenRun {
  readonly id: string;
  readonly number: number;
  readonly collectionId: string;
  readonly userId: string;
  readonly datasets: readonly DatasetChange[];
  /** The batch; null until it is submitted. */
  readonly taskId: string | null;
  /** Where its report goes in place of the address of the local user. */
  readonly email: string | null;
  /** What it is written in. */
  readonly language: Language;
  /** State of the run before; null for the first. */
  readonly stateBefore: WatchRunState | null;
}

/** A watched collection as a look at the data finds it. */
export interface DueWatch {
  readonly collectionId: string;
  readonly userId: string;
  /** Null before the first run. */
  readonly datasets: Readonly<Record<string, string>> | null;
  /** The time has come to measure again what could not be measured. */
  readonly isAgain: boolean;
}

/** What a run ends with. */
export interface RunEnd {
  readonly state: Exclude<WatchRunState, 'measuring'>;
  readonly report: WatchReport | null;
  readonly reason: string | null;
  /** What is known from now on; null: what was known stays. */
  readonly known: readonly KnownFinding[] | null;
  /** Seconds until it is measured again though no data changes; null: not. */
  readonly againS: number | null;
}

type OnEnd = (trx: Transaction<Database>) => Promise<void>;

/** Watched collections and their runs. Methods given a `userId` treat another user's collection as unknown. */
export interface WatchStore {
  /** Begins to watch; false where it is watched already. */
  add(watch: {
    readonly collectionId: string;
    readonly email: string | null;
    readonly language?: Language;
    readonly known: readonly KnownFinding[];
  }): Promise<boolean>;
  /** False where it was not watched. Runs stay with the collection. */
  remove(userId: string, collectionId: string): Promise<boolean>;
  /** Newest first. */
  list(userId: string, collectionId?: string): Promise<readonly Watch[]>;
  /** Newest first. */
  runs(userId: string, collectionId: string, limit: number): Promise<readonly WatchRun[]>;
  run(userId: string, collectionId: string, number: number): Promise<WatchRunDetail | null>;
  /** Those without an open run whose collection is completed. */
  due(): Promise<readonly DueWatch[]>;
  /** That a look was taken. */
  checked(): Promise<void>;
  /** Begins a run where the watch is still as `before` says and none is open; false where another process was first. */
  begin(
    before: DueWatch,
    versions: Readonly<Record<string, string>>,
    changes: readonly DatasetChange[],
  ): Promise<boolean>;
  open(): Promise<readonly OpenRun[]>;
  submitted(run: Pick<OpenRun, 'id'>, taskId: string): Promise<void>;
  known(collectionId: string): Promise<readonly KnownFinding[]>;
  /**
   * Ends an open run, and does `onEnd` in the same transaction; false, without it, where another process has ended it. Whatever
   * `onEnd` writes exists exactly once for each run.
   */
  end(run: Pick<OpenRun, 'id' | 'collectionId'>, end: RunEnd, onEnd: OnEnd): Promise<boolean>;
}

export function createWatchStore({ db }: { readonly db: Kysely<Database> }): WatchStore {
  return {
    async add({ collectionId, email, language = 'en', known }) {
      const row = await db
        .insertInto('collection_watches')
        .values({ collection_id: collectionId, email, language, known: await packFindings(known) })
        .onConflict((conflict) => conflict.column('collection_id').doNothing())
        .returning('collection_id')
        .executeTakeFirst();
      return row !== undefined;
    },
    async remove(userId, collectionId) {
      if (!isUuid(collectionId)) return false;
      return await db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ collection_id: string }>`
          delete from collection_watches w using collections c
          where w.collection_id = ${collectionId} and c.id = w.collection_id and c.user_id = ${userId}
          returning w.collection_id`.execute(trx);
        // Nobody would end it.
        await trx
          .updateTable('collection_watch_runs')
          .set({ state: 'failed', reason: 'The watch was removed.', finished_at: sql<Date>`now()` })
          .where('collection_id', '=', collectionId)
          .where('state', '=', 'measuring')
          .$if(rows.length === 0, (query) => query.where(sql<boolean>`false`))
          .execute();
        return rows.length > 0;
      });
    },
    list: (userId, collectionId) => list(db, userId, collectionId),
    async runs(userId, collectionId, limit) {
      if (!isUuid(collectionId)) return [];
      const rows = await runsOf(db, userId, collectionId)
        .select(RUN_COLUMNS)
        .orderBy('r.number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(runFromRow);
    },
    async run(userId, collectionId, number) {
      if (!isUuid(collectionId)) return null;
      const row = await runsOf(db, userId, collectionId)
        .select([...RUN_COLUMNS, 'r.changes', 'r.unmeasured', 'r.new_plots'])
        .where('r.number', '=', number)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { changes, unmeasured, new_plots: newPlots } = row;
      return { ...runFromRow(row), changes, unmeasured, newPlots };
    },
    due: () => due(db),
    async checked() {
      await db
        .updateTable('collection_watches')
        .set({ checked_at: sql<Date>`now()` })
        .execute();
    },
    begin: (before, versions, changes) => begin(db, before, versions, changes),
    open: () => openRuns(db),
    async submitted({ id }, taskId) {
      await db.updateTable('collection_watch_runs').set({ task_id: taskId }).where('id', '=', id).execute();
    },
    async known(collectionId) {
      const row = await db
        .selectFrom('collection_watches')
        .select('known')
        .where('collection_id', '=', collectionId)
        .executeTakeFirst();
      return row === undefined ? [] : await unpackFindings(row.known);
    },
    end: (run, end, onEnd) => endRun(db, run, end, onEnd),
  };
}

async function list(db: Kysely<Database>, userId: string, collectionId?: string): Promise<readonly Watch[]> {
  if (collectionId !== undefined && !isUuid(collectionId)) return [];
  const rows = await db
    .selectFrom('collection_watches as w')
    .innerJoin('collections as c', 'c.id', 'w.collection_id')
    .select(['w.collection_id', 'c.name', 'w.created_at', 'w.checked_at', 'w.again_at'])
    .where('c.user_id', '=', userId)
    .$if(collectionId !== undefined, (query) => query.where('w.collection_id', '=', collectionId!))
    .orderBy('w.created_at', 'desc')
    .orderBy('w.collection_id')
    .execute();
  const last = await lastRuns(
    db,
    rows.map((row) => row.collection_id),
  );
  return rows.map((row) => ({
    collectionId: row.collection_id,
    collectionName: row.name,
    createdAt: row.created_at,
    checkedAt: row.checked_at,
    againAt: row.again_at,
    lastRun: last.get(row.collection_id) ?? null,
  }));
}

async function due(db: Kysely<Database>): Promise<readonly DueWatch[]> {
  const rows = await db
    .selectFrom('collection_watches as w')
    .innerJoin('collections as c', 'c.id', 'w.collection_id')
    .select(['w.collection_id', 'c.user_id', 'w.datasets'])
    .select(sql<boolean>`coalesce(w.again_at <= now(), false)`.as('is_again'))
    .where('c.status', '=', 'completed')
    .where(
      sql<boolean>`not exists (select from collection_watch_runs r
        where r.collection_id = w.collection_id and r.state = 'measuring')`,
    )
    .execute();
  return rows.map((row) => ({
    collectionId: row.collection_id,
    userId: row.user_id,
    datasets: row.datasets,
    isAgain: row.is_again,
  }));
}

async function openRuns(db: Kysely<Database>): Promise<readonly OpenRun[]> {
  const rows = await db
    .selectFrom('collection_watch_runs as r')
    .innerJoin('collections as c', 'c.id', 'r.collection_id')
    .innerJoin('collection_watches as w', 'w.collection_id', 'r.collection_id')
    .select(['r.id', 'r.number', 'r.collection_id', 'c.user_id', 'r.datasets', 'r.task_id', 'w.email', 'w.language'])
    .select(
      sql<WatchRunState | null>`(select state from collection_watch_runs b
        where b.collection_id = r.collection_id and b.number < r.number order by b.number desc limit 1)`.as(
        'state_before',
      ),
    )
    .where('r.state', '=', 'measuring')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    collectionId: row.collection_id,
    userId: row.user_id,
    datasets: row.datasets,
    taskId: row.task_id,
    email: row.email,
    language: acceptedLanguage(row.language ?? undefined),
    stateBefore: row.state_before,
  }));
}

/** The watch's row is locked, so that of two processes the second sees what the first wrote. */
async function begin(
  db: Kysely<Database>,
  before: DueWatch,
  versions: Readonly<Record<string, string>>,
  changes: readonly DatasetChange[],
): Promise<boolean> {
  const { collectionId } = before;
  try {
    return await db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom('collection_watches')
        .select('datasets')
        .select(sql<boolean>`coalesce(again_at <= now(), false)`.as('is_again'))
        .where('collection_id', '=', collectionId)
        .forUpdate()
        .executeTakeFirst();
      const isSame = row !== undefined && JSON.stringify(row.datasets) === JSON.stringify(before.datasets);
      if (!isSame || row.is_again !== before.isAgain) return false;
      const { rows } = await sql<{ number: number }>`
        select coalesce(max(number), 0) + 1 as number from collection_watch_runs
        where collection_id = ${collectionId}`.execute(trx);
      await trx
        .insertInto('collection_watch_runs')
        .values({
          id: randomUUID(),
          collection_id: collectionId,
          number: rows[0]!.number,
          state: 'measuring',
          datasets: JSON.stringify(changes),
        })
        .execute();
      await trx
        .updateTable('collection_watches')
        .set({ datasets: JSON.stringify(versions), again_at: null })
        .where('collection_id', '=', collectionId)
        .execute();
      return true;
    });
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

async function endRun(
  db: Kysely<Database>,
  { id, collectionId }: Pick<OpenRun, 'id' | 'collectionId'>,
  { state, report, reason, known, againS }: RunEnd,
  onEnd: OnEnd,
): Promise<boolean> {
  const packed = known === null ? null : await packFindings(known);
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('collection_watch_runs')
      .set({
        state,
        reason,
        finished_at: sql<Date>`now()`,
        ...(report === null
          ? {}
          : {
              counts: JSON.stringify(report.counts),
              changes: JSON.stringify(report.changes),
              unmeasured: JSON.stringify(report.unmeasured),
              new_plots: JSON.stringify(report.newPlots),
            }),
      })
      .where('id', '=', id)
      .where('state', '=', 'measuring')
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) return false;
    await trx
      .updateTable('collection_watches')
      .set({
        ...(packed === null ? {} : { known: packed }),
        again_at: againS === null ? null : sql<Date>`now() + ${againS} * interval '1 second'`,
      })
      .where('collection_id', '=', collectionId)
      .execute();
    await onEnd(trx);
    return true;
  });
}

const RUN_COLUMNS = [
  'r.number',
  'r.state',
  'r.datasets',
  'r.counts',
  'r.reason',
  'r.started_at',
  'r.finished_at',
] as const;

function runsOf(db: Kysely<Database>, userId: string, collectionId: string) {
  return db
    .selectFrom('collection_watch_runs as r')
    .innerJoin('collections as c', 'c.id', 'r.collection_id')
    .where('r.collection_id', '=', collectionId)
    .where('c.user_id', '=', userId);
}

async function lastRuns(db: Kysely<Database>, ids: readonly string[]): Promise<ReadonlyMap<string, WatchRun>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('collection_watch_runs as r')
    .distinctOn('r.collection_id')
    .select(['r.collection_id', ...RUN_COLUMNS])
    .where('r.collection_id', 'in', ids)
    .orderBy('r.collection_id')
    .orderBy('r.number', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.collection_id, runFromRow(row)]));
}

type RunRow = Pick<
  Selectable<Database['collection_watch_runs']>,
  'number' | 'state' | 'datasets' | 'counts' | 'reason' | 'started_at' | 'finished_at'
>;

/** Runs of versions that paired plots by their place alone. */
const NOT_COUNTED = { only_before: null, only_after: null, only_after_not_cleared: null } as const;

function runFromRow(row: RunRow): WatchRun {
  return {
    number: row.number,
    state: row.state,
    datasets: row.datasets,
    counts: row.counts === null ? null : { ...NOT_COUNTED, ...row.counts },
    reason: row.reason,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];

async function packFindings(known: readonly KnownFinding[]): Promise<Uint8Array> {
  return new Uint8Array(await compress(JSON.stringify(known)));
}

async function unpackFindings(bytes: Uint8Array): Promise<readonly KnownFinding[]> {
  return JSON.parse((await decompress(bytes)).toString()) as readonly KnownFinding[];
}
