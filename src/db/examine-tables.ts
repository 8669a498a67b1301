import { createLog } from '../log.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openPostgres } from './postgres/open-postgres.ts';

interface Tables {
  /** `PostgreSQL 15.14`. */
  readonly server: string;
  /** The version of the tables; 0 when there are none. */
  readonly version: number;
  /** The version that this code makes. */
  readonly newest: number;
}

/** Reads the version of a server and of its tables, and changes neither. Throws a sentence when it cannot be reached. */
export async function examineTables(url: string): Promise<Tables> {
  const pool = await openPostgres({ url, poolSize: 2, log: createLog({ level: 'silent', json: true }) });
  try {
    const client = await pool.connect();
    try {
      const [server] = (await client.query('show server_version')).rows as { server_version: string }[];
      const [there] = (await client.query(`select to_regclass('migrations') is not null as there`)).rows as {
        there: boolean;
      }[];
      const [tables] = (
        there?.there === true
          ? await client.query('select coalesce(max(version), 0) as version from migrations')
          : { rows: [] }
      ).rows as { version: number }[];
      return {
        server: `PostgreSQL ${server?.server_version}`,
        version: tables?.version ?? 0,
        newest: MIGRATIONS.at(-1)?.version ?? 0,
      };
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}
