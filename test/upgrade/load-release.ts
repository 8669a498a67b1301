import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdDecompress } from 'node:zlib';
import { openEmbedded } from '../../src/db/embedded/open-embedded.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { createLog } from '../../src/log.ts';
import type { TestDatabase, TestEngine } from '../contracts/engines.ts';

/** The newest release before this one, whose database and data folder `make-release.sh` has kept here. */
export const RELEASE = '0.1.0';
/** What the secrets in it are sealed with; made up, as in that script. */
export const RELEASE_SECRETS_KEY = `made-up:${Buffer.from('7'.padStart(32, '0')).toString('base64')}`;
export const RELEASE_TOKEN = 'release-fixture-token-0123456789abcdef';

const log = createLog({ level: 'silent', json: true });

/** A database of the engine as that release left it: nothing of this one has touched it. */
export async function loadRelease(engine: TestEngine): Promise<TestDatabase> {
  const text = await readFile(join(import.meta.dirname, RELEASE, 'database.sql'), 'utf8');
  const database = await engine.createEmpty();
  const pool =
    database.databaseUrl === null
      ? await openEmbedded(database.dataDir, log)
      : await openPostgres({ url: database.databaseUrl, poolSize: 1, log });
  try {
    const client = await pool.connect();
    try {
      await client.query(text);
    } finally {
      // It has changed settings of its session.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
  return database;
}

/**
 * Unpacks the data folder that the release left: its embedded database with the key of its secrets, a registry, a regional pack and a detection
 * head, all of them synthetic.
 */
export async function unpackReleaseFolder(dataDir: string): Promise<void> {
  const packed = await readFile(join(import.meta.dirname, RELEASE, 'data.tar.zst'));
  const whole = await promisify(zstdDecompress)(packed, { params: { [constants.ZSTD_d_windowLogMax]: 27 } });
  const unpacking = promisify(execFile)('tar', ['-x', '-C', dataDir]);
  unpacking.child.stdin!.end(whole);
  await unpacking;
}
