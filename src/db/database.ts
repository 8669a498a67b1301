import type { AuditedAct } from '../auth/audit-log.ts';
import type { ColumnType, Generated } from 'kysely';
import type { ErrorCode } from '../errors.ts';
import type { TaskStatus } from '../jobs/task.ts';
import type { DeliveryState, FailureReason } from '../webhooks/delivery.ts';
import type { CollectionTables } from './collections/collection-tables.ts';
import type { EmailTables } from './email/email-tables.ts';
import type { WatchTables } from './watches/watch-tables.ts';
import type { ReviewTables } from './reviews/review-tables.ts';
import type { SigningTables } from './signatures/signing-tables.ts';
import type { TracesTables } from './traces/traces-tables.ts';

/** Filled by the database's clock; the code only reads it. */
type DatabaseTime = ColumnType<Date, never, never>;
/** Bytes come back as the driver makes them (a `Buffer` is a `Uint8Array`). */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

/** The tables of the service, as the migrations make them. */
export interface Database
  extends EmailTables, CollectionTables, TracesTables, SigningTables, WatchTables, ReviewTables {
  readonly users: UsersTable;
  readonly tokens: TokensTable;
  readonly secrets: SecretsTable;
  readonly tasks: TasksTable;
  readonly task_turns: TaskTurnsTable;
  readonly task_chunks: TaskChunksTable;
  readonly blobs: BlobsTable;
  readonly blob_chunks: BlobChunksTable;
  readonly object_sweep: ObjectSweepTable;
  readonly installation: InstallationTable;
  readonly webhooks: WebhooksTable;
  readonly webhook_events: WebhookEventsTable;
  readonly webhook_deliveries: WebhookDeliveriesTable;
  readonly webhook_attempts: WebhookAttemptsTable;
  readonly audit_log: AuditLogTable;
  readonly trace_links: TraceLinksTable;
}

interface TraceLinksTable {
  subject: string;
  /** With the `tracestate` that came along after a space. */
  traceparent: string;
  made_at: DatabaseTime;
}

interface AuditLogTable {
  id: Generated<string>;
  at: ColumnType<Date, Date | undefined, never>;
  actor: string;
  credential: string;
  source: string;
  act: AuditedAct;
  target: string;
  detail: ColumnType<Readonly<Record<string, unknown>>, string, never>;
}

interface UsersTable {
  id: Generated<string>;
  /** As the user wrote it; unique by `lower(email)`. */
  email: string;
  password_hash: string | null;
  created_at: DatabaseTime;
}

interface TokensTable {
  id: Generated<string>;
  user_id: string;
  label: string;
  /** JSON array of scopes. */
  scopes: ColumnType<string[], string, never>;
  hash: Bytes;
  created_at: DatabaseTime;
  expires_at: ColumnType<Date | null, Date | null, never>;
  revoked_at: ColumnType<Date | null, never, Date>;
  last_used_at: ColumnType<Date | null, never, Date>;
}

interface SecretsTable {
  name: string;
  value: Bytes;
  created_at: DatabaseTime;
}

interface TasksTable {
  id: string;
  kind: string;
  /** Whoever the principal names: a user of ours, of an outside issuer or of the internal key. */
  user_id: string;
  /** `receiving` while the input is still being stored: no owner and no worker sees such a task. */
  status: TaskStatus | 'receiving';
  params: ColumnType<unknown, string, never>;
  /** The blob that is the input; null where it lies in `task_chunks`. */
  input_blob: string | null;
  progress_done: Generated<number>;
  progress_total: number | null;
  /** What the run is at, for people; null where a task has no phases. */
  progress_phase: string | null;
  /** Goes up with every claim; together with `lease_owner` it is the fencing token of a run. */
  attempt: Generated<number>;
  deaths: Generated<number>;
  /** Ends of the process that worked on it, since it kept something last. */
  process_crashes: Generated<number>;
  /** When its file could not be reached for the first time since it last got further. */
  away_since: Date | null;
  /** How often its worker thread crashed on a step that it worked on alone. */
  crashes_of: Generated<Record<string, number>>;
  /** The process that works on the task; null while it waits. */
  lease_owner: string | null;
  lease_until: Date | null;
  /** Host and process of the run that has the lease, or had it last, for people; and when it began. */
  worker: string | null;
  begun_at: Date | null;
  /** Of a part: the task that was cut, and its number among the parts. Null for what users submit. */
  parent: string | null;
  part: number | null;
  /** Of a task that is cut: parts that are not done, -1 once the run that joins them has begun. Null: it is not cut. */
  parts_left: number | null;
  /** What the run that cut the task says to the one that joins its parts. */
  cut: ColumnType<unknown, string | null, string | null>;
  result_type: string | null;
  result_chunks: number | null;
  /** The object that holds the results, and its bytes; null where they lie in `task_chunks`. */
  result_key: string | null;
  result_size: number | null;
  /** Until when a process moves the results into a bucket. */
  moving_until: Date | null;
  error_code: ErrorCode | null;
  error_detail: string | null;
  /** Entries of reviews of its results. */
  reviews: Generated<number>;
  idempotency_key: string | null;
  fingerprint: Uint8Array | null;
  /** Seconds the task is kept once it is finished. */
  retention_s: number;
  created_at: ColumnType<Date, never, Date>;
  finished_at: Date | null;
  expires_at: Date | null;
}

interface TaskTurnsTable {
  user_id: string;
  served_at: Date;
}

interface TaskChunksTable {
  task_id: string;
  direction: 'input' | 'output';
  /** 0 for input, the run that wrote it for output. */
  attempt: number;
  seq: number;
  bytes: Bytes;
}

interface BlobsTable {
  id: Generated<string>;
  /** Null until every chunk is stored. */
  size: number | null;
  /** The object that holds the bytes; null where they lie in `blob_chunks`. */
  object_key: string | null;
  /** Of what the object holds, in hexadecimal; null where it is not known. */
  sha256: string | null;
  /** Until when a process moves the bytes into a bucket. */
  moving_until: Date | null;
  created_at: DatabaseTime;
}

/** Objects of the bucket that are removed once they are due. */
interface ObjectSweepTable {
  key: string;
  due_at: ColumnType<Date, Date | undefined, Date>;
}

/** One row, which names this database and the bucket that its files lie in. */
interface InstallationTable {
  id: Generated<string>;
  /** As the bucket is named to people; null where the files lie in the database. */
  files_at: string | null;
}

interface BlobChunksTable {
  blob_id: string;
  seq: number;
  bytes: Bytes;
}

interface WebhooksTable {
  id: string;
  user_id: string;
  url: string;
  /** Host name of `url`; requests to one host are counted by it. */
  host: string;
  /** Sealed. */
  secret: string;
  /** Sealed; signs as well until `previous_until`. */
  previous_secret: string | null;
  previous_until: Date | null;
  /** True until the receiver has accepted the new secret. */
  previous_first: Generated<boolean>;
  /** Events in a row that failed for good. */
  failures: Generated<number>;
  paused_at: Date | null;
  /** When one delivery of a paused webhook is let go as a trial. */
  probe_at: Date | null;
  /** Types of event it gets. */
  events: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  /** Where notices go when the user is none of ours; null: nowhere. */
  notice_email: string | null;
  /** What notices are written in; null: English. */
  notice_language: string | null;
  created_at: DatabaseTime;
}

interface WebhookEventsTable {
  id: string;
  user_id: string;
  type: string;
  /** What happens once only, such as the completion of one batch. */
  unique_key: string | null;
  /** The bytes that are signed and sent; null once its delivery was deleted. */
  body: string | null;
  created_at: Date;
}

interface WebhookDeliveriesTable {
  id: string;
  event_id: string;
  user_id: string;
  /** The registration it belongs to; another one of the same user never gets it by itself. */
  webhook_id: string;
  url: string;
  state: DeliveryState;
  /** Attempts in the log. */
  attempts: Generated<number>;
  retries_left: number;
  /** Null unless pending; the end of the lease while it is sent; `infinity` while its webhook is paused. */
  next_attempt_at: Date | null;
  /** Goes up with every claim; together with `lease_owner` the fencing token. */
  token: Generated<number>;
  /** Claims since the last recorded outcome: more than one when a sender stopped on the way. */
  claims: Generated<number>;
  lease_owner: string | null;
  lease_until: Date | null;
  created_at: Date;
  finished_at: Date | null;
}

interface WebhookAttemptsTable {
  delivery_id: string;
  number: number;
  started_at: Date;
  duration_ms: number;
  status: number | null;
  reason: FailureReason | null;
  detail: string | null;
  address: string | null;
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  excerpt: string | null;
  next_attempt_at: Date | null;
}
