import { sql, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import type { SqlClient } from '../sql-pool.ts';

/** A table as it is copied. */
export interface BackupTable {
  readonly name: string;
  /** Columns that are stored, with their SQL type; generated ones are not. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Tables whose rows its rows refer to. */
  readonly parents: readonly string[];
}

/** Every table of ours; others in the same schema are left alone. */
const OWN_TABLES = {
  audit_log: true,
  blob_chunks: true,
  blobs: true,
  collection_parts: true,
  collection_watch_runs: true,
  collection_watches: true,
  collections: true,
  email_attachments: true,
  email_attempts: true,
  emails: true,
  // The first migration that has it gives it its row, which a restore replaces.
  installation: 'has a row',
  object_sweep: true,
  review_rows: true,
  reviews: true,
  secrets: true,
  signing_keys: true,
  task_chunks: true,
  task_turns: true,
  tasks: true,
  tokens: true,
  trace_links: true,
  traces_credentials: true,
  traces_submissions: true,
  users: true,
  webhook_attempts: true,
  webhook_deliveries: true,
  webhook_events: true,
  webhooks: true,
} as const satisfies Record<keyof Database, true | 'has a row'>;

/** Whether a table has rows before anything was stored. */
export function hasRowsAtFirst(name: string): boolean {
  return (OWN_TABLES as Readonly<Record<string, unknown>>)[name] === 'has a row';
}

/** Text fetched or inserted at once, about. */
const BATCH_CHARACTERS = 4_000_000;
const FIRST_ROWS = 32;
const MOST_ROWS = 5_000;
/** Their values travel as text, because JSON within JSON loses its spaces, and its `null` is taken for no value. */
const JSON_TYPES = new Set(['json', 'jsonb']);

const TABLES = `
  select c.relname::text as name,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    coalesce((select json_agg(distinct p.relname) from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> f.conrelid), '[]') as parents
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
    and c.relname = any($1)
  order by c.relname`;

/** The tables that a backup keeps, each after those it refers to. */
export async function listTables(client: SqlClient): Promise<readonly BackupTable[]> {
  const { rows } = await client.query(TABLES, [Object.keys(OWN_TABLES)]);
  return parentsFirst(rows as BackupTable[]);
}

/** The version of the tables; 0 where there are none. */
export async function tablesVersion(client: SqlClient): Promise<number> {
  const { rows: found } = await client.query(`select to_regclass('migrations') is not null as there`);
  if ((found[0] as { there: boolean }).there !== true) return 0;
  const { rows } = await client.query('select coalesce(max(version), 0)::int as version from migrations');
  return (rows[0] as { version: number }).version;
}

/** The bucket that files of these rows lie in; null where all are in the database. */
export async function bucketOfRows(client: SqlClient): Promise<string | null> {
  const { rows } = await client.query('select files_at from installation');
  return (rows[0] as { files_at: string | null } | undefined)?.files_at ?? null;
}

/** An object of the bucket that a row names. */
export interface NamedObject {
  readonly key: string;
  readonly size: number;
  /** In hexadecimal; null where the row does not have it. */
  readonly sha256: string | null;
}

/** The objects that these rows name and that can be read: uploads that are under way are not among them. */
export async function objectsOfRows(client: SqlClient): Promise<readonly NamedObject[]> {
  const { rows } = await client.query(`
    select object_key as key, size::float8 as size, sha256 from blobs where object_key is not null and size is not null
    union all
    select result_key, result_size, null from tasks where result_key is not null`);
  return rows as unknown as NamedObject[];
}

/** The rows of a table as JSON objects, some at a time; inside a transaction. */
export async function* dumpTable(
  client: SqlClient,
  { name, columns }: BackupTable,
): AsyncGenerator<readonly string[], void> {
  const values = columns.map((column) =>
    JSON_TYPES.has(column.type) ? `${quoted(column.name)}::text as ${quoted(column.name)}` : quoted(column.name),
  );
  await client.query(
    `declare backup_rows no scroll cursor for select row_to_json(t)::text as row from (select ${values.join(', ')} from ${quoted(name)}) t`,
  );
  for (let count = FIRST_ROWS; ;) {
    const { rows } = await client.query(`fetch ${count} from backup_rows`);
    if (rows.length === 0) break;
    const texts = (rows as { row: string }[]).map(({ row }) => row);
    yield texts;
    const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    count = Math.min(MOST_ROWS, Math.max(1, Math.floor(BATCH_CHARACTERS / average)));
  }
  await client.query('close backup_rows');
}

/** Writes rows that `dumpTable` gave into a table of the same columns; returns how many. */
export async function loadTable(
  trx: Transaction<never>,
  { name, columns }: BackupTable,
  rows: AsyncIterable<string>,
): Promise<number> {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const values = columns.map(({ name: column, type }) =>
    JSON_TYPES.has(type) ? `${quoted(column)}::${type}` : quoted(column),
  );
  const types = columns.map((column) => `${quoted(column.name)} ${JSON_TYPES.has(column.type) ? 'text' : column.type}`);
  const insert = async (batch: readonly string[]): Promise<void> => {
    await sql`insert into ${sql.raw(quoted(name))} (${sql.raw(names)}) overriding system value
      select ${sql.raw(values.join(', '))} from json_to_recordset(${`[${batch.join(',')}]`}::text::json)
      as t(${sql.raw(types.join(', '))})`.execute(trx);
  };
  if (hasRowsAtFirst(name)) await sql`delete from ${sql.raw(quoted(name))}`.execute(trx);
  let [count, characters] = [0, 0];
  let batch: string[] = [];
  for await (const row of rows) {
    batch.push(row);
    count++;
    characters += row.length;
    if (characters < BATCH_CHARACTERS && batch.length < MOST_ROWS) continue;
    await insert(batch);
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) await insert(batch);
  return count;
}

/** Sets the counters of numbered columns after rows were written with numbers of their own. */
export async function advanceCounters(trx: Transaction<never>, { name, columns }: BackupTable): Promise<void> {
  for (const column of columns) {
    const { rows } = await sql<{ sequence: string | null }>`
      select pg_get_serial_sequence(${quoted(name)}, ${column.name}) as sequence`.execute(trx);
    const sequence = rows[0]?.sequence;
    if (sequence == null) continue;
    const [from, number] = [sql.raw(quoted(name)), sql.raw(quoted(column.name))];
    await sql`select setval(${sequence}, max(${number})) from ${from} having max(${number}) is not null`.execute(trx);
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function parentsFirst(tables: readonly BackupTable[]): readonly BackupTable[] {
  const ordered: BackupTable[] = [];
  const place = (table: BackupTable, from: readonly string[]): void => {
    if (ordered.includes(table)) return;
    if (from.includes(table.name)) throw new Error(`the tables ${from.join(', ')} refer to each other in a circle`);
    for (const parent of table.parents) {
      const found = tables.find(({ name }) => name === parent);
      if (found !== undefined) place(found, [...from, table.name]);
    }
    ordered.push(table);
  };
  for (const table of tables) place(table, []);
  return ordered;
}
