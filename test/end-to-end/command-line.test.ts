import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyFirstDatabase } from '../first-database.ts';
import { runCommand } from './run-command.ts';
import { ROOT, runService, shareSampleDistrict } from './run-service.ts';

const POINTS = {
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [101.3, 0.8] }, properties: { name: 'Mill' } },
    { type: 'Feature', id: 2, geometry: { type: 'Point', coordinates: [-1.62, 6.69] }, properties: {} },
  ],
};
const BROKEN_ONE = {
  ...POINTS,
  features: [...POINTS.features, { type: 'Feature', id: 3, geometry: null, properties: {} }],
};

describe('the command line', () => {
  let folder = '';
  let env: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-cli-'));
    env = { DATA_DIR: join(folder, 'data') };
    await shareSampleDistrict(join(folder, 'data'));
    await shareSampleDistrict(join(folder, 'alone'));
    await copyFirstDatabase(join(folder, 'data'));
    await writeFile(join(folder, 'good.geojson'), JSON.stringify(POINTS));
    await writeFile(join(folder, 'one-invalid.geojson'), JSON.stringify(BROKEN_ONE));
    await writeFile(join(folder, 'broken.geojson'), '{"type":"FeatureCollection","features":[{"type":"Feature"');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('explains itself', async () => {
    const help = await runCommand(['--help'], env);
    assert.equal(help.code, 0);
    assert.match(help.out, /^ +validate +Rates [^.]*invalid\.$/m);
    assert.match((await runCommand(['validate', '--help'], env)).out, /--commodity NAME/);
    assert.match((await runCommand(['--version'], env)).out, /^\d+\.\d+\.\d+\n$/);
    const unknown = await runCommand(['valdate'], env);
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.err, /no command "valdate"/);
    assert.match((await runCommand(['token'], env)).err, /token create/);
  });

  it('names a setting that is wrong and a flag that does not exist', async () => {
    const setting = await runCommand(['serve'], { ...env, PORT: 'eighty', RATE_LIMIT: 'fast' });
    assert.equal(setting.code, 2);
    assert.match(setting.err, /PORT: wanted a whole number.*"eighty"[^]*RATE_LIMIT: wanted/);
    const flag = await runCommand(['validate', join(folder, 'good.geojson'), '--comodity', 'palm'], env);
    assert.equal(flag.code, 2);
    assert.match(flag.err, /--comodity/);
  });

  it('writes the documentation next to that of other versions, or alone', async () => {
    const site = join(folder, 'site');
    const version = (await runCommand(['--version'], env)).out.trim();
    await mkdir(join(site, '0.0.1'), { recursive: true });
    await writeFile(join(site, '0.0.1/index.html'), '');
    const run = await runCommand(['docs', '--out', site, '--versioned'], env);
    assert.equal(run.code, 0, run.err);
    assert.ok(run.err.includes(`${site} has ${version}, 0.0.1; begin at index.html`), run.err);
    assert.equal(JSON.parse(await readFile(join(site, 'versions.json'), 'utf8')).newest, version);
    const alone = join(folder, 'site-alone');
    assert.equal((await runCommand(['docs', '--out', alone], env)).code, 0);
    const files = await readdir(alone);
    assert.deepEqual([files.includes('verdicts.html'), files.includes('versions.js')], [true, false]);
  });

  it('works without public data where fetching by itself is on', async () => {
    const run = await runCommand(['normalize', join(folder, 'good.geojson')], {
      ...env,
      PUBLIC_DATA: 'off',
      AUTO_DATA: 'on',
    });
    assert.deepEqual([run.code, run.err.includes('Cannot read')], [0, false], run.err);
  });

  it('validates a file, says what it found and writes the results', async () => {
    const output = join(folder, 'checked.geojson');
    const run = await runCommand(
      ['validate', join(folder, 'good.geojson'), '--commodity', 'palm', '--water', '--output', output],
      // A first start, which makes the built-in data that it needs.
      { DATA_DIR: join(folder, 'first') },
    );
    assert.equal(run.code, 0, run.err);
    assert.match(run.err, /level invalid\s+0/);
    const results = JSON.parse(await readFile(output, 'utf8')) as {
      features: { id: number; properties: { country_code: string } }[];
    };
    assert.deepEqual(
      results.features.map(({ id, properties }) => [id, properties.country_code]),
      [
        [1, 'ID'],
        [2, 'GH'],
      ],
    );
  });

  it('ends with 1 when a feature is invalid, and keeps its row', async () => {
    const run = await runCommand(
      ['validate', join(folder, 'one-invalid.geojson'), '-c', 'palm', '-o', join(folder, 'rows.csv')],
      env,
    );
    assert.equal(run.code, 1, run.err);
    assert.match(run.err, /level invalid\s+1/);
    assert.match(run.err, /feature 3 \(id 3\): There is no geometry/);
    const rows = (await readFile(join(folder, 'rows.csv'), 'utf8')).trimEnd().split('\r\n');
    assert.equal(rows.length, 4);
    assert.match(rows[3] ?? '', /^3,facility,.*invalid/);
  });

  it('refuses options that facilities have no use for, and warns of plots that are rated as facilities', async () => {
    for (const option of [['--repair'], ['--country', 'GH'], ['--crs', 'EPSG:32630'], ['--no-geocode']]) {
      const { code, err } = await runCommand(['validate', join(folder, 'good.geojson'), ...option], env);
      assert.equal(code, 2, err);
      assert.match(err, new RegExp(`^firstmile validate: ${option[0]}: wanted --routed or --type with it`));
    }
    const plots = join(folder, 'plots.geojson');
    const [first] = POINTS.features;
    const feature = { ...first, properties: { ProducerName: 'Ada', location_type: 'plot' } };
    await writeFile(plots, JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
    const rated = await runCommand(['validate', plots], env);
    assert.match(rated.err, /Warning: The features name producers of plots .*--routed checks plots as plots\./);
    const routed = await runCommand(['validate', plots, '--routed', '-o', '-', '-f', 'csv'], env);
    assert.doesNotMatch(routed.err, /rated as facilities/);
    assert.match(routed.out, /^id,.*\r\n1,1,plot,/);
  });

  it('reads standard input and writes standard output', async () => {
    const lines = POINTS.features.map((feature) => JSON.stringify(feature)).join('\n');
    const run = await runCommand(['validate', '-', '-c', 'cocoa', '-o', '-', '-f', 'ndjson', '-q'], env, lines);
    assert.equal(run.code, 0, run.err);
    assert.equal(run.err, '');
    assert.equal(run.out.trimEnd().split('\n').length, 3);
  });

  it('explains a broken file, a missing one and an output it cannot write, and leaves no half results', async () => {
    const broken = await runCommand(
      ['validate', join(folder, 'broken.geojson'), '-o', join(folder, 'never.geojson')],
      env,
    );
    assert.equal(broken.code, 1);
    assert.match(broken.err, /byte|line|ended|end of/);
    assert.match((await runCommand(['validate', join(folder, 'absent.geojson')], env)).err, /there is no file/);
    assert.match(
      (await runCommand(['validate', join(folder, 'good.geojson'), '-o', join(folder, 'no/such/folder.csv')], env)).err,
      /cannot be written/,
    );
    assert.match(
      (await runCommand(['validate', join(folder, 'good.geojson'), '-o', 'results.doc'], env)).err,
      /\.geojson, \.ndjson or \.csv/,
    );
    assert.deepEqual(
      (await readdir(folder)).filter((name) => /never|unfinished/.test(name)),
      [],
    );
  });

  it('lists the datasets with their licences', async () => {
    const run = await runCommand(['data', 'list', '--json'], env);
    assert.equal(run.code, 0, run.err);
    const datasets = JSON.parse(run.out) as { id: string; licence: string }[];
    assert.equal(datasets.find(({ id }) => id === 'osm-countries-land')?.licence, 'ODbL-1.0');
  });

  it('manages users and tokens whether the service runs or not', async () => {
    const dataDir = env['DATA_DIR'] ?? '';
    const added = await runCommand(
      ['user', 'add', 'ana@example.org', '--password-stdin'],
      env,
      'correct horse battery',
    );
    assert.equal(added.code, 0, added.err);
    assert.equal((await runCommand(['user', 'add', 'nobody', '--no-password'], env)).code, 2);
    const short = await runCommand(['user', 'add', 'bo@example.org', '--password-stdin'], env, 'short');
    assert.equal(short.code, 1);
    assert.match(short.err, /12/);

    await using service = await runService({ dataDir });
    const created = await runCommand(
      ['token', 'create', '--user', 'ana@example.org', '--label', 'laptop', '--scopes', 'validate'],
      env,
    );
    assert.equal(created.code, 0, created.err);
    const token = created.out.trim();
    const call = (path: string) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await call('/validate_facility?geometry=POINT(1+2)')).status, 200);
    assert.equal((await call('/tokens')).status, 403);
    const list = await runCommand(['token', 'list', '--user', 'ana@example.org'], env);
    assert.match(list.out, /label +laptop\n +scopes +validate$/m);
    assert.ok(!list.out.includes(token));
    const id = /^([0-9a-f-]{36})\n +label +laptop$/m.exec(list.out)?.[1] ?? '';
    assert.equal((await runCommand(['token', 'revoke', id], env)).code, 0);
    await new Promise((done) => setTimeout(done, 1100));
    assert.equal((await call('/validate_facility?geometry=POINT(1+2)')).status, 401);
    assert.equal((await runCommand(['token', 'revoke', id], env)).code, 1);

    const refreshed = await fetch(`${service.url}/refresh_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ana@example.org', password: 'correct horse battery' }),
    });
    const { access_token: jwt } = (await refreshed.json()) as { access_token: string };
    assert.equal(
      (
        await fetch(`${service.url}/validate_facility?geometry=POINT(1+2)`, {
          headers: { authorization: `Bearer ${jwt}` },
        })
      ).status,
      200,
    );
    assert.doesNotMatch(service.output().err, new RegExp(`${token}|${jwt}|correct horse`));

    await answersAsWithoutService(['forest', 'lookup', '102.61', '4.6', '-o', '-', '--crs', 'EPSG:32648']);
    await answersAsWithoutService(['forest', 'lookup', '48.1', '111.5']);
    for (const [file, output] of [
      ['good.geojson', 'geojson'],
      ['one-invalid.geojson', 'csv'],
      ['broken.geojson', 'geojson'],
    ] as const)
      await answersAsWithoutService(['validate', join(folder, file), '-c', 'palm', '--water', '-o', '-', '-f', output]);
    for (const file of ['good.geojson', 'broken.geojson'])
      await answersAsWithoutService(
        ['validate', '-', '-c', 'palm', '-o', '-'],
        await readFile(join(folder, file), 'utf8'),
      );
  });

  /** A service that runs answers as the command does where none runs: here, next to it, because the data folder is another one. */
  async function answersAsWithoutService(words: readonly string[], input?: string): Promise<void> {
    const [through, alone] = await Promise.all([
      runCommand(words, env, input),
      runCommand(words, { DATA_DIR: join(folder, 'alone') }, input),
    ]);
    const isAnswered = through.err.startsWith('Answered by the service');
    assert.equal(isAnswered, !/wanted a comma|look swapped/.test(through.err), through.err);
    assert.deepEqual([through.code, through.out], [alone.code, alone.out], alone.err);
    const said = ({ err }: typeof alone) =>
      err
        .replace(/^Answered by the service.*\n/, '')
        .replaceAll(/, \d+ ms/g, '')
        .split('\n')
        .filter((line) => !/facilities.*\d+ a second|\r/.test(line));
    assert.deepEqual(said(through), said(alone));
  }
});

describe('the program', () => {
  it('refuses an older Node with a sentence', () => {
    const check = JSON.stringify(join(ROOT, 'bin/check-node.js'));
    const script = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); await import(${check})`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(run.status, 1);
    assert.match(run.stderr, /needs Node 24 or newer, but this is Node 20\.20\.2/);
  });
});

describe('a start that cannot succeed', () => {
  it('names the setting of a folder that cannot be made, and of a catalogue that is not there', async () => {
    const folder = await runCommand(['serve'], { DATA_DIR: '/proc/firstmile', PORT: '0' });
    assert.deepEqual([folder.code, folder.out], [2, '']);
    assert.match(folder.err, /DATA_DIR: wanted a folder/);
    const catalogue = await runCommand(['data', 'list'], { CATALOGUE: '/absent/catalogue.json' });
    assert.equal(catalogue.code, 2);
    assert.match(catalogue.err, /CATALOGUE: \/absent/);
  });
});
