import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLog } from '../../log.ts';
import type { SqlClient, SqlPool } from '../sql-pool.ts';
import { vacuumWhereDue } from './maintain.ts';
import { openEmbedded } from './open-embedded.ts';

const log = createLog({ level: 'silent', json: true });

describe('openEmbedded', () => {
  let folder: string;
  let pool: SqlPool;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-embedded-'));
    mkdirSync(join(folder, 'database.initialising-1-1'));
    writeFileSync(join(folder, 'database.initialising-1-1', 'half'), 'left by a start that was killed');
    pool = await openEmbedded(folder, log);
  });
  after(async () => {
    await pool?.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function borrow<T>(work: (client: SqlClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }

  it('clears what a killed start left behind and leaves one whole cluster', () => {
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.startsWith('database') && !name.startsWith('database.lock'))
        .toSorted(),
      ['database', 'database.owner'],
    );
  });

  it('runs with every commit flushed by the one method that reaches the disk', async () => {
    const settings = { fsync: 'on', synchronous_commit: 'on', wal_sync_method: 'fsync', full_page_writes: 'on' };
    const { rows } = await borrow((client) =>
      client.query('select name, setting from pg_settings where name = any($1)', [Object.keys(settings)]),
    );
    assert.deepEqual(Object.fromEntries(rows.map((row) => Object.values(row as object))), settings);
  });

  it('leaves the event loop free while a query takes a second', async () => {
    await borrow((client) => client.query('select 1'));
    // Processor time of this thread next to that of all: a busy machine changes neither.
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
    await borrow((client) => client.query('select count(*) from generate_series(1, 3000000)'));
    const [allMs, ownMs] = [process.cpuUsage(all), process.threadCpuUsage(own)].map(
      ({ user, system }) => (user + system) / 1000,
    );
    assert.ok(ownMs < allMs / 2, `the thread of the caller computed for ${ownMs} of ${allMs} ms`);
  });

  it('ends a transaction that its borrower left open', async () => {
    await borrow(async (client) => {
      await client.query('begin');
      await client.query('create table abandoned (i int)');
    });
    const { rows } = await borrow((client) => client.query("select to_regclass('abandoned') as name"));
    assert.deepEqual(rows, [{ name: null }]);
  });

  it('reports a broken transaction that is committed as rolled back', async () => {
    await borrow(async (client) => {
      await client.query('begin');
      await assert.rejects(client.query('select 1 / 0'), { code: '22012' });
      assert.equal((await client.query('commit')).command, 'ROLLBACK');
      assert.equal((await client.query('select 1 as one')).rowCount, 1);
    });
  });

  it('takes and returns bytes of any value without touching the ones it was given', async () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const view = bytes.subarray(100, 400);
    const { rows } = await borrow((client) =>
      client.query('select $1::bytea as bytes, $2::bytea as none', [view, new Uint8Array(0)]),
    );
    const [row] = rows as { bytes: Uint8Array; none: Uint8Array }[];
    assert.deepEqual(new Uint8Array(row?.bytes as Uint8Array), new Uint8Array(view));
    assert.equal(row?.none.length, 0);
    assert.equal(view.length, 300);
  });

  it('vacuums the tables that need it and no others', async () => {
    await borrow(async (client) => {
      await client.query('create table churned (i int); create table quiet (i int)');
      await client.query('insert into churned select generate_series(1, 2000)');
      await client.query('insert into quiet select generate_series(1, 2000)');
      await client.query('update churned set i = i + 1');
      await client.query('select pg_stat_force_next_flush()');
      assert.deepEqual(await vacuumWhereDue(client), ['public.churned']);
      await client.query('select pg_stat_force_next_flush()');
      assert.deepEqual(await vacuumWhereDue(client), []);
    });
  });
});

describe('openEmbedded of a folder with missing or damaged files', () => {
  let folder = '';
  const path = (name: string): string => join(folder, name);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-embedded-'));
    await (await openEmbedded(folder, log)).end();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, expected] of [
    ['PG_VERSION', /ENOTEMPTY|EEXIST|EPERM/],
    ['pg_hba.conf', /could not load .*pg_hba\.conf/],
    ['global/pg_control', /pg_control/],
  ] as const)
    it(`says what to do where database/${name} is gone`, async () => {
      renameSync(path(`database/${name}`), path('aside'));
      await assert.rejects(openEmbedded(folder, log), (error: Error) => {
        assert.match(error.message, expected);
        assert.match(error.message, /Files in .*database are missing, damaged .*firstmile restore/);
        return true;
      });
      renameSync(path('aside'), path(`database/${name}`));
    });

  it('says what to do where pg_control is empty', async () => {
    const bytes = readFileSync(path('database/global/pg_control'));
    writeFileSync(path('database/global/pg_control'), '');
    await assert.rejects(openEmbedded(folder, log), /pg_control has 0 bytes.*firstmile restore/);
    writeFileSync(path('database/global/pg_control'), bytes);
  });

  it('opens where something was written into its lock file, and holds the folder as before', async () => {
    writeFileSync(path('database.lock'), 'x'.repeat(200));
    const pool = await openEmbedded(folder, log);
    await assert.rejects(openEmbedded(folder, log), /is in use by another firstmile process/);
    await pool.end();
  });

  it('opens where the file that names its owner cannot be written', async () => {
    rmSync(path('database.owner'));
    mkdirSync(path('database.owner'));
    await (await openEmbedded(folder, log)).end();
  });
});

describe('openEmbedded after a start that was killed', () => {
  it('opens whatever is left of the lock file of the engine', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-embedded-'));
    try {
      await (await openEmbedded(folder, log)).end();
      for (const left of ['', '42', '42\n/elsewhere\n1\n5432\n\n\n  1 1\n']) {
        writeFileSync(join(folder, 'database', 'postmaster.pid'), left);
        await (await openEmbedded(folder, log)).end();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('opens whatever the killed start had done', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-embedded-'));
    const script = `
      import { openEmbedded } from ${JSON.stringify(import.meta.resolve('./open-embedded.ts'))};
      await openEmbedded(${JSON.stringify(folder)}, { fatal() {}, error() {}, warn() {}, info() {}, debug() {} });
      setInterval(() => {}, 1000);`;
    try {
      for (const ms of [300, 1_000 + Math.random() * 1_500]) {
        const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
        const ended = new Promise((resolve) => child.once('exit', resolve));
        setTimeout(() => child.kill('SIGKILL'), ms);
        await ended;
      }
      const pool = await openEmbedded(folder, log);
      const client = await pool.connect();
      assert.equal((await client.query('select 1 as one')).rowCount, 1);
      client.release();
      await pool.end();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
