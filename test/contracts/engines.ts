import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { copyFirstDatabase } from '../first-database.ts';

/** An empty database of one engine, made for one test file. */
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
}

/** A server that is not there refuses at once; one on a busy machine may take its time. */
const CONNECT_MS = 30_000;
const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** Both engines; PostgreSQL is skipped with a line that says so when no server answers, and fails under REQUIRE_POSTGRES=1. */
export async function testEngines(): Promise<readonly TestEngine[]> {
  const fault = await serverFault();
  if (fault !== null) {
    const line = `no PostgreSQL at ${SERVER.replace(/\/\/.*@/, '//')}: ${fault}`;
    if (process.env['REQUIRE_POSTGRES'] === '1') throw new Error(`REQUIRE_POSTGRES=1 and ${line}`);
    console.error(`\n*** THE POSTGRESQL HALF OF THIS SUITE DOES NOT RUN: ${line} ***\n`);
  }
  return [
    { name: 'embedded', skip: false, create: createEmbedded },
    { name: 'postgres', skip: fault === null ? false : 'no PostgreSQL server answers', create: createPostgres },
  ];
}

async function createEmbedded(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-test-'));
  await copyFirstDatabase(dataDir);
  return { dataDir, databaseUrl: null, drop: () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }) };
}

async function createPostgres(): Promise<TestDatabase> {
  const name = `firstmile_test_${randomBytes(6).toString('hex')}`;
  await onServer(`create database ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const dataDir = join(tmpdir(), name);
  return {
    dataDir,
    databaseUrl: url.href,
    async drop() {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: SERVER, connectionTimeoutMillis: CONNECT_MS });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function serverFault(): Promise<string | null> {
  try {
    await onServer('select 1');
    return null;
  } catch (error) {
    return (error as Error).message || String(error);
  }
}
