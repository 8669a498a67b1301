import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';

/** Metres and counts around one place, as PostGIS finds them; null distances have nothing in the table. */
export interface PostgisAnswer {
  readonly road: number | null;
  readonly water: number | null;
  readonly port: number | null;
  readonly buildings: number;
  readonly area: number;
  readonly businesses: number;
  /** Square metres of built-up cells whose middle lies within 500 m. */
  readonly taken: number;
}

export interface PostgisPeer {
  /** Fills a table with geographies, given as hex of EWKB, and a number each. */
  load(table: string, rows: Iterable<readonly [hex: string, value: number]>): Promise<void>;
  /** Fills a table from a file by ogr2ogr with the features that count; a missing file gives an empty table. The value of each is a column. */
  loadFile(
    table: string,
    path: string | null,
    accepts: (row: Readonly<Record<string, unknown>>) => boolean,
    value?: string,
  ): Promise<void>;
  /** A place in every feature of a table, in the order they were loaded. */
  middles(table: string): Promise<(readonly [lon: number, lat: number])[]>;
  query(lon: number, lat: number): Promise<PostgisAnswer>;
  /** The same without cells prepared beforehand: footprints within 500 m summed up instead. */
  queryPlain(lon: number, lat: number): Promise<PostgisAnswer>;
  /** Seconds of processor that the server's process of this connection has used. */
  processor(): number;
  close(): Promise<void>;
}

/** Ticks of the processor's clock in a second, as Linux counts them for processes. */
const TICKS = 100;
const DATABASE = 'firstmile_bench_packs';
const CONNECTION = { host: '127.0.0.1', user: 'postgres' };

/** PostGIS on geography: GiST, one prepared statement, nearest by KNN, its index and tables in memory after a warm-up. */
export async function openPostgis(): Promise<PostgisPeer> {
  await admin(`drop database if exists ${DATABASE}`);
  await admin(`create database ${DATABASE}`);
  const client = new Client({ ...CONNECTION, database: DATABASE });
  await client.connect();
  await client.query('create extension postgis');
  await client.query("set maintenance_work_mem = '1GB'");
  await client.query('set jit = off');
  const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() pid');
  return {
    async load(table, rows) {
      await client.query(`create unlogged table ${table} (g geography, value float)`);
      await copy(table, rows);
      await client.query(`create index on ${table} using gist (g)`);
      await client.query(`vacuum analyze ${table}`);
    },
    async loadFile(table, path, accepts, value = '0') {
      await client.query(`create unlogged table ${table} (id serial, g geography, value float)`);
      if (path !== null) {
        await ogr2ogr(path);
        const { rows } = await client.query<Record<string, unknown>>(`select * from ${RAW}`);
        const kept = rows.filter(accepts).map(({ ogc_fid: id }) => id);
        await client.query(
          `insert into ${table} (g, value) select g, ${value} from ${RAW} where ogc_fid = any($1) order by ogc_fid`,
          [kept],
        );
        await client.query(`drop table ${RAW}`);
      }
      await client.query(`create index on ${table} using gist (g)`);
      await client.query(`vacuum analyze ${table}`);
    },
    async middles(table) {
      const { rows } = await client.query<{ lon: number; lat: number }>(
        `select st_x(p) lon, st_y(p) lat from (select id, st_pointonsurface(g::geometry) p from ${table}) t order by id`,
      );
      return rows.map(({ lon, lat }) => [lon, lat] as const);
    },
    async query(lon, lat) {
      const { rows } = await client.query({ name: 'query', text: QUESTION, values: [lon, lat] });
      return rows[0] as PostgisAnswer;
    },
    async queryPlain(lon, lat) {
      const { rows } = await client.query({ name: 'plain', text: PLAIN, values: [lon, lat] });
      return rows[0] as PostgisAnswer;
    },
    processor() {
      const fields = readFileSync(`/proc/${own[0].pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    async close() {
      await client.end();
      await admin(`drop database ${DATABASE}`);
    },
  };
}

const NEAREST = (table: string): string =>
  `(select st_distance(g, here) from (select g from ${table} order by g <-> here limit 1) n)`;

const QUESTION = `
  select ${NEAREST('roads')} road, ${NEAREST('rivers')} water, ${NEAREST('ports')} port, b.*,
    (select count(*)::int from businesses where st_dwithin(g, here, 2000)) businesses,
    (select coalesce(sum(value), 0) from cells where st_dwithin(g, here, 500)) taken
  from (select st_setsrid(st_makepoint($1, $2), 4326)::geography here) p
  cross join lateral (select count(*)::int buildings, coalesce(sum(value), 0) area from buildings where st_dwithin(g, here, 100)) b`;

const PLAIN = QUESTION.replace('from cells', 'from buildings');

async function admin(sql: string): Promise<void> {
  const client = new Client({ ...CONNECTION, database: 'postgres' });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Where a file is loaded to before the features that count are taken. */
const RAW = 'raw';

async function ogr2ogr(path: string): Promise<void> {
  const to = `PG:host=${CONNECTION.host} user=${CONNECTION.user} dbname=${DATABASE}`;
  const layer = ['-nln', RAW, '-lco', 'GEOM_TYPE=geography', '-lco', 'GEOMETRY_NAME=g', '-lco', 'SPATIAL_INDEX=NONE'];
  const args = ['-q', '-f', 'PostgreSQL', to, path, '-nlt', 'GEOMETRY', ...layer];
  const child = spawn('ogr2ogr', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`ogr2ogr ended with ${code}`);
}

async function copy(table: string, rows: Iterable<readonly [string, number]>): Promise<void> {
  const args = ['-q', '-h', CONNECTION.host, '-U', CONNECTION.user, '-d', DATABASE, '-c', `\\copy ${table} from stdin`];
  const child = spawn('psql', args, { stdio: ['pipe', 'inherit', 'inherit'] });
  let text = '';
  for (const [hex, value] of rows) {
    text += `${hex}\t${value}\n`;
    if (text.length < 1 << 20) continue;
    if (!child.stdin.write(text)) await new Promise((resolve) => child.stdin.once('drain', resolve));
    text = '';
  }
  child.stdin.end(text);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`psql ended with ${code}`);
}

/** EWKB in hex of a point, a line or a closed polygon of one ring. */
export function ewkb(kind: 'point' | 'line' | 'polygon', flat: Float64Array): string {
  const counts = kind === 'point' ? [] : kind === 'line' ? [flat.length / 2] : [1, flat.length / 2];
  const bytes = Buffer.alloc(9 + counts.length * 4 + flat.length * 8);
  bytes[0] = 1;
  bytes.writeUInt32LE((kind === 'point' ? 1 : kind === 'line' ? 2 : 3) + 0x2000_0000, 1);
  bytes.writeUInt32LE(4326, 5);
  for (const [i, count] of counts.entries()) bytes.writeUInt32LE(count, 9 + i * 4);
  const start = 9 + counts.length * 4;
  for (let i = 0; i < flat.length; i++) bytes.writeDoubleLE(flat[i], start + i * 8);
  return bytes.toString('hex');
}
