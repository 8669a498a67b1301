import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { workbookOf } from '../make-archive.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** In the sample district but for the last, which lies in another country and on no data; one row cannot be read. */
const CSV = [
  'Nama;Titik A;Titik B;Desa',
  'Kilang Contoh;4,5821;102,6124;',
  'Gudang;4,599;102,5853;',
  'Salah;abc;102,6;',
  'Alamat;;;Kampung Baru',
  ';;;',
  'Jauh;-3,1;102,3;',
].join('\n');
const MAPPING = JSON.stringify({ 'Titik A': 'latitude', 'Titik B': 'longitude' });

interface Row {
  readonly source_row: number;
  readonly source_sheet: string | null;
  readonly cells: Readonly<Record<string, unknown>>;
  readonly place: string;
  readonly point: readonly number[] | null;
  readonly warnings: readonly { readonly code: string; readonly message: string; readonly fix: string }[];
}
interface Preview {
  readonly dry_run: true;
  readonly detail: string;
  readonly format: string;
  readonly size: Readonly<Record<string, number | null>>;
  readonly mapping: readonly {
    readonly name: string | null;
    readonly rows: number | null;
    readonly skipped: string | null;
    readonly columns: readonly { readonly column: string; readonly field: string | null }[];
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly commodity: {
    readonly stated: readonly unknown[];
    readonly without: number;
    readonly proposed: { readonly commodity: string; readonly from: string; readonly text: string } | null;
  };
  readonly sample: readonly Row[];
  readonly unplaced: readonly Row[];
  readonly region: {
    readonly bounds: readonly number[] | null;
    readonly countries: readonly { readonly country: string; readonly rows: number }[];
    readonly themes: readonly (Readonly<Record<string, unknown>> & { readonly theme: string })[];
    readonly to_fetch: { readonly cells: number; readonly megabytes: number | null } | null;
  };
}
type Fields = Readonly<Record<string, string>>;

for (const engine of oneEngine())
  describe(`a file that is looked at before anything is made of it, on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    before(async () => {
      database = await engine.create();
      const { databaseUrl, dataDir } = database;
      service = await runService({ dataDir, env: databaseUrl === null ? {} : { DATABASE_URL: databaseUrl } });
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await database?.drop();
    });

    async function post(
      path: string,
      file: Blob,
      name: string,
      fields: Fields,
      status = 200,
      headers: Fields = {},
    ): Promise<Preview> {
      const body = new FormData();
      for (const [field, value] of Object.entries(fields)) body.append(field, value);
      body.append('file', file, name);
      const answer = await service.fetch(path, { method: 'POST', body, headers });
      const text = await answer.text();
      assert.equal(answer.status, status, text.slice(0, 600));
      return JSON.parse(text) as Preview;
    }
    const look = (path: string, fields: Fields = {}, headers: Fields = {}) =>
      post(path, new Blob([CSV]), 'palm mills 2026.csv', { dry_run: 'true', ...fields }, 200, headers);
    const taskCount = async (): Promise<number> => {
      const tasks = (await (await service.fetch('/tasks?limit=100')).json()) as { readonly tasks: readonly unknown[] };
      return tasks.tasks.length;
    };

    it('is answered with the same by all four endpoints, and leaves no task behind', async () => {
      const before = await taskCount();
      const normalized = await look('/normalize_locations', { mapping: MAPPING });
      assert.equal(normalized.dry_run, true);
      assert.deepEqual(await look('/validate_locations?async_mode=true', { mapping: MAPPING }), normalized);
      const named = { mapping: MAPPING, collection_name: 'mills' };
      for (const path of ['/batch_process', '/stage_plots']) {
        const { size, ...same } = await look(path, named);
        assert.deepEqual({ ...same, size: { ...size, most_bytes: normalized.size['most_bytes'] } }, normalized);
        assert.ok(size['most_bytes']! > normalized.size['most_bytes']!);
      }
      assert.equal(await taskCount(), before);
    });

    it('shows first rows with their cells, and what became of them', async () => {
      const found = await look('/validate_locations', { mapping: MAPPING });
      assert.deepEqual(
        found.sample.map(({ source_row: row, place, point }) => [row, place, point]),
        [
          [2, 'given', [102.6124, 4.5821]],
          [3, 'given', [102.5853, 4.599]],
          [4, 'none', null],
          [5, 'to_geocode', null],
          [6, 'none', null],
          [7, 'given', [102.3, -3.1]],
        ],
      );
      assert.deepEqual(found.sample[0]!.cells, {
        Nama: 'Kilang Contoh',
        'Titik A': '4,5821',
        'Titik B': '102,6124',
        Desa: null,
      });
      assert.equal(found.counts['with_geometry'], 3);
      assert.deepEqual(found.region.bounds, [102.3, -3.1, 102.6124, 4.599]);
      assert.deepEqual(found.region.countries, [
        { country: 'Malaysia', rows: 2 },
        { country: 'Indonesia', rows: 1 },
      ]);
      assert.deepEqual(found.size, { bytes: CSV.length, most_bytes: 512_000_000, most_locations: 1_000_000 });
    });

    it('names the rows whose coordinates cannot be read, with the reason and the way out', async () => {
      const { unplaced } = await look('/validate_locations', { mapping: MAPPING });
      assert.deepEqual(
        unplaced.map(({ source_row: row, place }) => [row, place]),
        [
          [4, 'none'],
          [6, 'none'],
        ],
      );
      const wrong = unplaced[0]!.warnings.find(({ code }) => code === 'invalid_coordinate')!;
      assert.match(wrong.message, /Row 4, column "Titik A", value "abc": The value is not a latitude/);
      assert.match(wrong.fix, /Write degrees/);
      const german = await look(
        '/batch_process',
        { mapping: MAPPING, collection_name: 'a' },
        { 'accept-language': 'de' },
      );
      assert.match(german.unplaced[0]!.warnings[0]!.message, /^Zeile 4, Spalte .*Titik A/);
      assert.deepEqual(german.unplaced[0]!.cells, unplaced[0]!.cells);
      // Without addresses nothing else says where they are.
      const off = await look('/validate_locations', { mapping: MAPPING, geocode: 'false' });
      assert.deepEqual(
        off.unplaced.map(({ source_row: row, place }) => [row, place]),
        [
          [4, 'none'],
          [5, 'none'],
          [6, 'none'],
        ],
      );
      assert.equal(off.counts['without_place'], 3);
    });

    it('follows a mapping over what it found out itself', async () => {
      const fieldsOf = ({ mapping }: Preview) =>
        Object.fromEntries(mapping[0]!.columns.map(({ column, field }) => [column, field]));
      const alone = await look('/validate_locations');
      assert.equal(fieldsOf(alone)['Titik A'], null);
      assert.equal(fieldsOf(await look('/validate_locations', { mapping: MAPPING }))['Titik A'], 'latitude');
      const wrong = await post(
        '/validate_locations',
        new Blob([CSV]),
        'a.csv',
        { dry_run: 'true', mapping: '{"X":"name"}' },
        422,
      );
      assert.match(wrong.detail, /wanted a column of the file .* got "X"/);
    });

    it('proposes a commodity by what the file says, and applies none by itself', async () => {
      const { commodity, sample } = await look('/validate_locations', { mapping: MAPPING });
      assert.deepEqual(commodity, {
        stated: [],
        without: 6,
        proposed: { commodity: 'palm', from: 'file_name', text: 'palm' },
      });
      assert.equal((sample[0] as unknown as { commodity_type: unknown }).commodity_type, null);
      const two = new Blob(['name,lat,lon,crop\nA,4.58,102.61,cacao\nB,4.59,102.62,\n']);
      const rows = await post('/validate_locations', two, 'palm.csv', { dry_run: 'true' });
      assert.deepEqual(rows.commodity, {
        stated: [{ commodity: 'cocoa', rows: 1 }],
        without: 1,
        proposed: { commodity: 'cocoa', from: 'rows', text: 'cocoa' },
      });
      const plain = await post(
        '/validate_locations',
        new Blob(['name,lat,lon\nA,4.58,102.61\n']),
        'palm or cocoa.csv',
        {
          dry_run: 'true',
        },
      );
      assert.equal(plain.commodity.proposed, null);
    });

    it('counts for each question the rows that data covers, and never one twice', async () => {
      const { region } = await look('/validate_locations', { mapping: MAPPING, commodity_type: 'palm' });
      const rows = region.themes.map(({ theme, rows: all, covered, fetched, to_fetch, missing }) => [
        theme,
        all,
        covered,
        fetched,
        to_fetch,
        missing,
      ]);
      assert.deepEqual(rows, [
        ['roads', 3, 2, 0, 0, 1],
        ['buildings', 3, 2, 0, 0, 1],
        ['businesses', 3, 2, 0, 0, 1],
        ['commodity', 3, 2, 0, 0, 1],
      ]);
      assert.equal(region.to_fetch, null);
      assert.deepEqual(region.themes[0]!['datasets'], [
        { id: 'sample-district-roads', version: 'sample-1', synthetic: true, remote: false, rows: 2 },
      ]);
      const plots = await look('/validate_locations', { mapping: MAPPING, location_type: 'plot' });
      assert.deepEqual(
        plots.region.themes.map(({ theme, rows: all, covered }) => [theme, all, covered]),
        [
          ['forest', 3, 2],
          ['loss', 3, 2],
        ],
      );
    });

    it('reads the sheet that was chosen, and says why the others are left out', async () => {
      const file = workbookOf({
        Plots: [
          ['Name', 'Latitude', 'Longitude'],
          ...Array.from({ length: 12 }, (_, i): [string, number, number] => [`A${i}`, 4.58 + i / 1000, 102.61]),
        ],
        Offices: [
          ['Office', 'Phone'],
          ['Main', '1'],
        ],
        Mills: [
          ['Mill', 'Latitude', 'Longitude'],
          ['B', 4.59, 102.62],
        ],
      });
      const blob = new Blob([Uint8Array.from(file)]);
      const all = await post('/validate_locations', blob, 'book.xlsx', { dry_run: 'true' });
      assert.deepEqual(
        all.mapping.map(({ name, rows, skipped }) => [name, rows, skipped !== null]),
        [
          ['Plots', 12, false],
          ['Offices', null, true],
          ['Mills', 1, false],
        ],
      );
      assert.deepEqual([...new Set(all.sample.map(({ source_sheet }) => source_sheet))], ['Plots', 'Mills']);
      const one = await post('/validate_locations', blob, 'book.xlsx', { dry_run: 'true', sheets: 'Mills' });
      assert.deepEqual(
        one.sample.map(({ cells }) => cells['Mill']),
        ['B'],
      );
    });

    it('refuses a file without rows', async () => {
      const empty = await post('/validate_locations', new Blob(['name,lat,lon\n']), 'a.csv', { dry_run: 'true' }, 400);
      assert.match(empty.detail, /holds no locations/);
    });
  });

describe('the command line', () => {
  it('shows the same before a batch, within 80 columns', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-preview-'));
    try {
      const file = join(folder, 'palm mills.csv');
      await writeFile(file, CSV);
      const env = { DATA_DIR: folder, AUTO_DATA: 'off', PUBLIC_RASTERS: 'off' };
      const { code, out, err } = await runCommand(['batch', file, '--dry-run', '--map', MAPPING], env);
      assert.equal(code, 0, err);
      const tooWide = out.split('\n').filter((line) => line.length > 80);
      assert.deepEqual(tooWide, []);
      assert.match(out, /^6 locations \(csv\): 0 plots of 0 producers, 6 facilities$/m);
      assert.match(out, /^2 +facility +Kilang Contoh +Malaysia +4\.58210, 102\.61240$/m);
      assert.match(out, /^Rows whose place cannot be read\n-+\nRow 4, column "Titik A", value "abc"/m);
      assert.match(out, /^6 rows name none\. Proposed: --commodity palm, as the name of the file does\s\("palm"\)\.$/m);
      assert.match(out, /^roads +3 +2 +0 +1 +sample-district-roads \(made up\)$/m);
      assert.match(out, /^Nothing was kept\./m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
