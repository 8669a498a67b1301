import { Pool, type PoolClient, type QueryResult } from 'pg';
import { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { asDatabaseProblem, type SqlClient, type SqlPool } from '../sql-pool.ts';

interface PostgresOptions {
  readonly url: string;
  /** Most connections this process opens. */
  readonly poolSize: number;
  readonly log: Log;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 10_000;
/** A statement without an answer for this long means a connection that died without a word. */
const QUERY_TIMEOUT_MS = 120_000;

/**
 * Connects to a PostgreSQL server. At start an unreachable server throws a sentence that names host and database but
 * never the password; later a lost connection throws `Problem('dependency_unavailable')` from the query that met it,
 * and the next query connects again.
 */
export async function openPostgres(options: PostgresOptions): Promise<SqlPool> {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: 'firstmile',
  });
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'an idle database connection was lost'));
  // Nor has a session a listener between the pool's own and its borrower's, when it ends in the moment it is handed out;
  // its next query says that it is lost.
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    const client = await pool.connect();
    client.release();
  } catch (error) {
    await pool.end();
    throw new Error(`${publicAddress(options.url)} cannot be reached: ${reason(error)}`, { cause: error });
  }
  return { connect: () => connect(pool), end: () => pool.end() };
}

async function connect(pool: Pool): Promise<SqlClient> {
  let client: PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
  let lost = false;
  const onError = (): void => void (lost = true);
  client.on('error', onError);
  return {
    async query(sql, parameters = []) {
      try {
        const result: QueryResult | QueryResult[] = await client.query(sql, [...parameters]);
        const last = Array.isArray(result) ? result.at(-1) : result;
        const rows: unknown[] = Array.isArray(result) ? result.flatMap((one) => one.rows) : result.rows;
        return { command: last?.command ?? '', rowCount: last?.rowCount ?? 0, rows };
      } catch (error) {
        if (!lost && !isConnectionLost(error)) throw asDatabaseProblem(error);
        lost = true;
        throw unavailable(error);
      }
    },
    release(destroy = false) {
      client.off('error', onError);
      client.release(destroy || lost);
    },
  };
}

function unavailable(cause: unknown): Problem {
  return new Problem('dependency_unavailable', 'the database cannot be reached at the moment; try again shortly', {
    cause,
    retryAfterS: 2,
  });
}

/** The database that a URL names, for people, without its password. */
export function publicAddress(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `the database ${pathname.slice(1) || '(default)'} on ${hostname || 'localhost'}:${port || 5432} (DATABASE_URL)`;
}

/** The driver's own words, which never hold the password; several addresses of one host make several reasons. */
function reason(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map((one) => (one as Error).message).join('; ');
  return (error as Error).message;
}

const LOST_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: the administrator ended the session, the server is shutting down, starting up or full.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** What the driver says, without a code, about a socket that closed under it or a connection that did not come. */
const LOST_MESSAGES =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|connection ended unexpectedly/i;

/** True when an error of the driver means that the server went away, not that it refused the statement. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: string };
  if (code !== undefined && (LOST_CODES.has(code) || code.startsWith('08'))) return true;
  return LOST_MESSAGES.test(error.message);
}
