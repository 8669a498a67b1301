import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { bucketPlace } from '../../src/config/bucket-place.ts';
import { readConfig } from '../../src/config/settings.ts';
import { openS3 } from '../../src/db/object-store/open-s3.ts';
import { tilesOfPart } from '../../src/service/labels/plan.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { startTestBucket } from '../test-bucket.ts';
import { runCommand } from './run-command.ts';
import { ROOT } from './run-service.ts';

const RASTER = 'aef/wisconsin_west.tif';
/** 16 tiles of 128 x 128 cells, whose segments lie in several. */
const REGION = ['build', '--dataset', 'wisconsin', '--bbox=-88.9,44.27,-88.7,45', '--shard', '128', '--workers', '1'];
const PARTS = 4;

test('every tile belongs to one part, and parts have about as many cells as each other', () => {
  const random = seededRandom(3);
  for (let round = 0; round < 200; round++) {
    const tiles = Array.from({ length: Math.floor(random() * 40) }, (_, name) => ({
      name,
      cells: 1 + Math.floor(random() * 1000),
    }));
    const count = 1 + Math.floor(random() * 12);
    const parts = Array.from({ length: count }, (_, index) => tilesOfPart(tiles, { index, count }));
    assert.deepEqual(parts.flat(), tiles);
    const share = tiles.reduce((sum, { cells }) => sum + cells, 0) / count;
    for (const part of parts) {
      const cells = part.reduce((sum, tile) => sum + tile.cells, 0);
      assert.ok(cells <= share + 1000, `${cells} cells of ${share}`);
    }
  }
});

test(
  'parts of a store, two of them killed and started again, give the bytes of one process',
  needsSharedData(RASTER),
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'store-parts-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const env = await environmentIn(folder);
    const [whole, parts] = [join(folder, 'whole'), join(folder, 'parts')];
    const { DATABASE_URL: _, ...alone } = env;
    const one = await runCommand(['store', ...REGION, '--out', whole], alone);
    assert.match(one.err, /16 tiles built, 0 failed, 0 left/);

    const killed = await Promise.all(
      [0, 1, 2, 3].map((part) => buildPart(part, { env, to: ['--out', parts], kill: part % 2 === 1 })),
    );
    assert.deepEqual(killed, [0, 'SIGKILL', 0, 'SIGKILL']);
    const before = await built(parts);
    assert.ok(before.length < 16, `${before.length} tiles`);
    const again = await Promise.all([1, 3].map((part) => buildPart(part, { env, to: ['--out', parts], kill: false })));
    assert.deepEqual(again, [0, 0]);

    const [expected, actual] = await Promise.all([filesOf(whole), filesOf(parts)]);
    assert.deepEqual([...actual.keys()], [...expected.keys()]);
    for (const [name, bytes] of expected) assert.ok(bytes.equals(actual.get(name)!), name);
    const nothing = await runCommand(['store', ...REGION, '--out', parts, '--part', 'auto'], {
      ...env,
      SLURM_ARRAY_TASK_ID: '1',
      SLURM_ARRAY_TASK_MAX: '3',
      SLURM_ARRAY_TASK_COUNT: '4',
    });
    assert.match(nothing.err, /Nothing to do: all 4 tiles have been built/);
  },
);

test(
  'parts of a store in a bucket, some killed or without their bucket for a while, are the files of one process',
  needsSharedData(RASTER),
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'store-bucket-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const { DATABASE_URL: _, ...alone } = await environmentIn(folder);
    await using bucket = await startTestBucket();
    const env = { ...alone, ...bucket.env };
    const whole = join(folder, 'whole');
    assert.match((await runCommand(['store', ...REGION, '--out', whole], alone)).err, /16 tiles built, 0 failed/);
    const objects = openS3(bucketPlace(readConfig(env))!);
    t.after(() => objects.close());
    const there = async (): Promise<Map<string, Buffer>> => {
      const files = new Map<string, Buffer>();
      for await (const { key } of objects.list('labels/wisconsin/'))
        files.set(
          key.slice('labels/wisconsin/'.length),
          Buffer.concat(await Array.fromAsync((await objects.get(key))!.bytes)),
        );
      return files;
    };
    const records = async (): Promise<number> => [...(await there()).keys()].filter((key) => RECORD.test(key)).length;
    const to = ['--bucket', 'labels/wisconsin'];

    // One is killed between two tiles, one while it stores the states of its first tile.
    assert.equal(await buildPart(1, { env, to, kill: true }), 'SIGKILL');
    const left = await records();
    assert.ok(left >= 1 && left < 4, `${left} tiles`);
    bucket.fault = (line) => (/^PUT .*\/status\/c\//.test(line) ? 'hang' : null);
    const isStoring = (): boolean => bucket.seen.some((line) => bucket.fault(line) === 'hang');
    bucket.seen.length = 0;
    assert.equal(await buildPart(3, { env, to, kill: isStoring }), 'SIGKILL');
    assert.equal(await records(), left, 'a tile is recorded after it is stored');
    // A tile that cannot be stored has failed, and says why.
    bucket.fault = (line) => (/^PUT .*\/built\//.test(line) ? { status: 403, code: 'AccessDenied' } : null);
    const refused = await runCommand(['store', ...REGION, ...to, '--part', `0/${PARTS}`], env);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /403 AccessDenied/);
    assert.equal(await records(), left);

    bucket.fault = () => null;
    const all = await Promise.all([0, 1, 2, 3].map((part) => buildPart(part, { env, to, kill: false })));
    assert.deepEqual(all, [0, 0, 0, 0]);
    const [expected, actual] = [await filesOf(whole), withoutTimes(await there())];
    assert.deepEqual([...actual.keys()], [...expected.keys()]);
    for (const [name, bytes] of expected) assert.ok(bytes.equals(actual.get(name)!), name);
    // Somebody else's object below the same prefix.
    const stray = 'labels/wisconsin/.others/zarr.json';
    await objects.put(stray, Readable.from([Buffer.from('no JSON')]));
    bucket.seen.length = 0;
    const nothing = await runCommand(['store', ...REGION, ...to, '--part', `1/${PARTS}`], env);
    assert.match(nothing.err, /Nothing to do: all 4 tiles have been built in .*labels\/wisconsin/);
    assert.ok(bucket.seen.some((line) => line.includes('/built/')));
    assert.ok(!bucket.seen.some((line) => line.includes('.others') && !line.startsWith('PUT')));
    await objects.delete(stray);

    // What meets in a tile is kept: a second region of the same shards, smaller than a tile.
    const before = await there();
    const again = await runCommand(
      ['store', ...REGION, ...to, '--tile', nameOf(before), '--force'].filter(notBox),
      env,
    );
    assert.equal(again.code, 0, again.err);
    const after = withoutTimes(await there());
    for (const [name, bytes] of expected) assert.ok(bytes.equals(after.get(name)!), `${name} after --force`);
    assert.deepEqual(
      await readdir(join(folder, 'data', 'building', 'wisconsin')),
      [],
      'the folders of the work are gone',
    );
  },
);

test('a bucket that is not there is refused with what was wanted', async () => {
  const build = ['store', 'build', '-d', 'aef', '--all', '--bucket'];
  const [none, odd] = [await runCommand([...build, 'labels'], {}), await runCommand([...build, '../x'], {})];
  assert.deepEqual([none.code, odd.code], [2, 2]);
  assert.match(none.err, /--bucket: OBJECT_STORE_URL is not set/);
  assert.match(odd.err, /--bucket: wanted a prefix/);
});

test('a part that makes no sense is refused with what was wanted', async () => {
  for (const [part, env, message] of [
    ['4/4', {}, /parts count from 0, so the last of 4 is 3; got 4/],
    ['1', {}, /wanted I\/N such as 0\/16, auto\/N or auto, got "1"/],
    ['auto/4', {}, /wants JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID/],
    [
      'auto',
      { SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_MAX: '3', SLURM_ARRAY_TASK_COUNT: '2' },
      /wants the whole array/,
    ],
  ] as const) {
    const { code, err } = await runCommand(['store', 'build', '-d', 'aef', '--all', '--part', part], env);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});

/** A part alone, whose database does not answer: parts need none. */
async function environmentIn(folder: string) {
  const catalogue = join(folder, 'catalogue.json');
  const about = { version: '2024.1', date: '2024', licence: 'CC-BY-4.0', attribution: 'Google and Google DeepMind' };
  const entry = { id: 'wisconsin', role: 'embeddings', kind: 'cog', path: join(SHARED_DATA, RASTER), ...about };
  await writeFile(catalogue, JSON.stringify([entry]));
  return {
    DATA_DIR: join(folder, 'data'),
    CATALOGUE: catalogue,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  };
}

const RECORD = /\/built\/[\d.]+\.json$/;

/** A tile as --tile wants it, by its record. */
function nameOf(files: ReadonlyMap<string, Buffer>): string {
  return [...files.keys()]
    .find((key) => RECORD.test(key))!
    .replace('/built/', '/')
    .replace('.json', '');
}

const notBox = (word: string): boolean => !word.startsWith('--bbox');

/** Runs a part as an array job would; killed after its first tile, or once something holds, when that is wanted. Gives exit code or signal. */
async function buildPart(
  part: number,
  { env, to, kill }: { env: Readonly<Record<string, string>>; to: readonly string[]; kill: boolean | (() => boolean) },
): Promise<number | string | null> {
  const words = ['store', ...REGION, ...to, '--part', `auto/${PARTS}`];
  const child = spawn(process.execPath, [join(ROOT, 'bin/firstmile.js'), ...words], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env, JOB_COMPLETION_INDEX: String(part) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (kill === true && /: built\n/.test(text)) child.kill('SIGKILL');
  });
  const looking = setInterval(() => {
    if (typeof kill === 'function' && kill()) child.kill('SIGKILL');
  }, 20);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearInterval(looking);
  if (code !== 0 && code !== null) console.error(said);
  return code ?? signal;
}

/** The files of a store by their path, but for when a tile was built and how long it took. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1), await readFile(path));
  }
  return withoutTimes(files);
}

function withoutTimes(all: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [name, bytes] of all) {
    const { seconds: _s, builtAt: _b, ...rest } = name.includes('/built/') ? JSON.parse(String(bytes)) : {};
    files.set(name, name.includes('/built/') ? Buffer.from(JSON.stringify(rest)) : bytes);
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function built(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => /\/built\/[\d.]+\.json$/.test(name));
}
