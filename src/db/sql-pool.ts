import type { PostgresPool } from 'kysely';
import { Problem } from '../errors.ts';

export interface SqlResult {
  readonly command: string;
  readonly rowCount: number;
  readonly rows: unknown[];
}

/** One session of the database; whoever took it gives it back with `release`. */
export interface SqlClient {
  query(sql: string, parameters?: readonly unknown[]): Promise<SqlResult>;
  /** Pass true to throw the session away instead of lending it again. */
  release(destroy?: boolean): void;
}

/** Where sessions come from: the same narrow shape over the embedded engine and over a server. */
export interface SqlPool {
  connect(): Promise<SqlClient>;
  end(): Promise<void>;
}

/** The same pool under the type that kysely requires. */
export function asKyselyPool(pool: SqlPool): PostgresPool {
  return { connect: () => pool.connect(), end: () => pool.end(), options: {} } as PostgresPool;
}

/** Failures of PostgreSQL, by SQLSTATE, that no change of the request can mend, in words for whoever runs the service. */
const FAILURES: Readonly<Record<string, string>> = {
  '53100': 'The disk of the database is full: nothing of this was stored. It goes on as soon as there is room.',
  '53200': 'The database is out of memory: nothing of this was stored.',
  '25006': 'The database takes no writes at the moment, as during a failover: nothing of this was stored.',
  '58030': 'The database cannot read or write its files.',
  XX001: 'A page of the database is damaged; the operator has to restore it from a backup.',
  XX002: 'An index of the database is damaged; the operator has to rebuild it or restore a backup.',
};

const RETRY_AFTER_S = 30;

/** An error of the database as `Problem('dependency_unavailable')` where it is the database's own trouble; any other unchanged. */
export function asDatabaseProblem(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  const text = typeof code === 'string' ? FAILURES[code] : undefined;
  if (text === undefined) return error;
  return new Problem('dependency_unavailable', text, { cause: error as Error, retryAfterS: RETRY_AFTER_S });
}
