import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { unzipped } from '../due-diligence-export.ts';
import { archive } from '../make-archive.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

/** Twenty plots by the EU's own headings next to a country that one row fills, and a mill; the producers are numbers too. */
const HEAD = 'ProducerName,ProducerCountry,ProductionPlace,Area,country,Grower group,name,lat,lon';
const PLOTS = Array.from({ length: 20 }, (_, i) => {
  const name = i < 10 ? `F${String(i).padStart(3, '0')}` : String(4700 + i);
  return `${name},MY,Kg Baru,1.5,${i === 3 ? 'Malaysia' : ''},Group ${i % 2},Block ${i},${(4.59 + i / 1000).toFixed(6)},102.6`;
});
const CSV = [HEAD, ...PLOTS, ',,,,Malaysia,,Kilang Sawit,4.650001,102.610001'].join('\n');

interface Column {
  readonly column: string;
  readonly field: string | null;
  readonly order?: number;
}
interface Answer {
  readonly collection_id: string;
  readonly status: string;
  readonly detail: string;
  readonly dry_run?: true;
  readonly mapping: readonly {
    readonly name: string | null;
    readonly skipped: string | null;
    readonly columns: readonly Column[];
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly { readonly code: string; readonly count: number; readonly example: string }[];
  readonly sample: readonly { readonly eudr: Readonly<Record<string, unknown>> }[];
}
interface Fetched {
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly eudr: Readonly<Record<string, unknown>>;
    readonly eudr_origin: Readonly<Record<string, { readonly from: string; readonly column?: string } | null>>;
  };
}
type Fields = Readonly<Record<string, string>>;

let service: RunningProcess;
before(async () => {
  service = await runService();
});
after(() => service[Symbol.asyncDispose]());

async function post(
  path: string,
  file: string | Uint8Array<ArrayBuffer> | null,
  fields: Fields,
  status: number,
): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append('file', new Blob([file]), 'plots.csv');
  const answer = await service.fetch(path, { method: 'POST', body: form });
  const text = await answer.text();
  assert.equal(answer.status, status, text.slice(0, 600));
  return JSON.parse(text) as Answer;
}

async function get(path: string): Promise<Answer> {
  return (await (await service.fetch(path)).json()) as Answer;
}

async function completed(id: string): Promise<Answer> {
  for (;;) {
    const collection = await get(`/collections/${id}`);
    if (collection.status !== 'processing') return collection;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function fetched(id: string, more = ''): Promise<readonly Fetched[]> {
  const text = await (await service.fetch(`/fetch_plots?filename=${id}${more}`)).text();
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Fetched);
}

const fieldsOf = ({ mapping }: Answer) =>
  Object.fromEntries(mapping[0]!.columns.map(({ column, field }) => [column, field]));
const collectionCount = async (): Promise<number> =>
  ((await get('/get_collections?limit=100')) as unknown as { readonly collections: readonly unknown[] }).collections
    .length;

describe('the mapping of columns', () => {
  it('names hidden sheets of a workbook, which are not read, of the staged file and of the batch', async () => {
    const row = (...cells: string[]) =>
      `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
    const sheet = `<worksheet><sheetData>${row('name', 'lat', 'lon')}${row('Blok 1', '4.6', '102.6')}</sheetData></worksheet>`;
    const workbook = archive({
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="Farms" r:id="a"/><sheet name="Old" state="hidden" r:id="b"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/><Relationship Id="b" Target="worksheets/sheet2.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': sheet,
      'xl/worksheets/sheet2.xml': sheet,
    });
    const staged = await post(
      '/stage_plots',
      Buffer.from(workbook),
      { collection_name: 'two sheets', location_type: 'plot' },
      201,
    );
    const tables = ({ mapping }: Answer) => mapping.map(({ name, skipped }) => [name, skipped]);
    const wanted = [
      ['Farms', null],
      ['Old', 'The sheet is hidden.'],
    ];
    assert.deepEqual(tables(staged), wanted);
    await post('/batch_process', null, { filename: staged.collection_id, stats: 'false' }, 202);
    assert.deepEqual(tables(await completed(staged.collection_id)), wanted);
  });

  it('is answered with counts and problems by a dry run, which keeps nothing', async () => {
    const before = await collectionCount();
    const named = { collection_name: 'lot', dry_run: 'true' };
    for (const path of ['/batch_process', '/stage_plots']) {
      const shown = await post(path, CSV, named, 200);
      assert.equal(shown.dry_run, true);
      assert.deepEqual(fieldsOf(shown), {
        ProducerName: 'supplier_name',
        ProducerCountry: 'country',
        ProductionPlace: 'production_place',
        Area: 'area',
        country: 'country',
        'Grower group': null,
        name: 'name',
        lat: 'latitude',
        lon: 'longitude',
      });
      assert.deepEqual(shown.counts, {
        locations: 21,
        plots: 20,
        facilities: 1,
        with_geometry: 21,
        to_geocode: 0,
        without_place: 0,
        producers: 20,
        plots_without_producer: 0,
      });
      assert.deepEqual(shown.problems, []);
      assert.deepEqual(shown.sample[0]!.eudr, {
        ProducerName: 'F000',
        ProducerCountry: 'MY',
        ProductionPlace: 'Kg Baru',
        Area: 1.5,
      });
    }
    const other = await post(
      '/batch_process',
      'name,village,lat,lon\nBlok 1,Kampung,x,101\nBlok 2,Kampung,,\n',
      named,
      200,
    );
    assert.deepEqual(
      [other.counts['to_geocode'], other.problems.map(({ code }) => code)[0]],
      [2, 'location_type_guessed'],
    );
    assert.equal(await collectionCount(), before);
    const wrong = await post('/batch_process', CSV, { ...named, mapping: '{"Nope":"name"}' }, 422);
    assert.match(wrong.detail, /wanted a column of the file .* got "Nope"/);
  });

  it('of the user is followed by staging, batch and dry run, and shown in each answer', async () => {
    const mapping = JSON.stringify({ 'Grower group': 'supplier_name', ProducerName: null });
    const request_data = JSON.stringify({ collection_name: 'lot', mapping: JSON.parse(mapping) as unknown });
    const staged = await post('/stage_plots', CSV, { request_data }, 201);
    assert.equal(fieldsOf(staged)['Grower group'], 'supplier_name');
    assert.equal(fieldsOf(staged)['ProducerName'], null);
    const { collection_id: filename } = staged;
    const shown = await post('/batch_process', null, { filename, dry_run: 'true' }, 200);
    assert.deepEqual([shown.counts['producers'], fieldsOf(shown)['ProducerName']], [2, null]);
    const otherwise = { filename, dry_run: 'true', mapping: '{}' };
    assert.equal((await post('/batch_process', null, otherwise, 200)).counts['producers'], 20);

    // A crop alone changes nothing of how the columns are read.
    const begun = await post('/batch_process', null, { filename, crop_type: 'palm', stats: 'false' }, 202);
    assert.equal(fieldsOf(begun)['Grower group'], 'supplier_name');
    await completed(filename);
    assert.equal((await fetched(filename))[0]!.properties.eudr['ProducerName'], 'Group 0');

    const again = await post(
      '/batch_process',
      null,
      { filename, mapping: '{"name":"location_id"}', stats: 'false' },
      202,
    );
    assert.equal(fieldsOf(again)['name'], 'location_id');
    const done = await completed(filename);
    assert.equal(fieldsOf(done)['name'], 'location_id');
    assert.equal((await fetched(filename))[0]!.properties['location_id'], 'Block 0');
    const refused = await post('/batch_process', null, { filename, mapping: '{"Nope":"name"}' }, 422);
    assert.match(refused.detail, /got "Nope"/);
  });

  it('gives every plot its own producer and country, and names the column of each value down to the export', async () => {
    const fields = { collection_name: 'lot', stats: 'false', validate_locations: 'true' };
    const { collection_id: id } = await post('/batch_process', CSV, fields, 202);
    assert.equal((await completed(id)).status, 'completed');
    const locations = await fetched(id);
    const plots = locations.filter(({ properties }) => properties['location_type'] === 'plot');
    assert.deepEqual(
      plots.map(({ properties: { eudr } }) => eudr['ProducerName']),
      Array.from({ length: 20 }, (_, i) => (i < 10 ? `F${String(i).padStart(3, '0')}` : String(4700 + i))),
    );
    assert.ok(
      plots.every(({ properties }) => properties['country'] === 'Malaysia' && properties['country_code'] === 'MY'),
    );
    assert.deepEqual(plots[0]!.properties.eudr_origin['ProducerName'], { from: 'column', column: 'ProducerName' });
    const mill = locations.find(({ properties }) => properties['location_type'] === 'facility');
    assert.deepEqual([mill!.properties['name'], mill!.properties['country_code']], ['Kilang Sawit', 'MY']);
    assert.equal((await fetched(id, '&country=MY')).length, 21);
    assert.equal((await fetched(id, '&country=Malaysia')).length, 21);
    assert.equal((await fetched(id, '&country_code=GH')).length, 0);

    const archive = await service.fetch(`/export_eudr_dds?filename=${id}`);
    assert.equal(archive.status, 200);
    const files = unzipped(new Uint8Array(await archive.arrayBuffer()));
    const table = files['plots.csv']!.toString().split('\r\n');
    const cells = (line: string) =>
      Object.fromEntries(table[0]!.split(',').map((head, i) => [head, line.split(',')[i]]));
    const first = cells(table[1]!);
    assert.deepEqual(
      [
        first['producer'],
        first['producer_from'],
        first['country'],
        first['country_from'],
        first['place'],
        first['place_from'],
        first['area_from'],
      ],
      [
        'F000',
        'column ProducerName',
        'MY',
        'column ProducerCountry',
        'Kg Baru',
        'column ProductionPlace',
        'column Area',
      ],
    );
    const checks = JSON.parse(files['checks.json']!.toString()) as {
      readonly collections: readonly { readonly mapping: Answer['mapping'] }[];
      readonly plots: readonly { readonly values: Readonly<Record<string, { readonly from: string | null }>> }[];
    };
    assert.equal(checks.collections[0]!.mapping[0]!.columns[0]!.field, 'supplier_name');
    assert.equal(checks.plots[0]!.values['ProducerName']!.from, 'column ProducerName');
  });

  it('is shown by the command line without a service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-mapping-'));
    try {
      const file = join(folder, 'plots.csv');
      await writeFile(file, CSV);
      const shown = await runCommand(['batch', file, '--dry-run'], { DATA_DIR: folder });
      assert.equal(shown.code, 0, shown.err);
      assert.match(shown.out, /ProducerName +supplier_name +1\.00 +The name is the official EUDR name/);
      assert.match(shown.out, /21 locations \(csv\): 20 plots of 20 producers, 1 facility/);
      const map = '{"Grower group":"supplier_name"}';
      const json = await runCommand(['batch', file, '--dry-run', '--json', '--map', map], { DATA_DIR: folder });
      assert.equal((JSON.parse(json.out) as Answer).counts['producers'], 2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
