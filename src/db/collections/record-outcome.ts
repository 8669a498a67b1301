import { sql, type Selectable, type Transaction } from 'kysely';
import type { BatchOptions, CollectionCounts } from '../../collections/collection.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { LocationsConfidence } from '../../collections/plot-record.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { StoredEarlierRun } from './collection-tables.ts';

/** What validation says of a whole collection. */
export interface ConfidenceOutcome {
  readonly confidence: LocationsConfidence;
  readonly confidenceCounts: Readonly<Partial<Record<LocationsConfidence, number>>>;
  readonly confidenceReasons: readonly string[];
}

interface BatchOutcome {
  readonly options: BatchOptions;
  readonly counts: CollectionCounts;
  /** How the batch read the columns. */
  readonly mapping: readonly TableMapping[];
  /** Null where validation was not requested: what staging found stays, and what an earlier batch found goes with it. */
  readonly confidence: ConfidenceOutcome | null;
  /** Batches of the collection that are kept, this one among them. */
  readonly runs: number;
  /** Parts the run has written. */
  readonly parts: number;
  /** The blob of the report that goes by email. */
  readonly reportBlob: string | null;
}

/** A task begins to work on the collection. False when another one works on it, or there is no such collection. */
export async function markProcessing(
  trx: Transaction<Database>,
  { id, userId, taskId, options }: { id: string; userId: string; taskId: string; options: BatchOptions | null },
): Promise<boolean> {
  const { rows } = await sql`
    update collections set status = 'processing', task_id = ${taskId}, error_code = null, error_detail = null,
      options = case when run is null then ${options === null ? null : JSON.stringify(options)}::json else options end
    where id = ${id} and user_id = ${userId} and status <> 'processing'
    returning id`.execute(trx);
  return rows.length > 0;
}

/** What is stored of a collection once a task of it has ended. */
interface StoredConfidence {
  readonly locationsConfidence: LocationsConfidence | null;
}

/**
 * The batch of the task is done: what it found replaces what the batch before it had found. Null when the task works on no
 * collection any more.
 */
export async function recordBatch(
  trx: Transaction<Database>,
  taskId: string,
  outcome: BatchOutcome,
): Promise<StoredConfidence | null> {
  const before = await trx
    .selectFrom('collections')
    .select(['id', 'report_blob', 'confidence', 'run', 'options', 'counts', 'completed_at', 'earlier_runs'])
    .where('task_id', '=', taskId)
    .where('status', '=', 'processing')
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) return null;
  const earlier = earlierOf(before).slice(0, outcome.runs - 1);
  const isOfBatch = before.run !== null && before.options?.validateLocations === true;
  const confidence = outcome.confidence ?? (isOfBatch ? NO_CONFIDENCE : null);
  await trx
    .updateTable('collections')
    .set({
      status: 'completed',
      run: taskId,
      options: JSON.stringify(outcome.options),
      counts: JSON.stringify(outcome.counts),
      mapping: JSON.stringify(outcome.mapping),
      earlier_runs: JSON.stringify(earlier),
      ...(confidence && confidenceColumns(confidence)),
      report_blob: outcome.reportBlob,
      completed_at: sql<Date>`now()`,
    })
    .where('id', '=', before.id)
    .execute();
  const kept = [taskId, ...earlier.map(({ run }) => run)];
  await trx
    .deleteFrom('collection_parts')
    .where('collection_id', '=', before.id)
    .where((or) => or.or([or('run', 'not in', kept), or.and([or('run', '=', taskId), or('seq', '>=', outcome.parts)])]))
    .execute();
  if (before.report_blob !== null) await trx.deleteFrom('blobs').where('id', '=', before.report_blob).execute();
  return { locationsConfidence: confidence === null ? before.confidence : confidence.confidence };
}

type Before = Pick<Selectable<Database['collections']>, 'run' | 'options' | 'counts' | 'completed_at' | 'earlier_runs'>;

/** The batches that stay next to the new one: that which it takes the place of, and those before. */
function earlierOf({
  run,
  options,
  counts,
  completed_at: at,
  earlier_runs: before,
}: Before): readonly StoredEarlierRun[] {
  if (run === null || options === null || counts === null || at === null) return [];
  return [{ run, options, counts, completedAt: at.toISOString() }, ...before];
}

/** The validation of a staged collection is done. */
export async function recordCheck(
  trx: Transaction<Database>,
  taskId: string,
  outcome: ConfidenceOutcome,
): Promise<void> {
  await trx
    .updateTable('collections')
    .set({ status: afterwards('staged'), ...confidenceColumns(outcome) })
    .where('task_id', '=', taskId)
    .where('status', '=', 'processing')
    .execute();
}

/**
 * The task ended without a result. What an earlier batch found stays, and the collection with it. Returns what the run had
 * processed until then; null when the task works on no collection any more.
 */
export async function recordEnd(
  trx: Transaction<Database>,
  taskId: string,
  status: 'staged' | 'failed' | 'cancelled',
  error: { readonly code: ErrorCode; readonly detail: string } | null,
): Promise<(StoredConfidence & { readonly counts: CollectionCounts }) | null> {
  const row = await trx
    .updateTable('collections')
    .set({ status: afterwards(status), error_code: error?.code ?? null, error_detail: error?.detail ?? null })
    .where('task_id', '=', taskId)
    .where('status', '=', 'processing')
    .returning('confidence')
    .executeTakeFirst();
  const counts = await countParts(trx, taskId);
  await trx.deleteFrom('collection_parts').where('run', '=', taskId).execute();
  return row === undefined ? null : { locationsConfidence: row.confidence, counts };
}

/** The sums of what the parts of a run say they hold. */
async function countParts(trx: Transaction<Database>, run: string): Promise<CollectionCounts> {
  const sum = (kind: Exclude<keyof CollectionCounts, 'groups'>) =>
    sql`coalesce(sum((summary->'counts'->>${sql.lit(kind)})::int), 0)::int as ${sql.ref(kind)}`;
  const { rows } = await sql<CollectionCounts>`
    select ${sum('locations')}, ${sum('plots')}, ${sum('facilities')}, ${sum('measured')}, ${sum('problems')}
    from collection_parts where run = ${run}`.execute(trx);
  return rows[0]!;
}

/** Keeps the results of a task, which were written in chunks, as a blob of its own. */
export async function resultsAsBlob(
  trx: Transaction<Database>,
  run: { readonly id: string; readonly attempt: number },
  size: number,
): Promise<string> {
  const { id } = await trx.insertInto('blobs').values({ size }).returning('id').executeTakeFirstOrThrow();
  await sql`
    insert into blob_chunks (blob_id, seq, bytes)
    select ${id}::uuid, seq, bytes from task_chunks
    where task_id = ${run.id} and direction = 'output' and attempt = ${run.attempt}`.execute(trx);
  return id;
}

function afterwards(status: 'staged' | 'failed' | 'cancelled') {
  return sql<typeof status>`case when run is null then ${status} else 'completed' end`;
}

const NO_CONFIDENCE = { confidence: null, confidenceCounts: null, confidenceReasons: null };

function confidenceColumns({
  confidence,
  confidenceCounts,
  confidenceReasons,
}: ConfidenceOutcome | typeof NO_CONFIDENCE) {
  return {
    confidence,
    confidence_counts: confidenceCounts === null ? null : JSON.stringify(confidenceCounts),
    confidence_reasons: confidenceReasons === null ? null : JSON.stringify(confidenceReasons),
  };
}
