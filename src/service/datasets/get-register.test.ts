import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { workbook } from '../../../test/make-archive.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { openRegistry } from '../../readers/producers/open-registry.ts';
import { PUBLIC_REGISTERS, type PublicRegister } from '../../readers/producers/public-registers.ts';
import { MATCH_RULES } from './find-producer.ts';
import { getRegister, publicRegister } from './get-register.ts';
import { openRegistryPacks, registryIds } from './registries.ts';

const { signal } = new AbortController();

/** Made-up rows in the columns of the real files. */
const MILLS = [
  { uml_id: 'PO1000000001', mill_name: 'SYNTHETIC Mill One', longitude: 101.5, latitude: 0.5 },
  { uml_id: 'PO1000000002', mill_name: 'SYNTHETIC Mill Two', longitude: 102.5, latitude: 1.5 },
  { uml_id: 'PO1000000003', mill_name: 'SYNTHETIC Mill Three', longitude: 103.5, latitude: 2.5 },
];
const TRASE_MILLS = geojson(
  MILLS.map((mill) => ({
    trase_code: `ID-${mill.uml_id}`,
    group: 'SYNTHETIC Group',
    company: 'PT SYNTHETIC Sawit',
    capacity_tonnes_ffb_hour: 60,
    active: true,
    earliest_year_of_existence: 1999,
    kabupaten_name: 'NOWHERE',
    province_name: 'RIAU',
    ...mill,
  })),
);
const SLAUGHTERHOUSES = geojson(
  MILLS.map(({ longitude, latitude }, i) => ({
    unique_id: `SYN-${i}`,
    company: `SYNTHETIC Frigorifico ${i}`,
    inspection_number: 9_000 + i,
    inspection_level: 'SIF',
    status: 'ACTIVE',
    commodity: 'BEEF',
    capacity: 100,
    longitude,
    latitude,
  })),
);
const UML_HEADERS = [
  'UML ID',
  'Group Name',
  'Parent Company',
  'Company Name',
  'Mill Name',
  'Address',
  'RSPO Status',
  'Country',
  'Province',
  'Latitude',
  'Longitude',
];
const UML_ROWS = MILLS.map(({ uml_id, mill_name, longitude, latitude }) =>
  [
    uml_id,
    'SYNTHETIC Group',
    'SYNTHETIC Parent',
    'PT SYNTHETIC',
    mill_name,
    'Jalan 1',
    'Not certified',
    'Indonesia',
    'Riau',
  ].concat(String(latitude), String(longitude)),
);

describe('public registers', () => {
  let site: Server;
  let url: string;
  let dataDir: string;
  let files: Map<string, string | Uint8Array | ((response: ServerResponse) => void)>;
  let requested: string[];
  before(async () => {
    site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      requested.push(pathname);
      const file = files.get(pathname);
      if (file === undefined) return void response.writeHead(404).end();
      if (typeof file === 'function') return file(response);
      const bytes = Buffer.from(file as string);
      const isPage = !/\.(json|xlsx|csv)$/.test(pathname);
      const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
      if (isPage || range === null)
        return void response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'application/json' }).end(bytes);
      const end = Math.min(Number(range[2]), bytes.length - 1);
      response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${range[1]}-${end}/${bytes.length}` });
      response.end(bytes.subarray(Number(range[1]), end + 1));
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  after(() => {
    site.closeAllConnections();
    site.close();
  });
  beforeEach(async () => {
    requested = [];
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-get-register-'));
    files = new Map<string, string | Uint8Array | ((response: ServerResponse) => void)>([
      ['/map', '<script>load("/data/facilities-data/2026-11-01-br_beef_logistics_map_v9.geo.json")</script>'],
      ['/data/facilities-data/2026-11-01-br_beef_logistics_map_v9.geo.json', SLAUGHTERHOUSES],
      ['/data/facilities-data/IDN_PO_mills_clean.geo.json', TRASE_MILLS],
      ['/mill-list', '<a href="/wp-content/uploads/2026/10/UML-October-2026.xlsx">Download the Excel version</a>'],
      ['/wp-content/uploads/2026/10/UML-October-2026.xlsx', sheet([UML_HEADERS, ...UML_ROWS])],
    ]);
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  /** The same register at the local site, content with a few rows. */
  function local(id: string, page: string, more: Partial<PublicRegister> = {}): PublicRegister {
    const register = publicRegister(id, { millListUrl: PUBLIC_REGISTERS[0].page });
    const known = register.known === null ? null : `${url}/data/facilities-data/${register.known.split('/').at(-1)}`;
    const folder = `${url}/data/facilities-data/`;
    return {
      ...register,
      page: `${url}${page}`,
      folder,
      known,
      expect: { ...register.expect, leastRecords: 3 },
      ...more,
    };
  }
  const get = (register: PublicRegister, from: string | null = null) =>
    getRegister({ dataDir }, register, from, () => {}, signal);

  it('are found on their page by a dated name, and count as producers and as businesses of their chain alone', async () => {
    const { place, dataset, records } = await get(local('trase-slaughterhouses-brazil', '/map'));
    assert.match(place, /2026-11-01-br_beef_logistics_map_v9\.geo\.json$/);
    assert.deepEqual([dataset.date, dataset.licence, records.length], ['2026-11-01', 'Trase terms of use', 3]);
    const [pack] = await openRegistryPacks({ dataDir }, assert.fail);
    const registry = openRegistry(pack, MATCH_RULES);
    const there = pointShape(102.501, 1.5);
    assert.equal(registry.find('Synthetic Frigorifico 1', there, 'BR')?.recordId, 'SYN-1');
    assert.equal(registry.near('cattle', there, 1000).count, 1);
    assert.equal(registry.near('palm', there, 1000).count, 0);
  });

  it('are read from the file that was seen last where the page does not name one', async () => {
    files.set('/map', '<p>A new page</p>');
    const { place } = await get(local('trase-palm-mills-indonesia', '/map'));
    assert.match(place, /IDN_PO_mills_clean\.geo\.json$/);
    const gone = await get(local('trase-palm-mills-indonesia', '/gone'));
    assert.equal(gone.records.length, 3);
  });

  it('are read from a workbook, with all names of a mill and its country', async () => {
    const { records, columns, place } = await get(local('universal-mill-list', '/mill-list'));
    assert.match(place, /\/wp-content\/uploads\/2026\/10\/UML-October-2026\.xlsx$/);
    assert.deepEqual(columns.names, ['Mill Name', 'Company Name', 'Parent Company']);
    assert.deepEqual(records[0], {
      id: 'PO1000000001',
      names: ['SYNTHETIC Mill One', 'PT SYNTHETIC', 'SYNTHETIC Parent'],
      at: [101.5, 0.5],
      country: 'ID',
    });
  });

  it('are not read from another site than that of their page', async () => {
    for (const other of [
      'http://127.0.0.2:1/uml.xlsx',
      '//localhost/uml.xlsx',
      'http://[::1/uml.xlsx',
      `${url}.example/u.xlsx`,
    ]) {
      files.set('/mill-list', `<a href="${other}">Download the Excel version</a>`);
      await assert.rejects(get(local('universal-mill-list', '/mill-list')), /on another site; look at it/, other);
    }
    assert.deepEqual(
      requested.filter((path) => path !== '/mill-list'),
      [],
    );
  });

  it('take the spelling of the copy of Global Forest Watch, from a file that was downloaded', async () => {
    const rows = MILLS.map(({ uml_id, mill_name, latitude, longitude }) =>
      [uml_id, 'G', 'SYNTHETIC Parent', mill_name, 'None', '', latitude, longitude, 'Indonesia', 'Riau', '', 1].join(),
    );
    const headers =
      'uml_id,group_name,parent_com,mill_name,rspo_statu,rspo_type,latitude,longitude,country,province,district,confidence';
    files.set('/uml.csv', [headers, ...rows].join('\n'));
    const { records } = await get(local('universal-mill-list', '/gone'), `${url}/uml.csv`);
    assert.deepEqual(records[2].names, ['SYNTHETIC Mill Three', 'SYNTHETIC Parent']);
  });

  it('are read from the place that the settings name, a page or the file itself', async () => {
    const mills = (millListUrl: string) => ({
      ...publicRegister('universal-mill-list', { millListUrl }),
      expect: local('universal-mill-list', '').expect,
    });
    assert.equal((await get(mills(`${url}/mill-list`))).records.length, 3);
    requested = [];
    const file = `${url}/wp-content/uploads/2026/10/UML-October-2026.xlsx`;
    assert.equal((await get(mills(file))).place, file);
    assert.ok(!requested.includes('/mill-list'));
  });

  const file = '/data/facilities-data/IDN_PO_mills_clean.geo.json';
  const broken: readonly (readonly [string, string | ((response: ServerResponse) => void) | null, RegExp])[] = [
    ['moved', null, /there is nothing at this address/],
    ['a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /web page/],
    ['a web page that says it is data', '<html><body>Sign in</body></html>', /./],
    ['cut off', (response) => cutOff(response), /ended early|closed|terminated|short|other side/],
    ['broken off and complete by its length', TRASE_MILLS.slice(0, -40), /./],
    ['in other columns', geojson([{ title: 'a' }, { title: 'b' }, { title: 'c' }]), /No column was taken for names/],
    [
      'without the names of mills',
      geojson(MILLS.map(({ mill_name, ...mill }) => ({ ...mill, company: mill_name }))),
      /millname/,
    ],
    [
      'nearly empty',
      geojson(MILLS.slice(0, 1).map((mill) => ({ ...mill, company: 'x' }))),
      /at least 3 records, got 1/,
    ],
  ];
  for (const [what, content, words] of broken)
    it(`leave what was installed when the file is ${what}`, async () => {
      const register = local('trase-palm-mills-indonesia', '/gone');
      const { dataset } = await get(register);
      if (content === null) files.delete(file);
      else files.set(file, content);
      await assert.rejects(get(register), words);
      assert.deepEqual(await registryIds({ dataDir }), ['trase-palm-mills-indonesia']);
      const [pack] = await openRegistryPacks({ dataDir }, assert.fail);
      assert.equal((pack.header.meta as { version: string }).version, dataset.version);
    });

  it('say what to do where the page of a register whose file was never seen names none', async () => {
    files.set('/map', '<p>Nothing here</p>');
    await assert.rejects(get(local('trase-pulp-mills-indonesia', '/map')), /names no file as wanted.*--from/);
  });

  it('refuse identifiers of another list', async () => {
    const rows = UML_ROWS.map((row, i) => [`X${i}`, ...row.slice(1)]);
    files.set('/wp-content/uploads/2026/10/UML-October-2026.xlsx', sheet([UML_HEADERS, ...rows]));
    await assert.rejects(get(local('universal-mill-list', '/mill-list')), /wanted identifiers like .*, got "X0"/);
  });

  it('each have terms, a page and a pattern that finds the file that was seen', () => {
    for (const { id, terms, page, pattern, known } of PUBLIC_REGISTERS) {
      assert.ok(terms.length > 20 && page.startsWith('https://'), id);
      if (known !== null) assert.equal(`x "${known}"`.match(pattern)?.at(-1), known, id);
    }
  });
});

function geojson(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const features = rows.map((properties, i) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'Point', coordinates: [properties['longitude'] ?? i, properties['latitude'] ?? i + 1] },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function sheet(rows: readonly (readonly string[])[]): Uint8Array {
  const cell = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  return workbook(rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join(''));
}

/** Promises more than it sends. */
function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 3_000_000 });
  response.write(Buffer.alloc(1_000), () => response.destroy());
}
