import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyFirstDatabase } from '../../../test/first-database.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { createLog } from '../../log.ts';
import type { SqlPool } from '../sql-pool.ts';
import { checkPages } from './check-pages.ts';
import { checkWal } from './check-wal.ts';
import { openEmbedded } from './open-embedded.ts';

const log = createLog({ level: 'silent', json: true });
const ROWS = 400;

describe('an embedded database whose files were changed', () => {
  let folder = '';
  /** Killed with all of its rows in the log alone. */
  let crashed = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-damage-'));
    crashed = join(folder, 'crashed');
    await writeRowsAndCrash(crashed);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is found sound after a crash, with every row that was acknowledged', async () => {
    const data = await copyOf(crashed);
    const wal = await checkWal(join(data, 'database'));
    assert.ok(wal !== null && wal.records > ROWS && wal.damagedAt === null, JSON.stringify(wal));
    const pool = await openEmbedded(data, log);
    assert.equal(await countRows(pool), ROWS);
    await pool.end();
    assert.equal(await checkWal(join(data, 'database')), null, 'nothing is left to replay');
    assert.equal((await checkPages(join(data, 'database'))).damaged, 0);
  });

  it('has every flipped bit of its log noticed that would take away a record', async () => {
    const data = await copyOf(crashed);
    const cluster = join(data, 'database');
    const sound = await checkWal(cluster);
    assert.ok(sound !== null);
    const redo = Number(readFileSync(join(cluster, 'global/pg_control')).readBigUInt64LE(40));
    const random = seededRandom(1);
    let noticed = 0;
    for (let round = 0; round < 80; round++) {
      const place: number = redo + Math.floor(random() * (sound.end - redo - 512));
      const undo = flipBit(cluster, place, Math.floor(random() * 8));
      const found = await checkWal(cluster);
      undo();
      assert.ok(found !== null);
      // Between records and in parts of page headers lie bytes that mean nothing.
      if (found.damagedAt === null) assert.equal(found.end, sound.end, `bit flipped at ${place}`);
      else noticed++;
    }
    assert.ok(noticed > 50, `noticed ${noticed} of 80`);
  });

  it('is not opened with a damaged log, unless that is requested', async () => {
    const data = await copyOf(crashed);
    const cluster = join(data, 'database');
    const { end } = (await checkWal(cluster))!;
    flipBit(cluster, end - 20_000, 3);
    await assert.rejects(
      openEmbedded(data, log),
      /write-ahead log .* is damaged at 0\/[0-9A-F]+; .*ACCEPT_DAMAGED_DATABASE=on/,
    );
    const pool = await openEmbedded(data, log, { acceptDamage: true });
    assert.ok((await countRows(pool)) < ROWS);
    await pool.end();
    assert.ok(
      readdirSync(data).some((name) => name.startsWith('database.damaged-log-')),
      'what was there is kept',
    );
    const again = await openEmbedded(data, log);
    await again.end();
  });

  it('is not opened with a damaged page, and names its table', async () => {
    const data = await copyOf(crashed);
    const pool = await openEmbedded(data, log);
    const client = await pool.connect();
    const { rows } = await client.query("select pg_relation_filepath('kept') as file");
    client.release();
    await pool.end();
    const file = join(data, 'database', (rows as { file: string }[])[0]!.file);
    const bytes = readFileSync(file);
    bytes[8192 + 5000] = bytes[8192 + 5000]! ^ 1;
    writeFileSync(file, bytes);
    await assert.rejects(openEmbedded(data, log), /1 of \d+ pages .* are damaged \(page 1 of kept\)/);
    const opened = await openEmbedded(data, log, { acceptDamage: true });
    await assert.rejects(countRows(opened), { code: 'dependency_unavailable', message: /damaged/ });
    await opened.end();
  });

  async function copyOf(source: string): Promise<string> {
    const data = await mkdtemp(join(folder, 'copy-'));
    await cp(join(source, 'database'), join(data, 'database'), { recursive: true });
    return data;
  }
});

describe('an embedded database on a full disk', () => {
  it('refuses with the reason, and opens again by itself with every row when there is room', async (t) => {
    const disk = await mkdtemp(join(tmpdir(), 'firstmile-small-disk-'));
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk]);
    if (mounted.status !== 0) return t.skip('wanted the right to mount a small disk');
    t.after(async () => {
      spawnSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true, force: true });
    });
    await copyFirstDatabase(join(disk, 'data'));
    const pool = await openEmbedded(join(disk, 'data'), log);
    await run(pool, 'create table kept (i int, filler bytea)');
    await writeFile(join(disk, 'filler'), new Uint8Array(24_000_000));
    const random = seededRandom(2);
    const filler = Uint8Array.from({ length: 60_000 }, () => random() * 256);
    let acknowledged = 0;
    const insert = async (): Promise<void> => {
      await run(pool, 'insert into kept values ($1, $2)', [acknowledged, filler]);
      acknowledged++;
    };
    const full = await failureOf(insert, 3_000);
    assert.equal(full.code, 'dependency_unavailable');
    assert.match(full.message, /disk of the database is full|No space left/);
    assert.equal((await failureOf(insert, 3_000)).code, 'dependency_unavailable');
    await rm(join(disk, 'filler'));
    for (let tries = 0; tries < 300; tries++) {
      if (
        await insert().then(
          () => true,
          () => false,
        )
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal(await countRows(pool), acknowledged);
    await pool.end();
    const again = await openEmbedded(join(disk, 'data'), log);
    assert.equal(await countRows(again), acknowledged);
    await again.end();
  });
});

/** Calls `work` until it fails, `times` at most. */
async function failureOf(work: () => Promise<void>, times: number): Promise<{ code?: string; message: string }> {
  for (let time = 0; time < times; time++) {
    try {
      await work();
    } catch (error) {
      return error as { code?: string; message: string };
    }
  }
  throw new Error(`nothing failed in ${times} times`);
}

async function run(pool: SqlPool, sql: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    return (await client.query(sql, parameters)).rows;
  } finally {
    client.release();
  }
}

async function countRows(pool: SqlPool): Promise<number> {
  const rows = await run(pool, 'select count(*)::int as n, coalesce(sum(length(filler)), 0)::int as bytes from kept');
  return (rows[0] as { n: number }).n;
}

/** A process that opens a database, commits rows one by one and is killed when all of them were acknowledged. */
async function writeRowsAndCrash(folder: string): Promise<void> {
  await copyFirstDatabase(folder);
  const script = `
    import { openEmbedded } from ${JSON.stringify(import.meta.resolve('./open-embedded.ts'))};
    const pool = await openEmbedded(${JSON.stringify(folder)}, { fatal() {}, error() {}, warn() {}, info() {}, debug() {} });
    const client = await pool.connect();
    await client.query('create table kept (i int, filler bytea)');
    await client.query('checkpoint');
    for (let i = 0; i < ${ROWS}; i++)
      await client.query('insert into kept values ($1, $2)', [i, new Uint8Array(i % 40 === 0 ? 20_000 : 300).fill(i)]);
    console.log('written');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  child.kill('SIGKILL');
  await ended;
}

/** Flips one bit of the log at a place; returns what flips it back. */
function flipBit(cluster: string, place: number, bit: number): () => void {
  const folder = join(cluster, 'pg_wal');
  const names = readdirSync(folder).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const fileBytes = statSync(join(folder, names[0]!)).size;
  const number = Math.floor(place / fileBytes);
  const file = join(
    folder,
    names.find((name) => Number.parseInt(name.slice(16), 16) === number)!,
  );
  const flip = (): void => {
    const byte = new Uint8Array(1);
    const handle = openSync(file, 'r+');
    readSync(handle, byte, 0, 1, place % fileBytes);
    byte[0] = byte[0]! ^ (1 << bit);
    writeSync(handle, byte, 0, 1, place % fileBytes);
    closeSync(handle);
  };
  flip();
  return flip;
}
