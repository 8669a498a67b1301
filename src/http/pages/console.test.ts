import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { testServer } from '../../../test/memory/test-server.ts';
import { readConfig } from '../../config/settings.ts';
import type { App } from '../server/app.ts';
import { consoleRoutes } from './console.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** The routes over a small console made for the test. */
async function open(env: Readonly<Record<string, string>> = {}, built = true) {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-console-'));
  if (built) {
    const script = 'console.log(1);'.repeat(200);
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    await writeFile(join(folder, 'assets/main-abc.js'), script);
    await writeFile(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(script));
    await writeFile(join(folder, 'assets/main-abc.js.gz'), gzipSync(script));
    await writeFile(join(folder, 'secret.txt'), 'of no known kind');
  }
  const app = Fastify() as unknown as App;
  app.decorateRequest('accepted', '');
  app.addHook('onRequest', async (request) => {
    request.accepted = String(request.headers.accept ?? '').includes('html') ? 'text/html' : 'application/json';
  });
  app.setErrorHandler((error, _request, reply) => reply.code(404).send({ detail: (error as Error).message }));
  app.register(async (scope) => consoleRoutes({ version: '1', config: readConfig(env), folder })(scope as App));
  await app.ready();
  return {
    app,
    folder,
    async [Symbol.asyncDispose]() {
      await app.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe('the console', () => {
  it('gives for a tile without a file the nearest above it, and nothing for one outside the world', async () => {
    await using server = await open();
    await mkdir(join(server.folder, 'map/1/0'), { recursive: true });
    await mkdir(join(server.folder, 'map/0/0'), { recursive: true });
    await writeFile(join(server.folder, 'map/0/0/0.mvt.gz'), gzipSync('world'));
    await writeFile(join(server.folder, 'map/1/0/1.mvt.gz'), gzipSync('south-west'));
    const tile = async (name: string): Promise<string | number> => {
      const answer = await server.app.inject({ url: `/console/map/${name}`, headers: { 'accept-encoding': 'gzip' } });
      return answer.statusCode === 200 ? gunzipSync(answer.rawPayload).toString() : answer.statusCode;
    };
    assert.equal(await tile('1/0/1.mvt'), 'south-west');
    assert.equal(await tile('3/1/6.mvt'), 'south-west');
    assert.equal(await tile('3/7/0.mvt'), 'world');
    for (const name of ['3/8/0.mvt', '3/0/8.mvt', '0/0/1.mvt', '3/0/0.json']) assert.equal(await tile(name), 404);
  });

  it('is the page at / for browsers, at /console and at every view below it', async () => {
    await using server = await open();
    for (const url of ['/', '/console', '/console/facilities?task=1&level=low', '/console/forest'])
      assert.match((await server.app.inject({ url, headers: BROWSER })).body, /<title>page/, url);
  });

  it('answers 404 for a file that it does not have, and for nothing outside its list', async () => {
    await using server = await open();
    for (const url of ['/console/assets/gone.js', '/console/../package.json', '/console/%2e%2e/package.json'])
      assert.equal((await server.app.inject({ url })).statusCode, 404, url);
    assert.doesNotMatch((await server.app.inject('/console/secret.txt')).body, /of no known kind/);
  });

  it('sends the best compressed copy the client can read, and its length', async () => {
    await using server = await open();
    const get = (encoding: string) =>
      server.app.inject({ url: '/console/assets/main-abc.js', headers: { 'accept-encoding': encoding } });
    const best = await get('gzip, deflate, br');
    assert.equal(best.headers['content-encoding'], 'br');
    assert.equal(best.headers['content-length'], String(best.rawPayload.length));
    assert.match(String(brotliDecompressSync(best.rawPayload)), /^console/);
    assert.equal((await get('gzip, br;q=0')).headers['content-encoding'], 'gzip');
    const plain = await get('');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(plain.body, /^console/);
  });

  it('lets hashed files be kept for ever and requires the page to be checked again', async () => {
    await using server = await open();
    const asset = await server.app.inject('/console/assets/main-abc.js');
    assert.match(String(asset.headers['cache-control']), /immutable/);
    const page = await server.app.inject('/console');
    assert.equal(page.headers['cache-control'], 'no-cache');
    const again = await server.app.inject({ url: '/console', headers: { 'if-none-match': String(page.headers.etag) } });
    assert.equal(again.statusCode, 304);
  });

  it('may fetch from its own server alone', async () => {
    await using server = await open();
    for (const url of ['/console', '/console/assets/main-abc.js']) {
      const policy = String((await server.app.inject(url)).headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /connect-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|https?:/);
    }
  });

  it('may also fetch from the host of configured tiles', async () => {
    await using server = await open({ CONSOLE_TILES: 'https://tiles.example.org/a/{z}/{x}/{y}.png' });
    const policy = String((await server.app.inject('/console')).headers['content-security-policy']);
    assert.match(policy, /connect-src 'self' https:\/\/tiles\.example\.org;/);
    assert.deepEqual((await server.app.inject('/console/settings.json')).json<{ tiles: unknown }>().tiles, {
      url: 'https://tiles.example.org/a/{z}/{x}/{y}.png',
      attribution: 'tiles.example.org',
    });
  });

  it('may also fetch from the host of configured heights, and from none twice', async () => {
    await using server = await open({
      CONSOLE_TILES: 'https://tiles.example.org/a/{z}/{x}/{y}.png',
      CONSOLE_TERRAIN: 'https://heights.example.net:8443/{z}/{x}/{y}.png',
      CONSOLE_TERRAIN_ENCODING: 'mapbox',
      CONSOLE_TERRAIN_ATTRIBUTION: 'Heights Inc',
    });
    const policy = String((await server.app.inject('/console')).headers['content-security-policy']);
    const both = 'https://tiles.example.org https://heights.example.net:8443;';
    assert.ok(policy.includes(`connect-src 'self' ${both}`), policy);
    assert.ok(policy.includes(`img-src 'self' data: blob: ${both}`), policy);
    assert.deepEqual((await server.app.inject('/console/settings.json')).json<{ terrain: unknown }>().terrain, {
      url: 'https://heights.example.net:8443/{z}/{x}/{y}.png',
      encoding: 'mapbox',
      attribution: 'Heights Inc',
    });
    const url = 'https://tiles.example.org/{z}/{x}/{y}.png';
    await using same = await open({ CONSOLE_TILES: url, CONSOLE_TERRAIN: url });
    const once = String((await same.app.inject('/console')).headers['content-security-policy']);
    assert.match(once, /connect-src 'self' https:\/\/tiles\.example\.org;/);
    assert.throws(
      () => readConfig({ CONSOLE_TERRAIN_ENCODING: 'png' }),
      /CONSOLE_TERRAIN_ENCODING.*terrarium, mapbox/s,
    );
  });

  it('is the newer one once it was built again', async () => {
    await using server = await open();
    await writeFile(join(server.folder, 'assets/other-def.js'), 'console.log(2);');
    await writeFile(join(server.folder, 'index.html'), '<!doctype html><title>newer page</title>');
    assert.match((await server.app.inject('/console')).body, /newer page<\/title>$/);
    assert.match((await server.app.inject('/console/assets/other-def.js')).body, /log\(2\)/);
  });

  it('says how to build it where it was not built', async () => {
    await using server = await open({}, false);
    assert.match((await server.app.inject({ url: '/', headers: BROWSER })).body, /npm run build:console/);
  });

  it('refuses tiles whose address has no place for their numbers', () => {
    assert.throws(() => readConfig({ CONSOLE_TILES: 'https://tiles.example.org/' }), /CONSOLE_TILES.*\{z\}/s);
  });
});

describe('/principal', () => {
  it('shows whom a token stands for and what it may do', async () => {
    await using server = testServer();
    const { authorization, userId } = await server.login(['forest']);
    const answer = await server.app.inject({ url: '/principal', headers: { authorization } });
    const { email, ...rest } = answer.json<Record<string, unknown>>();
    assert.deepEqual(rest, { user_id: userId, kind: 'token', scopes: ['forest'] });
    assert.match(String(email), /@example\.org$/);
    assert.equal((await server.app.inject('/principal')).statusCode, 401);
  });
});
