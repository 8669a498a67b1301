import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { zipSync } from 'fflate';
import { MODEL_FOLDER, PUBLISHED, readPublished } from '../../../test/detection-heads.ts';
import { needsSharedData, SHARED_DATA } from '../../../test/shared-data.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openZipArchive } from '../../readers/formats/tables/zip-archive.ts';
import { PUBLIC_EMBEDDINGS } from '../../readers/embeddings/public-datasets.ts';
import { MODELS_URL } from '../../readers/models/published-models.ts';
import { OWN_HEADS } from '../detection/heads.ts';
import { areModelsFetched, openModelFetcher, type ModelFetchConfig } from './fetch-models.ts';
import { installedHeads, modelsFolder, openHead, type InstalledHead } from './installed-models.ts';

const { signal } = new AbortController();
const RIAU = pointShape(101.4, 0.5);
const ARCHIVES = join(SHARED_DATA, MODEL_FOLDER);
/** Archives of the generation before stand in for the newest, which could not be had. */
const STAND_INS: Readonly<Record<string, string>> = {
  'palm_2026a.zip': 'palm_k2pgj00ctino4_2025b.zip',
  'cocoa_2026a.zip': 'cocoa_g4iuo8j0dlnl7_2025b.zip',
  'coffee_2026a.zip': 'coffee_b336ppkyvam8r_2025b.zip',
  'rubber_2026a.zip': 'rubber_u1mukwfh935e2_2025b.zip',
};

type Answer = (name: string, response: ServerResponse, serve: () => Promise<void>) => unknown;

/** A site with the paths of the repository that publishes the heads. */
describe('heads that are fetched when they are first needed', needsSharedData(MODEL_FOLDER), () => {
  let site: Server;
  let answer: Answer;
  let requested: string[];
  let config: ModelFetchConfig;
  before(async () => {
    site = createServer((request, response) => {
      const path = request.url ?? '';
      const name = basename(path);
      requested.push(name);
      const place = /^\/fdp\/[0-9a-f]{40}\/models\/model_(2025b|2026a)\/(palm|cocoa|coffee|rubber)\//.exec(path);
      assert.ok(place !== null, path);
      void answer(name, response, () => serveRange(STAND_INS[name] ?? name, request.headers.range ?? '', response));
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    site.closeAllConnections();
    site.close();
  });
  beforeEach(async () => {
    requested = [];
    answer = (_, __, serve) => serve();
    config = {
      dataDir: await mkdtemp(join(tmpdir(), 'firstmile-fetch-models-')),
      checkTimeoutMs: 60_000,
      publicData: true,
      autoData: true,
      models: 'auto',
      modelsUrl: `http://127.0.0.1:${(site.address() as AddressInfo).port}/fdp`,
    };
  });
  afterEach(() => rm(config.dataDir, { recursive: true, force: true }));

  function opened(embeddings: readonly Dataset[] = PUBLIC_EMBEDDINGS, own = config) {
    const lines: { readonly words: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
    const log = {
      info: (fields: Readonly<Record<string, unknown>>, words: string) => void lines.push({ words, fields }),
      warn: (fields: Readonly<Record<string, unknown>>, words: string) => void lines.push({ words, fields }),
    };
    let heads: readonly InstalledHead[] = OWN_HEADS;
    const fetcher = openModelFetcher(own, {
      data: () => ({ heads, maps: [], embeddings }),
      renew: async () => void (heads = [...(await installedHeads(own)), ...OWN_HEADS]),
      log,
    });
    return {
      lines,
      palm: (shape = RIAU) => fetcher.sources.commodityShare?.('palm', shape, 1000, signal),
      soy: () => fetcher.sources.commodityShare?.('soy', RIAU, 1000, signal),
      planted: () => fetcher.sources.plantationShare?.(RIAU, 1000, signal),
      ids: async () => (await installedHeads(own)).map(({ id }) => id),
      [Symbol.asyncDispose]: fetcher.close,
    };
  }

  it('installs the newest generation of the one that is needed, and says its size, licence and checksum', async () => {
    await using models = opened();
    assert.equal(await models.palm(), null);
    assert.deepEqual(await models.ids(), ['fdp-2026a-palm']);
    const [{ words, fields }] = models.lines;
    assert.equal(words, 'a detection model was installed');
    assert.deepEqual([fields['model'], fields['bytes'], fields['licence']], ['fdp-2026a', 3_575_824, 'MIT']);
    assert.equal(fields['sha256'], '2b9ba96580f332a779aa2e57178036b5996234e384691d19fe5170321fda4ba2');
    const before = requested.length;
    assert.equal(models.palm(), null, 'an installed head needs no promise');
    assert.equal(requested.length, before);
  });

  it('falls back to the generation before where the newest is not there, and says so', async () => {
    answer = (name, response, serve) => (name.includes('2026a') ? response.writeHead(404).end() : serve());
    await using models = opened();
    assert.equal(await models.palm(), null);
    assert.deepEqual(await models.ids(), ['fdp-2025b-palm']);
    assert.deepEqual(
      models.lines.map(({ words, fields }) => [words, fields['model']]),
      [
        ['a published detection model cannot be used', 'fdp-2026a'],
        ['a detection model was installed', 'fdp-2025b'],
      ],
    );
  });

  it('reads the signature of the newest, whose bands may come in another order', async () => {
    const made = await madeUpArchive((bytes) => swapped(bytes, 'A00', 'A01'));
    answer = (name, response, serve) => (name.includes('2026a') ? sendBytes(made, response) : serve());
    await using models = opened();
    assert.equal(await models.palm(), null);
    assert.deepEqual(await models.ids(), ['fdp-2026a-palm']);
    const head = await openHead((await installedHeads(config))[0]!);
    const older = await readPublished(PUBLISHED.find(({ commodity }) => commodity === 'palm')!);
    // Each band has what belongs to its own name, wherever that stood.
    assert.deepEqual([head.edges[0], head.edges[1]], [older.edges[1], older.edges[0]]);
    assert.notDeepEqual(head.edges[0], older.edges[0]);
    assert.deepEqual(head.edges.slice(2), older.edges.slice(2));
    assert.deepEqual(head.slopes.subarray(0, head.width), older.slopes.subarray(head.width, 2 * head.width));
  });

  for (const [what, change] of [
    ['has an input that is no band', (bytes) => replaced(bytes, 'A63', 'lat')],
    ['reads a band twice', (bytes) => replaced(bytes, 'A63', 'A62')],
    ['has no signature to be served by', (bytes) => replaced(bytes, 'serving_default', 'serving_special')],
    ['is built in another way', (bytes) => replaced(bytes, 'UpperBound', 'LowerBound')],
  ] as const satisfies readonly (readonly [string, (bytes: Buffer) => Buffer])[])
    it(`falls back, and says why, where the newest ${what}`, async () => {
      const made = await madeUpArchive(change);
      answer = (name, response, serve) => (name.includes('2026a') ? sendBytes(made, response) : serve());
      await using models = opened();
      assert.equal(await models.palm(), null);
      assert.deepEqual(await models.ids(), ['fdp-2025b-palm']);
      const [{ words, fields }] = models.lines;
      assert.deepEqual([words, fields['model']], ['a published detection model cannot be used', 'fdp-2026a']);
    });

  it('falls back where the newest cannot be read as what it should be', async () => {
    answer = (name, response, serve) =>
      name.includes('2026a') ? sendBytes(Buffer.from('PK, but nothing that can be unpacked'), response) : serve();
    await using models = opened();
    assert.equal(await models.palm(), null);
    assert.deepEqual(await models.ids(), ['fdp-2025b-palm']);
  });

  for (const [what, broken] of [
    ['moved', (_, response) => response.writeHead(404).end()],
    ['a web page', (_, response) => sendBytes(Buffer.from('<html>sign in'), response, 'text/html; charset=utf-8')],
    ['other bytes', (_, response) => sendBytes(Buffer.alloc(5_000, 7), response)],
    ['cut off', (_, response) => cutOff(response)],
  ] as const satisfies readonly (readonly [string, Answer])[])
    it(`leaves nothing behind of an archive that is ${what}, and does not try again at once`, async () => {
      answer = broken;
      await using models = opened();
      await assert.rejects(async () => models.palm(), /^Problem: the detection model of palm could not be fetched$/);
      assert.deepEqual(await readdir(modelsFolder(config)).catch(() => []), []);
      const before = requested.length;
      await assert.rejects(async () => models.palm(), /could not be fetched/);
      assert.equal(requested.length, before);
    });

  it('is unknown while it is being fetched, and there for the next question', async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    answer = async (_, __, serve) => {
      await go;
      await serve();
    };
    await using models = opened(PUBLIC_EMBEDDINGS, { ...config, checkTimeoutMs: 100 });
    await assert.rejects(async () => models.palm(), /^Problem: the detection model of palm is being fetched; repeat/);
    resolve();
    while ((await models.ids()).length === 0) await new Promise((done) => setTimeout(done, 20));
    await using later = opened();
    assert.equal(await later.palm(), null);
  });

  it('fetches an archive once for all who need it in several processes', async () => {
    await using one = opened();
    await using other = opened();
    assert.deepEqual(await Promise.all([one.palm(), other.palm(), one.palm(), other.planted()]), [
      null,
      null,
      null,
      null,
    ]);
    assert.deepEqual(await one.ids(), ['fdp-2026a-cocoa', 'fdp-2026a-coffee', 'fdp-2026a-palm', 'fdp-2026a-rubber']);
    // Its size, and its bytes.
    assert.equal(requested.filter((name) => name === 'palm_2026a.zip').length, 2);
  });

  it('fetches nothing that could not answer', async () => {
    await using models = opened();
    assert.equal(models.soy(), null);
    assert.equal(models.palm(pointShape(101.4, 24.2)), null);
    await using without = opened([]);
    assert.equal(without.palm(), null);
    await using synthetic = opened(PUBLIC_EMBEDDINGS.map((dataset) => ({ ...dataset, synthetic: true })));
    assert.equal(synthetic.palm(), null);
    assert.deepEqual(requested, []);
  });

  it('is switched off by each of three settings', () => {
    const off = [{ publicData: false }, { autoData: false }, { models: 'manual' }] as const;
    assert.deepEqual(
      [{}, ...off].map((settings) => areModelsFetched({ ...config, modelsUrl: MODELS_URL, ...settings })),
      [true, false, false, false],
    );
  });
});

/** An archive as the newest may be: the one of the generation before, with another graph. */
async function madeUpArchive(change: (graph: Buffer) => Buffer): Promise<Buffer> {
  const path = join(ARCHIVES, STAND_INS['palm_2026a.zip']!);
  await using zip = await openZipArchive(path, (await readFile(path)).length);
  const entries: [string, Uint8Array][] = [];
  for (const entry of zip.entries) {
    const bytes = await zip.bytes(entry);
    entries.push([entry.path, entry.path.endsWith('saved_model.pb') ? change(bytes) : bytes]);
  }
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0 }));
}

/** Every text of a graph that is `from` made `to`, which is as long. */
function replaced(graph: Buffer, from: string, to: string): Buffer {
  const out = Buffer.from(graph);
  const [old, fresh] = [from, to].map((text) => Buffer.from([text.length, ...Buffer.from(text)]));
  let found = 0;
  for (let at = graph.indexOf(old!); at >= 0; at = graph.indexOf(old!, at + 1), found++) fresh!.copy(out, at);
  assert.ok(found > 0, `${from} is in the graph`);
  return out;
}

function swapped(graph: Buffer, one: string, other: string): Buffer {
  return replaced(replaced(replaced(graph, one, '~~~'), other, one), '~~~', other);
}

async function serveRange(file: string, range: string, response: ServerResponse): Promise<void> {
  const bytes = await readFile(join(ARCHIVES, file));
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
  const end = Math.min(Number(to), bytes.length - 1);
  response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${from}-${end}/${bytes.length}` });
  response.end(bytes.subarray(Number(from), end + 1));
}

function sendBytes(bytes: Buffer, response: ServerResponse, type = 'application/octet-stream'): void {
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

/** Promises more than it sends. */
function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 3_000_000 });
  response.write(Buffer.alloc(100_000), () => response.destroy());
}
