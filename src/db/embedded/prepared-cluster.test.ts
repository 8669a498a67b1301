import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { copyFirstDatabase } from '../../../test/first-database.ts';
import { runs } from '../../../test/property-runs.ts';
import { createLog } from '../../log.ts';
import { openStore } from '../open-store.ts';
import { openEmbedded } from './open-embedded.ts';
import { isPrepared, packCluster, placePreparedCluster } from './prepared-cluster.ts';

const log = createLog({ level: 'silent', json: true });

describe('a prepared database', () => {
  let folder: string;
  let file: string;
  let whole: Buffer;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-prepared-'));
    await copyFirstDatabase(join(folder, 'made'));
    file = join(folder, 'first-database.zst');
    await packCluster(join(folder, 'made/database'), file);
    whole = await readFile(file);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is what a first start opens, with its tables and nobody in it', async () => {
    const dataDir = join(folder, 'opened');
    assert.ok(await isPrepared(file));
    const pool = await openEmbedded(await made(dataDir), log, { prepared: file });
    const client = await pool.connect();
    const { rows } = await client.query('select count(*)::int as users from users', []);
    assert.deepEqual(rows, [{ users: 0 }]);
    client.release();
    await pool.end();
  });

  it('is left alone when it is missing or of another version, and the database is made', async () => {
    const text = zstdDecompressSync(whole);
    const at = text.indexOf('"key":"') + 7;
    text[at] = text[at] === 0x61 ? 0x62 : 0x61;
    const other = join(folder, 'other.zst');
    await writeFile(other, zstdCompressSync(text));
    for (const prepared of [other, join(folder, 'none.zst')])
      assert.equal(await placePreparedCluster(prepared, join(folder, 'unplaced')), false);
    assert.ok(!existsSync(join(folder, 'unplaced')));
    const pool = await openEmbedded(await made(join(folder, 'without')), log, { prepared: other });
    await pool.end();
    assert.ok(existsSync(join(folder, 'without/database/PG_VERSION')));
  });

  it('is not used when it is damaged anywhere, unless it unpacks to the same bytes', async () => {
    const damaged = join(folder, 'damaged.zst');
    const target = join(folder, 'unplaced');
    const sound = zstdDecompressSync(whole);
    const places = fc.nat(whole.length - 1);
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, flip, cut) => {
        const bytes = Buffer.from(whole);
        bytes[at] ^= flip;
        await writeFile(damaged, cut ? bytes.subarray(0, at) : bytes);
        if (!(await placePreparedCluster(damaged, target))) return assert.ok(!existsSync(target));
        // Some bits of zstd mean nothing; the checksum of what is inside still held.
        assert.ok(!cut && zstdDecompressSync(bytes).equals(sound));
        await rm(target, { recursive: true });
      }),
      { numRuns: runs(200, 30), examples: [[18, 218, false]] },
    );
  });

  it('is opened by the store, whose migrations find nothing to do', async () => {
    const dataDir = await made(join(folder, 'store'));
    assert.ok(await placePreparedCluster(file, join(dataDir, 'database')));
    const store = await openStore({ dataDir, databaseUrl: null, poolSize: 1, log });
    await store.close();
  });
});

async function made(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  return dataDir;
}
