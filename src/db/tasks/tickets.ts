import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import type { Log } from '../../log.ts';
import type { Database } from '../database.ts';
import type { Store } from '../open-store.ts';

/** A job of pg-boss: the right to begin one waiting task once. Made and used up inside the caller's transaction. */
interface Ticket {
  readonly id: string;
  readonly taskId: string;
}

export interface Tickets {
  /** The queue of a kind has to exist before the transaction that uses it. */
  prepare(kind: string): Promise<void>;
  issue(trx: Transaction<Database>, kind: string, ticket: Ticket, options: { first: boolean }): Promise<void>;
  /** Takes this ticket out of the queue. */
  use(trx: Transaction<Database>, kind: string, id: string): Promise<void>;
  discard(kind: string, id: string): Promise<void>;
  stop(): Promise<void>;
}

/** Waiting is no reason to lose a task; pg-boss forgets a job that waited longer than this. */
const RETENTION_S = 10 * 365 * 86_400;
/** Queues never change once they are made, and a refresh that began earlier could drop a new one from the cache. */
const CACHE_S = 86_400;
/** Any fixed number. */
const QUEUE_LOCK = 7_239_411_804;

/**
 * Starts pg-boss on the store's own sessions. It only orders and hands out tickets: leases, crashes and limits of running
 * tasks are the store's, because pg-boss ends any job after 24 hours and counts a returned job as a retry.
 */
export async function openTickets(store: Store, log: Log): Promise<Tickets> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => execute(store, text, values) },
    backend: store.engine === 'embedded' ? 'pglite' : 'postgres',
    schema: 'pgboss',
    supervise: false,
    schedule: false,
    useListenNotify: false,
    queueCacheIntervalSeconds: CACHE_S,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the queue met an error'));
  await startAlone(store, () => boss.start());
  const prepared = new Map<string, Promise<void>>();

  return {
    prepare(kind) {
      const known = prepared.get(kind);
      if (known !== undefined) return known;
      const made = createQueue(boss, kind);
      prepared.set(kind, made);
      made.catch(() => prepared.delete(kind));
      return made;
    },

    async issue(trx, kind, ticket, { first }) {
      const id = await boss.send(
        queueName(kind),
        { taskId: ticket.taskId },
        { db: fromKysely(trx), id: ticket.id, priority: first ? 1 : 0, retryLimit: 0, retentionSeconds: RETENTION_S },
      );
      if (id === null) throw new Error(`the queue refused the ticket of task ${ticket.taskId}`);
    },

    async use(trx, kind, id) {
      await boss.deleteJob(queueName(kind), id, { db: fromKysely(trx) });
    },

    discard: async (kind, id) => void (await boss.deleteJob(queueName(kind), id)),
    stop: () => boss.stop({ graceful: false }),
  };
}

/** pg-boss fails when two processes make its schema at the same moment; the processes of a server take turns. */
async function startAlone(store: Store, start: () => Promise<unknown>): Promise<void> {
  if (store.engine === 'embedded') return void (await start());
  const client = await store.pool.connect();
  try {
    await client.query(`select pg_advisory_lock(${QUEUE_LOCK})`);
    await start();
  } finally {
    // The lock is the session's: it goes back with it.
    await client.query(`select pg_advisory_unlock(${QUEUE_LOCK})`).catch(() => {});
    client.release();
  }
}

/**
 * Makes the queue and lets pg-boss read its record, which it keeps. Without that the first use would read it on a session
 * of its own from inside our transaction, and the embedded database has no second session: both would wait for ever.
 */
async function createQueue(boss: PgBoss, kind: string): Promise<void> {
  await boss.createQueue(queueName(kind));
  await boss.findJobs(queueName(kind), { id: randomUUID() });
}

function queueName(kind: string): string {
  return `task.${kind}`;
}

async function execute(store: Store, text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
  const client = await store.pool.connect();
  try {
    const { rows } = await client.query(text, values);
    return { rows: rows as object[] };
  } catch (error) {
    // pg-boss sends whole transactions as one text; one that failed half way must not stay open in the session.
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
