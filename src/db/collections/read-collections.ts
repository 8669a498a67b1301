import { type Kysely, type Selectable, sql } from 'kysely';
import type { BatchRun, Collection, CollectionReader } from '../../collections/collection.ts';
import { unpackRecords } from './pack-records.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import { Problem } from '../../errors.ts';
import type { Database } from '../database.ts';
import { pageIsGone } from '../page-is-gone.ts';
import { readReviews } from '../reviews/read-reviews.ts';
import { isUuid } from '../sql-values.ts';

/** The collections of users, read from the database: one statement a part of some hundred records. */
export function createCollectionReader(db: Kysely<Database>): CollectionReader {
  return {
    async get(userId, id) {
      if (!isUuid(id)) return null;
      const row = await db
        .selectFrom('collections')
        .selectAll()
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row === undefined ? null : collectionFromRow(row);
    },

    async list(userId, { limit, before }) {
      if (before !== undefined && (await this.get(userId, before)) === null) throw pageIsGone('collection', before);
      const rows = await db
        .selectFrom('collections')
        .selectAll()
        .where('user_id', '=', userId)
        // Compared in the database: a Date of JavaScript has lost the microseconds that order two rows.
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(created_at, id) < (select created_at, id from collections where id = ${before})`),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(collectionFromRow);
    },

    records: (collection, from = 0) => records(db, collection, from),

    async *parts(collection) {
      for await (const { bytes } of storedParts(db, collection, 0)) yield bytes;
    },
  };
}

async function* records(db: Kysely<Database>, collection: Collection, from: number): AsyncGenerator<PlotRecord, void> {
  for await (const { first, bytes } of storedParts(db, collection, from)) {
    const records = await withReviews(db, collection, first, await unpackRecords(bytes));
    yield* first < from ? records.slice(from - first) : records;
  }
}

/** The records of a part with what people decided of them, up to the entry that the collection was read with. */
async function withReviews(
  db: Kysely<Database>,
  { id, reviews: upTo }: Collection,
  from: number,
  records: readonly PlotRecord[],
): Promise<readonly PlotRecord[]> {
  const found = upTo === 0 ? [] : await readReviews(db, id, { from, to: from + records.length, upTo });
  const byNumber = new Map(found.map(({ number, ...review }) => [number, review]));
  return records.map((record) => ({ ...record, review: byNumber.get(record.number) ?? null }));
}

interface StoredPart {
  /** `number` of its first record. */
  readonly first: number;
  readonly bytes: Uint8Array;
}

/** The parts that hold the record `from` and those after it. */
async function* storedParts(db: Kysely<Database>, { id }: Collection, from: number): AsyncGenerator<StoredPart, void> {
  const shown = await db
    .selectFrom('collections')
    .select(['run', 'status', 'confidence', 'task_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (shown === undefined) throw changedMeanwhile(id);
  // Until a batch is done, what was validated at staging is there.
  const isChecked = shown.status === 'staged' && shown.confidence !== null;
  const run = shown.run ?? (isChecked ? shown.task_id : null);
  if (run !== null) yield* partsOfRun(db, id, run, from);
}

/** The records of one of the batches that are kept. @throws Problem when it is kept no more. */
export async function* recordsOfRun(
  db: Kysely<Database>,
  { id }: Pick<Collection, 'id'>,
  run: string,
): AsyncGenerator<PlotRecord, void> {
  const row = await db.selectFrom('collections').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || !runsOf(row).some((kept) => kept.id === run)) throw changedMeanwhile(id);
  for await (const { bytes } of partsOfRun(db, id, run, 0)) yield* await unpackRecords(bytes);
}

async function* partsOfRun(
  db: Kysely<Database>,
  id: string,
  run: string,
  from: number,
): AsyncGenerator<StoredPart, void> {
  const parts = await db
    .selectFrom('collection_parts')
    .select(['seq', 'first_number'])
    .where('run', '=', run)
    .where(sql<boolean>`first_number + count > ${from}::int`)
    .orderBy('seq')
    .execute();
  for (const { seq, first_number: first } of parts) {
    const part = await db
      .selectFrom('collection_parts')
      .select('bytes')
      .where('run', '=', run)
      .where('seq', '=', seq)
      .executeTakeFirst();
    if (part === undefined) throw changedMeanwhile(id);
    yield { first, bytes: part.bytes };
  }
}

/** What is read of a collection that is there no more would look like one that holds nothing. */
function changedMeanwhile(id: string): Problem {
  const detail = `The collection ${id} was deleted or processed again while it was read; wanted the request sent again.`;
  return new Problem('collection_not_ready', detail);
}

type CollectionRow = Selectable<Database['collections']>;

/** The collection as its owner sees it. */
export function collectionFromRow(row: CollectionRow): Collection {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    description: row.description,
    status: row.status,
    file: { name: row.file_name, size: row.file_size, sha256: row.file_sha256 },
    mapping: row.mapping,
    options: row.options,
    counts: row.counts,
    locationsConfidence: row.confidence,
    confidenceCounts: row.confidence_counts,
    confidenceReasons: row.confidence_reasons,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    taskId: row.task_id,
    reviews: row.reviews,
    runs: runsOf(row),
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

function runsOf({
  run,
  options,
  counts,
  completed_at: completedAt,
  earlier_runs: earlier,
}: CollectionRow): readonly BatchRun[] {
  if (run === null || options === null || counts === null || completedAt === null) return [];
  return [
    { id: run, options, counts, completedAt },
    ...earlier.map(({ run: id, completedAt: at, ...rest }) => ({ id, ...rest, completedAt: new Date(at) })),
  ];
}
