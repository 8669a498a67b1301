import { sql, type UpdateObject, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import { gunzipSync } from 'node:zlib';
import type { ClaimedFiling, FilingQueue, FilingRun, FilingUpdate } from '../../traces/filing/filing-queue.ts';
import type { Filing } from '../../traces/messages/statement.ts';
import type { Database } from '../database.ts';
import { leaseEnd, NO_LEASE, ofOtherOwner } from '../lease.ts';
import type { Store } from '../open-store.ts';

type Db = Store['db'];

/** Seconds without renewal after which a filer counts as lost; a call has less. */
const DEFAULT_LEASE_S = 180;

interface QueueOptions {
  /** Seconds of a lease. Default {@link DEFAULT_LEASE_S}. */
  readonly leaseS?: number;
}

/** Submissions for filers; `owner` names this process in leases. */
export async function openFilingQueue(
  store: Store,
  owner: string,
  { leaseS = DEFAULT_LEASE_S }: QueueOptions = {},
): Promise<FilingQueue> {
  const { db, blobs } = store;
  if (store.engine === 'embedded')
    await db.updateTable('traces_submissions').set(NO_LEASE).where(ofOtherOwner(owner)).execute();

  function held(
    run: FilingRun,
  ): UpdateQueryBuilder<Database, 'traces_submissions', 'traces_submissions', UpdateResult> {
    return db
      .updateTable('traces_submissions')
      .where('id', '=', run.id)
      .where('attempt', '=', run.attempt)
      .where('lease_owner', '=', owner);
  }

  return {
    claim: (count) => claim(db, owner, leaseS, count),
    async renew(runs) {
      for (const run of runs)
        await held(run)
          .set({ lease_until: leaseEnd(leaseS) })
          .execute();
    },
    async readContent(run, which) {
      const row = await db
        .selectFrom('traces_submissions')
        .select(['content_blob', 'pending_blob'])
        .where('id', '=', run.id)
        .executeTakeFirst();
      const id = which === 'content' ? row?.content_blob : row?.pending_blob;
      const blob = id == null ? null : await blobs.get(id);
      if (blob === null) return null;
      return JSON.parse(gunzipSync(Buffer.concat(await Array.fromAsync(blob.bytes))).toString('utf8')) as Filing;
    },
    async markHandedOver(run) {
      const { numUpdatedRows } = await held(run)
        .set({
          state: sql`case when change is null then 'sending' else state end`,
          sends: sql<number>`sends + case when change is null then 1 else 0 end`,
          handed_over_at: sql<Date>`clock_timestamp()`,
          awaits_answer: true,
          empty_answers: 0,
          lease_until: leaseEnd(leaseS),
        })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async record(run, update) {
      const { numUpdatedRows } = await held(run).set(columnsOf(update)).executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async giveBack(run) {
      const { numUpdatedRows } = await held(run)
        .set({ ...NO_LEASE, next_at: sql<Date>`now()` })
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

async function claim(db: Db, owner: string, leaseS: number, count: number): Promise<readonly ClaimedFiling[]> {
  const due = db
    .selectFrom('traces_submissions')
    .select('id')
    .where('next_at', '<=', sql<Date>`now()`)
    .where(sql<boolean>`(lease_until is null or lease_until < now())`)
    .orderBy('next_at')
    .limit(count)
    .forUpdate()
    .skipLocked();
  const rows = await db
    .updateTable('traces_submissions')
    .set({ attempt: sql<number>`attempt + 1`, lease_owner: owner, lease_until: leaseEnd(leaseS) })
    .where('id', 'in', due)
    .returningAll()
    .returning(sql<Date>`clock_timestamp()`.as('claimed_at'))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    attempt: row.attempt,
    userId: row.user_id,
    kind: row.kind,
    environment: row.environment,
    internalReference: row.internal_reference,
    state: row.state,
    change: row.change,
    uuid: row.uuid,
    handedOverAt: row.awaits_answer ? row.handed_over_at : null,
    sends: row.sends,
    emptyAnswers: row.empty_answers,
    failures: row.failures,
    createdAt: row.created_at,
    claimedAt: row.claimed_at,
  }));
}

function columnsOf(update: FilingUpdate): UpdateObject<Database, 'traces_submissions'> {
  const { queried } = update;
  return {
    ...NO_LEASE,
    ...(update.state === undefined ? {} : { state: update.state }),
    ...(update.uuid === undefined ? {} : { uuid: update.uuid }),
    ...(update.referenceNumber === undefined ? {} : { reference_number: update.referenceNumber }),
    ...(update.verificationNumber === undefined ? {} : { verification_number: update.verificationNumber }),
    ...(update.rejectionReason === undefined ? {} : { rejection_reason: update.rejectionReason }),
    ...(update.communication === undefined ? {} : { communication: update.communication }),
    failure: update.failure === null ? null : JSON.stringify(update.failure),
    failures: update.failure === null ? 0 : sql<number>`failures + 1`,
    ...(update.change === undefined
      ? {}
      : { change: null, pending_blob: null, pending_sha256: null, pending_summary: null }),
    ...(update.takesPending === undefined
      ? {}
      : {
          content_blob: sql<string>`pending_blob`,
          content_sha256: sql<string>`pending_sha256`,
          summary: sql<string>`pending_summary`,
        }),
    ...(update.isSettled === undefined ? {} : { awaits_answer: false }),
    ...(queried === undefined
      ? {}
      : {
          queried_at: sql<Date>`clock_timestamp()`,
          empty_answers: queried === 'empty' ? sql<number>`empty_answers + 1` : 0,
        }),
    ...(queried === 'not_yet_available' ? { not_yet_available_at: sql<Date>`clock_timestamp()` } : {}),
    ...(queried === 'available' ? { available_at: sql<Date>`coalesce(available_at, clock_timestamp())` } : {}),
    next_at:
      update.nextMs === null
        ? null
        : sql<Date>`clock_timestamp() + ${update.nextMs}::double precision * interval '1 millisecond'`,
  };
}
