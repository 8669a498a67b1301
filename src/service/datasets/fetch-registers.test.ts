import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openHostileSite } from '../../../test/hostile-site.ts';
import type { Commodity } from '../../facilities/commodity/commodities.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { PUBLIC_REGISTERS, type PublicRegister } from '../../readers/producers/public-registers.ts';
import { openRegisterFetcher } from './fetch-registers.ts';
import { publicRegister } from './get-register.ts';
import { registryIds } from './registries.ts';

const { signal } = new AbortController();
const site = openHostileSite();
const RIAU = pointShape(101.4, 0.5);
const UML = 'universal-mill-list';
const HEADERS = 'uml_id,mill_name,latitude,longitude,country';
const ROWS = [1, 2, 3].map((i) => `PO100000000${i},SYNTHETIC Mill ${i},0.${i},101.${i},Indonesia`);

describe('registers that are fetched when they are first needed', () => {
  let config: Parameters<typeof openRegisterFetcher>[0];
  beforeEach(async () => {
    config = {
      dataDir: await mkdtemp(join(tmpdir(), 'firstmile-fetch-registers-')),
      checkTimeoutMs: 60_000,
      publicData: true,
      autoData: true,
      millListUrl: `${site.base}/mill-list`,
    };
    site.files.clear();
    site.files.set('/mill-list', Buffer.from('<a href="/files/uml-2026-10.csv">Download</a>'));
    site.files.set('/files/uml-2026-10.csv', Buffer.from([HEADERS, ...ROWS].join('\n')));
  });
  afterEach(() => rm(config.dataDir, { recursive: true, force: true }));

  function opened(country = 'ID', own = config) {
    const lines: { readonly words: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
    const ended: unknown[] = [];
    let installed: readonly string[] = [];
    const uml = publicRegister(UML, own);
    const register: PublicRegister = {
      ...uml,
      expect: { ...uml.expect, leastRecords: 3 },
    };
    const fetcher = openRegisterFetcher(own, {
      registers: [register],
      has: (id) => installed.includes(id),
      whereabouts: () => ({
        dataset: { id: 'countries', version: '1', synthetic: false },
        value: { country: { iso2: country, name: country }, onLand: true, neighbours: [] },
      }),
      renew: async () => void (installed = await registryIds(own)),
      log: {
        info: (fields, words) => void lines.push({ words, fields }),
        warn: (fields, words) => void lines.push({ words, fields }),
      },
      onFetched: (id, error) => void ended.push([id, (error as Error | null)?.message ?? null]),
    });
    assert.ok(fetcher !== null);
    return {
      lines,
      ended,
      businesses: (commodity: Commodity | null = 'palm') =>
        fetcher.sources.businesses?.(commodity, RIAU, 2_000, signal),
      producer: (commodity: Commodity | null = 'palm') =>
        fetcher.sources.producer?.('Mill', RIAU, 'ID', signal, commodity),
      [Symbol.asyncDispose]: fetcher.close,
    };
  }

  it('installs the mill list once for palm in one of its countries, and says its size, licence and file', async () => {
    await using registers = opened();
    assert.deepEqual(await Promise.all([registers.businesses(), registers.producer()]), [null, null]);
    assert.deepEqual(await registryIds(config), [UML]);
    const [{ words, fields }] = registers.lines;
    assert.equal(words, 'a public register was installed');
    assert.deepEqual([fields['register'], fields['records'], fields['licence']], [UML, 3, 'CC-BY-4.0']);
    assert.match(String(fields['from']), /uml-2026-10\.csv$/);
    assert.deepEqual(registers.ended, [[UML, null]]);
    const before = site.requests.length;
    assert.equal(registers.producer(), null, 'what is installed needs no promise');
    assert.equal(site.requests.length, before);
    assert.equal(site.requests.filter((path) => path === '/mill-list').length, 1);
  });

  it('fetches nothing for another commodity, in another country, or where it is switched off', async () => {
    await using registers = opened();
    assert.equal(registers.businesses('cattle'), null);
    assert.equal(registers.producer(null), null);
    await using elsewhere = opened('FI');
    assert.equal(await elsewhere.businesses(), null);
    assert.deepEqual(site.requests, []);
    const [{ page }] = PUBLIC_REGISTERS;
    const isOpened = (settings: Partial<typeof config>): boolean =>
      openRegisterFetcher(
        { ...config, ...settings },
        { has: () => false, whereabouts: () => null, renew: async () => {}, log: { info() {}, warn() {} } },
      ) !== null;
    assert.deepEqual(
      [{}, { autoData: false }, { publicData: false }, { publicData: false, millListUrl: page }].map(isOpened),
      [true, false, true, false],
      'a list of your own is none of the public addresses',
    );
  });

  it('is unknown while it is being fetched, and there for the next question', async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const serve = site.handler;
    site.handler = (request, response) => void go.then(() => serve(request, response));
    await using registers = opened('ID', { ...config, checkTimeoutMs: 100 });
    await assert.rejects(
      async () => registers.producer(),
      /^Problem: the Universal Mill List is being fetched; repeat/,
    );
    resolve();
    while ((await registryIds(config)).length === 0) await new Promise((done) => setTimeout(done, 20));
    await using later = opened();
    assert.equal(await later.producer(), null);
  });

  for (const [what, page, file] of [
    ['the page names no file', '<p>A new page</p>', null],
    ['the file is gone', null, ''],
    ['the file has other identifiers', null, [HEADERS, ...ROWS.map((row) => `X${row}`)].join('\n')],
    ['the file has other columns', null, 'a,b\n1,2\n3,4\n5,6\n'],
    ['the file is nearly empty', null, [HEADERS, ROWS[0]].join('\n')],
  ] as const)
    it(`installs nothing where ${what}, says why, and does not try again at once`, async () => {
      if (page !== null) site.files.set('/mill-list', Buffer.from(page));
      if (file === '') site.files.delete('/files/uml-2026-10.csv');
      else if (file !== null) site.files.set('/files/uml-2026-10.csv', Buffer.from(file));
      await using registers = opened();
      await assert.rejects(async () => registers.producer(), /^Problem: the Universal Mill List could not be fetched$/);
      assert.deepEqual(await registryIds(config), []);
      assert.equal(registers.ended.length, 1);
      const before = site.requests.length;
      await assert.rejects(async () => registers.producer(), /could not be fetched/);
      assert.equal(site.requests.length, before);
    });
});
