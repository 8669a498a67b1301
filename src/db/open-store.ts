import { Kysely, PostgresDialect, sql } from 'kysely';
import type { CredentialStore } from '../auth/principal.ts';
import { Problem } from '../errors.ts';
import type { Log } from '../log.ts';
import { createBlobStore, type BlobStore } from './blobs.ts';
import { createCredentialStore } from './credentials.ts';
import type { Database } from './database.ts';
import { PREPARED_CLUSTER } from './embedded/prepared-cluster.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import { migrate } from './migrate.ts';
import { claimBucket } from './object-store/claim-bucket.ts';
import type { ObjectStore } from './object-store/object-store.ts';
import { openPostgres, publicAddress } from './postgres/open-postgres.ts';
import { asKyselyPool, type SqlPool } from './sql-pool.ts';

interface StoreOptions {
  /** Folder of the embedded database; not touched when `databaseUrl` is set. */
  readonly dataDir: string;
  /** Opens an embedded database that is damaged all the same. Default false. */
  readonly acceptDamage?: boolean;
  /** PostgreSQL to use in place of the embedded database. */
  readonly databaseUrl: string | null;
  /** The bucket that files are kept in; absent: the database. */
  readonly objects?: ObjectStore | null;
  /** Most connections to `databaseUrl`. */
  readonly poolSize: number;
  readonly log: Log;
}

/** What survives a restart. */
export interface Store {
  readonly engine: 'embedded' | 'postgres';
  readonly db: Kysely<Database>;
  /** The same sessions for code that speaks SQL by itself, such as the queue. */
  readonly pool: SqlPool;
  readonly credentials: CredentialStore;
  readonly blobs: BlobStore;
  /** The bucket that files are kept in; null where they lie in the database. Whoever opened it closes it. */
  readonly objects: ObjectStore | null;
  /** Resolves when the database answers; throws `Problem('dependency_unavailable')` when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database, embedded or a server, and brings its tables up to date. Throws a sentence for the operator. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { objects = null } = options;
  const pool = await openPool(options);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: asKyselyPool(pool) }) });
  try {
    const steps = await migrate(db).catch((error: unknown) => refuseTables(error, options));
    if (steps.length > 0) options.log.info({ steps }, 'database migrated');
    await claimBucket(db, objects);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    engine: options.databaseUrl === null ? 'embedded' : 'postgres',
    db,
    pool,
    blobs: createBlobStore(db, objects),
    objects,
    credentials: createCredentialStore(db),
    ping: async () => void (await sql`select 1`.execute(db)),
    close: () => db.destroy(),
  };
}

const FOREIGN_TABLES =
  'it seems to have tables of another program: give this one a database of its own, or a schema (options=-csearch_path%3DNAME)';

/** What to do where the database refuses to make the tables, by the code that PostgreSQL gives. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  '42501': 'its user has to own the schema or be granted CREATE on it',
  '25006': 'it is read-only: name the server that takes writes',
  // A table, column, function or type that another program made, or did not make.
  '42P07': FOREIGN_TABLES,
  '42710': FOREIGN_TABLES,
  '42703': FOREIGN_TABLES,
  '42P01': FOREIGN_TABLES,
};

/** A driver's error names no database; sentences of our own, and of a database that is away, are left as they are. */
function refuseTables(error: unknown, { databaseUrl, dataDir }: StoreOptions): never {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  if (error instanceof Problem || typeof code !== 'string') throw error;
  const place = databaseUrl === null ? `the embedded database in ${dataDir}` : publicAddress(databaseUrl);
  const other =
    databaseUrl === null ? 'check the disk, and restore a backup into a new folder (firstmile restore)' : null;
  const wayOut = WAYS_OUT[code] ?? other;
  throw new Error(`the tables of ${place} cannot be made or read: ${message}${wayOut === null ? '' : `; ${wayOut}`}`, {
    cause: error,
  });
}

function openPool(options: StoreOptions): Promise<SqlPool> {
  const { dataDir, acceptDamage = false, databaseUrl, poolSize, log } = options;
  return databaseUrl === null
    ? openEmbedded(dataDir, log, { acceptDamage, prepared: PREPARED_CLUSTER })
    : openPostgres({ url: databaseUrl, poolSize, log });
}
