import { type Kysely, sql } from 'kysely';
import { credentials } from './0001-credentials.ts';
import { tasks } from './0002-tasks.ts';
import { webhooks } from './0003-webhooks.ts';
import { email } from './0004-email.ts';
import { collections } from './0005-collections.ts';
import { traces } from './0014-traces.ts';
import { objectStore } from './0020-object-store.ts';
import { signingKeys } from './0022-signing-keys.ts';
import { watches } from './0023-watches.ts';
import { reviews } from './0024-reviews.ts';
import { earlierRuns } from './0025-earlier-runs.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (db: Kysely<unknown>) => Promise<void>;
}

/** Every step from an empty database to the tables of `database.ts`. A step that was released is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'credentials', up: credentials },
  { version: 2, name: 'tasks', up: tasks },
  { version: 3, name: 'webhooks', up: webhooks },
  { version: 4, name: 'email', up: email },
  { version: 5, name: 'collections', up: collections },
  { version: 6, name: 'batch events', up: batchEvents },
  { version: 7, name: 'task turns', up: taskTurns },
  { version: 8, name: 'collection mapping', up: collectionMapping },
  { version: 9, name: 'audit log', up: auditLog },
  { version: 10, name: 'process crashes', up: processCrashes },
  { version: 11, name: 'suspects', up: suspects },
  { version: 12, name: 'rate counts', up: rateCounts },
  { version: 13, name: 'crashes of steps', up: crashesOfSteps },
  { version: 14, name: 'traces', up: traces },
  { version: 15, name: 'one queue', up: oneQueue },
  { version: 16, name: 'parts of tasks', up: partsOfTasks },
  { version: 20, name: 'object store', up: objectStore },
  { version: 21, name: 'trace links', up: traceLinks },
  { version: 22, name: 'signing keys', up: signingKeys },
  { version: 23, name: 'watches', up: watches },
  { version: 24, name: 'reviews', up: reviews },
  { version: 25, name: 'earlier runs', up: earlierRuns },
  { version: 26, name: 'processes', up: processes },
  { version: 27, name: 'new plots of watches', up: newPlotsOfWatches },
  { version: 28, name: 'languages of emails', up: languagesOfEmails },
  { version: 29, name: 'several earlier runs', up: severalEarlierRuns },
  { version: 30, name: 'waiting tasks', up: waitingTasks },
];

/** Which events a webhook gets, and where notices about its deliveries go when its user is none of ours. */
async function batchEvents(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks add column events text[] not null
    default '{batch_zonal_stats_complete,test_event}'`.execute(db);
  await sql`alter table webhooks add column notice_email text`.execute(db);
}

/** When a task of each user was begun last, so that users take turns. */
async function taskTurns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table task_turns (
      user_id text primary key,
      served_at timestamptz not null
    )`.execute(db);
}

/** How the columns of a collection's file were read: as it was staged, then as its last completed batch read it. */
async function collectionMapping(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections add column mapping json`.execute(db);
}

/** Who changed what: rows are added and, once their retention is over, deleted; nothing changes them. */
async function auditLog(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit_log (
      id uuid primary key default gen_random_uuid(),
      at timestamptz not null default clock_timestamp(),
      actor text not null,
      credential text not null,
      source text not null,
      act text not null,
      target text not null,
      detail json not null
    )`.execute(db);
  await sql`create index audit_log_newest on audit_log (at desc, id desc)`.execute(db);
}

/** How often the process that worked on a task ended under it, counted apart from crashes of the task itself. */
async function processCrashes(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column process_crashes integer not null default 0`.execute(db);
}

/** Which item a task works on alone, and which one its worker thread crashed on last, how often in a row. */
async function suspects(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks
    add column working_on integer,
    add column suspect integer,
    add column suspect_crashes integer not null default 0`.execute(db);
}

/** Which span caused a task or a delivery, for whoever works on it later; written only while traces are sent. */
async function traceLinks(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trace_links (
      subject text primary key,
      traceparent text not null,
      made_at timestamptz not null default now()
    )`.execute(db);
}

/** Requests of each client in its running windows. Not logged: counts that a crash of the database forgets begin again at 0. */
async function rateCounts(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table rate_counts (
    key text primary key,
    used_1 integer not null,
    ends_1 timestamptz not null,
    used_2 integer not null,
    ends_2 timestamptz not null,
    allowed boolean not null
  )`.execute(db);
  await sql`create index rate_counts_ends on rate_counts (greatest(ends_1, ends_2))`.execute(db);
}

/** How often the worker thread of a task crashed on each step that it worked on alone. */
async function crashesOfSteps(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks
    drop column working_on,
    drop column suspect,
    drop column suspect_crashes,
    add column crashes_of jsonb not null default '{}'`.execute(db);
}

/** Waiting tasks are rows of our own and nothing else; the tables of pg-boss, which handed out their turns before, go. */
async function oneQueue(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks drop column ticket`.execute(db);
  await sql`drop schema if exists pgboss cascade`.execute(db);
}

/**
 * A task may be cut into parts, which are tasks of their own that nobody sees. It waits until none of them is left, and is then
 * claimed once more to join what they made; `cut` is what the run that cut it has to say to that one.
 * `worker` and `begun_at` say who runs it, and since when.
 */
async function partsOfTasks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks
    add column parent uuid references tasks on delete cascade,
    add column part integer,
    add column parts_left integer,
    add column cut json,
    add column worker text,
    add column begun_at timestamptz`.execute(db);
  await sql`create unique index tasks_parts on tasks (parent, part) where parent is not null`.execute(db);
  await sql`create index tasks_waiting_parts on tasks (parent, part)
    where status = 'processing' and lease_until is null and parent is not null`.execute(db);
  // Few of a user's tasks are unfinished, and a task may have thousands of parts.
  await sql`drop index tasks_waiting`.execute(db);
  await sql`drop index tasks_unfinished`.execute(db);
  await sql`create index tasks_unfinished on tasks (user_id, created_at)
    where status = 'processing' and parent is null`.execute(db);
}

/** The processes at work on the database, with the settings that all of them need to have in common. Not logged: see `db/processes.ts`. */
async function processes(db: Kysely<unknown>): Promise<void> {
  await sql`create unlogged table processes (
    id uuid primary key,
    name text not null,
    settings json not null,
    beats integer not null default 0,
    seen_at timestamptz not null default clock_timestamp()
  )`.execute(db);
}

/** Plots that a run of a watch found for the first time, and that are not cleared. */
async function newPlotsOfWatches(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collection_watch_runs add column new_plots json not null default '[]'`.execute(db);
}

/** What reports of a watch, and notices about deliveries, are written in. */
async function languagesOfEmails(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collection_watches add column language text`.execute(db);
  await sql`alter table webhooks add column notice_language text`.execute(db);
}

/** Several batches of a collection before the last one, the newest first, in place of one. */
async function severalEarlierRuns(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collections rename column earlier to earlier_runs`.execute(db);
  await sql`update collections set earlier_runs =
    case when earlier_runs is null then '[]'::json else json_build_array(earlier_runs) end`.execute(db);
  await sql`alter table collections
    alter column earlier_runs set default '[]',
    alter column earlier_runs set not null`.execute(db);
}

/** Since when a task waits for a file that cannot be reached. */
async function waitingTasks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tasks add column away_since timestamptz`.execute(db);
}
