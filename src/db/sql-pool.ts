import type { PostgresPool } from 'kysely';

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
