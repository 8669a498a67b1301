import type { ColumnType, Generated } from 'kysely';
import type { ErrorCode } from '../errors.ts';
import type { TaskStatus } from '../tasks/task.ts';

/** Filled by the database's clock; the code only reads it. */
type DatabaseTime = ColumnType<Date, never, never>;
/** Bytes come back as the driver makes them (a `Buffer` is a `Uint8Array`). */
type Bytes = ColumnType<Uint8Array, Uint8Array, Uint8Array>;

/** The tables of the service, as the migrations make them. The tables of the queue belong to pg-boss and have a schema of their own. */
export interface Database {
  readonly users: UsersTable;
  readonly tokens: TokensTable;
  readonly secrets: SecretsTable;
  readonly tasks: TasksTable;
  readonly task_chunks: TaskChunksTable;
  readonly blobs: BlobsTable;
  readonly blob_chunks: BlobChunksTable;
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
  progress_done: Generated<number>;
  progress_total: number | null;
  /** Goes up with every claim; together with `lease_owner` it is the fencing token of a run. */
  attempt: Generated<number>;
  deaths: Generated<number>;
  /** The process that works on the task; null while it waits. */
  lease_owner: string | null;
  lease_until: Date | null;
  /** The job of the queue that stands for the waiting task. */
  ticket: string | null;
  result_type: string | null;
  result_chunks: number | null;
  error_code: ErrorCode | null;
  error_detail: string | null;
  idempotency_key: string | null;
  fingerprint: Uint8Array | null;
  /** Seconds the task is kept once it is finished. */
  retention_s: number;
  created_at: ColumnType<Date, never, Date>;
  finished_at: Date | null;
  expires_at: Date | null;
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
  created_at: DatabaseTime;
}

interface BlobChunksTable {
  blob_id: string;
  seq: number;
  bytes: Bytes;
}
