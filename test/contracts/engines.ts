import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { clusterKey } from '../../src/db/embedded/prepared-cluster.ts';
import { createLog } from '../../src/log.ts';
import { copyFirstDatabase } from '../first-database.ts';
import { isLongRun } from '../property-runs.ts';

/** A database of one engine in which nothing is kept yet, made for one test file. */
export interface TestDatabase {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  drop(): Promise<void>;
}

export interface TestEngine {
  readonly name: 'embedded' | 'postgres';
  /** Why the engine cannot be tested here, or false. */
  readonly skip: string | false;
  create(): Promise<TestDatabase>;
  /** The same without tables. */
  createEmpty(): Promise<TestDatabase>;
}

/** A server that is not there refuses at once; one on a busy machine may take its time. */
const CONNECT_MS = 30_000;
const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** Without name and password. */
const SHOWN_SERVER = SERVER.replace(/\/\/.*@/, '//');

/** Both engines; PostgreSQL is skipped with a line that says so when no server answers. */
export function testEngines(): readonly TestEngine[] {
  const fault = serverFault();
  return [
    { name: 'embedded', skip: false, create: createEmbedded, createEmpty: embeddedDatabase },
    {
      name: 'postgres',
      skip: fault === null ? false : 'no PostgreSQL server answers',
      create: () => createPostgres(),
      createEmpty: createEmptyPostgres,
    },
  ];
}

/**
 * The engines for a test of what does not depend on them: PostgreSQL where a server answers, which takes half of the processor time
 * of the other, and both in `npm run test:long`.
 */
export function oneEngine(): readonly TestEngine[] {
  const engines = testEngines();
  return isLongRun ? engines : engines.filter(({ skip }) => skip === false).slice(-1);
}

/** A database for a test that is about neither engine: on the server, where a service starts in half of the processor time, else embedded. */
export function anyDatabase(): Promise<TestDatabase> {
  return serverFault() === null ? createPostgres() : embeddedDatabase();
}

async function createEmbedded(): Promise<TestDatabase> {
  const database = await embeddedDatabase();
  await copyFirstDatabase(database.dataDir);
  return database;
}

/** A folder in which nothing is yet. */
export async function embeddedDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-test-'));
  return { dataDir, databaseUrl: null, drop: () => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }) };
}

/** On the server, without tables. */
export const createEmptyPostgres = (): Promise<TestDatabase> => createPostgres('template1');

async function createPostgres(from?: string): Promise<TestDatabase> {
  const name = `firstmile_test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name} template ${from ?? (await (template ??= makeTemplate()))}`);
  const dataDir = join(tmpdir(), name);
  return {
    dataDir,
    databaseUrl: urlOf(name),
    async drop() {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

let template: Promise<string> | undefined;
/** Any fixed number: one process makes the template, the others wait for it. */
const TEMPLATE_LOCK = 5_118_203_377;

/** The name of a database that has all tables and that nobody uses: a copy takes a third of the processor time of making them. */
async function makeTemplate(): Promise<string> {
  const name = `firstmile_template_${clusterKey().slice(0, 16)}`;
  await onServer(`select pg_advisory_lock(${TEMPLATE_LOCK})`, async (server) => {
    const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    // Under its name once it is whole; what is left of an attempt that was interrupted goes.
    await server.query(`drop database if exists ${name}_draft with (force)`);
    await server.query(`create database ${name}_draft`);
    const { openStore } = await import('../../src/db/open-store.ts');
    const log = createLog({ level: 'warn', json: true });
    const store = await openStore({ dataDir: '', databaseUrl: urlOf(`${name}_draft`), poolSize: 1, log });
    await store.close();
    await server.query(`alter database ${name}_draft rename to ${name}`);
  });
  return name;
}

function urlOf(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer(statement: string, then?: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: SERVER, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`no PostgreSQL at ${SHOWN_SERVER}: ${message || String(error)}; set TEST_DATABASE_URL to one`, {
      cause: error,
    });
  }
  try {
    await client.query(statement);
    await then?.(client);
  } finally {
    await client.end();
  }
}

/** Connects to the server of its first word, and prints why that failed. */
const PROBE = `
  import { Client } from 'pg';
  const [connectionString, connectionTimeoutMillis] = [process.argv[1], Number(process.argv[2])];
  const client = new Client({ connectionString, connectionTimeoutMillis });
  await client.connect().catch((error) => console.log(error.message || String(error)));
  await client.end();`;

let fault: string | null | undefined;

/**
 * Why PostgreSQL does not answer, or null; looked at once a process, and not at all under REQUIRE_POSTGRES=1, where each test fails
 * without it. It waits, so that tests are described without waiting: see `describeFile` in test/groups.ts.
 */
function serverFault(): string | null {
  if (process.env['REQUIRE_POSTGRES'] === '1') return null;
  if (fault !== undefined) return fault;
  const words = ['--input-type=module', '--eval', PROBE, SERVER, String(CONNECT_MS)];
  fault = execFileSync(process.execPath, words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim() || null;
  if (fault !== null)
    console.error(
      `\n*** THE POSTGRESQL HALF OF THIS SUITE DOES NOT RUN: no PostgreSQL at ${SHOWN_SERVER}: ${fault} ***\n`,
    );
  return fault;
}
