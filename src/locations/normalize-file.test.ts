import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  anything,
  array,
  assert as check,
  asyncProperty,
  constantFrom,
  double,
  oneof,
  record,
  string,
} from 'fast-check';
import { Problem } from '../errors.ts';
import type { ColumnProposals, ColumnQuestion } from './columns/column-question.ts';
import { normalizeRows, prepareFile } from './normalize-file.ts';
import { DEFAULT_LOCATION_OPTIONS } from './options.ts';
import type { GridRow, SourceFeature, SourceFile, SourceTable } from './source-table.ts';
import type { GeocodeOutcome, LocationSources } from './sources.ts';
import { anyCharacter } from '../../test/any-character.ts';
import { runs } from '../../test/property-runs.ts';

const NOTHING: GeocodeOutcome = { answer: null, failures: [] };

function sources(over: Partial<LocationSources> = {}): LocationSources {
  return {
    countryCode: (text) => (text === 'Ghana' ? 'GH' : null),
    countryName: (code) => code,
    commodity: () => null,
    whereabouts: () => ({ country: { iso2: 'GH', name: 'Ghana' }, neighbours: [] }),
    geocode: () => NOTHING,
    datasets: () => [],
    ...over,
  };
}

function file(...tables: SourceTable[]): SourceFile {
  return { format: 'csv', tables, remarks: [], close: () => Promise.resolve() };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

function grid(rows: readonly (readonly unknown[])[], name: string | null = null): SourceTable {
  const numbered = rows.map((cells, i): GridRow => ({ row: i + 1, cells }));
  return { kind: 'grid', name, rows: () => each(numbered) };
}

test('reads no area from a cell that is merged over several rows: it may be that of all of them', async () => {
  const notes = [0, 3].map((column) => ({ code: 'merged_cell' as const, column, blanks: { first: 2, last: 3 } }));
  const rows: GridRow[] = [
    { row: 1, cells: ['producer', 'lat', 'lon', 'area_ha'] },
    { row: 2, cells: ['Ana', 6.5, -1.5, 4.5], notes },
    { row: 3, cells: ['Ana', 6.6, -1.5, 4.5], notes },
    { row: 4, cells: ['Ben', 6.7, -1.5, 2] },
  ];
  const { locations } = await normalize(file({ kind: 'grid', name: 'Farms', rows: () => each(rows) }));
  assert.deepEqual(
    locations.map(({ properties }) => [properties.supplier_name, properties.area_ha]),
    [
      ['Ana', null],
      ['Ana', null],
      ['Ben', 2],
    ],
  );
  const merged = locations.map(({ properties }) => properties.warnings.filter(({ code }) => code === 'merged_cell'));
  assert.deepEqual(
    merged.map((of) => of.map(({ column }) => column)),
    [['producer'], ['producer'], []],
  );
  const codes = locations.map(({ properties }) => properties.warnings.map(({ code }) => code));
  for (const code of ['merged_cell', 'area_invalid'] as const)
    assert.deepEqual(
      codes.map((all) => all.includes(code)),
      [true, true, false],
    );
});

async function normalize(input: SourceFile, over: Partial<LocationSources> = {}, options = DEFAULT_LOCATION_OPTIONS) {
  const world = sources(over);
  const prepared = await prepareFile(input, options, world, 1_000);
  const run = normalizeRows(input, prepared, world, new AbortController().signal);
  return { locations: await Array.fromAsync(run.features), summary: run.aggregate() };
}

test('every row comes out, in order, with its columns, whatever the cells hold', async () => {
  const heading = constantFrom(
    'lat',
    'lon',
    'geometry',
    'coordinates',
    'country',
    'area',
    'Easting',
    'Northing',
    'zone',
    'EPSG',
    'id',
    'name',
    'type',
    'address',
    'x',
  );
  const cell = oneof(
    string({ unit: anyCharacter }),
    double(),
    constantFrom(
      null,
      true,
      0,
      '',
      'POINT(1 2)',
      'POINT(',
      "3°75'N",
      '18S',
      'Ghana',
      '1,234',
      '=1+1',
      '{"type":"Point"}',
      '-',
    ),
    anything(),
  );
  const table = record({
    headings: array(heading, { minLength: 1, maxLength: 8 }),
    rows: array(array(cell, { maxLength: 10 }), { minLength: 1, maxLength: 15 }),
  });
  await check(
    asyncProperty(table, async ({ headings, rows }) => {
      const features = rows.map((cells, i): SourceFeature => ({
        row: i + 2,
        properties: Object.fromEntries(headings.map((name, c) => [name, cells[c] ?? null])),
      }));
      const { locations, summary } = await normalize(
        file({ kind: 'features', name: null, features: () => each(features) }),
      );
      assert.deepEqual(
        locations.map(({ properties }) => properties.source_row),
        features.map(({ row }) => row),
      );
      assert.equal(summary.total, rows.length);
      for (const [i, { geometry, properties }] of locations.entries()) {
        assert.equal(properties.source, features[i].properties);
        for (const { message, fix } of properties.warnings)
          assert.ok(message.startsWith(`Row ${i + 2}`) && !/\{\w+\}/.test(message.slice(0, 20)) && fix !== '');
        if (geometry === null) assert.ok(properties.warnings.length > 0);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test('keeps geometry, id and order of features as they came, usable or not', async () => {
  const features: SourceFeature[] = [
    { row: 1, id: 'a', geometry: { type: 'Point', coordinates: [0, 0] }, properties: {} },
    { row: 2, id: 0, geometry: { type: 'Point', coordinates: [[1, 2]] }, properties: {} },
    { row: 3, geometry: null, properties: { area: 3 } },
  ];
  const { locations } = await normalize(file({ kind: 'features', name: null, features: () => each(features) }));
  assert.deepEqual(
    locations.map(({ id }) => id),
    ['a', 0, undefined],
  );
  assert.deepEqual(
    locations.map(({ geometry }) => geometry),
    features.map(({ geometry }) => geometry),
  );
  assert.deepEqual(
    locations.map(({ properties }) => properties.warnings.map(({ code }) => code)),
    [
      ['null_island', 'location_type_guessed'],
      ['invalid_geometry', 'location_type_guessed'],
      ['no_location', 'producer_missing'],
    ],
  );
});

test('leaves out sheets without places, and says why; requires a sheet by name', async () => {
  const farms = grid(
    [
      ['farm', 'lat', 'lon'],
      ['A', 1, 2],
    ],
    'Farms',
  );
  const units = grid(
    [
      ['unit', 'factor'],
      ['kg', 1],
    ],
    'Units',
  );
  const { summary } = await normalize(file(farms, units));
  assert.deepEqual(
    summary.tables.map(({ name, rows, skipped }) => [name, rows, skipped]),
    [
      ['Farms', 1, null],
      ['Units', 0, 'No column of it says where anything is.'],
    ],
  );
  const asked = await normalize(file(farms, units), {}, { ...DEFAULT_LOCATION_OPTIONS, sheets: ['Units'] });
  assert.equal(asked.summary.total, 1);
  await assert.rejects(
    normalize(file(farms), {}, { ...DEFAULT_LOCATION_OPTIONS, sheets: ['Farm'] }),
    /wanted a sheet of the file \("Farms"\), got "Farm"/,
  );
});

test('says when a geocoder failed, what was found, and that the lookup can be switched off', async () => {
  const table = grid([
    ['name', 'address', 'country'],
    ['Mill', 'Kumasi', 'Ghana'],
  ]);
  const answer = {
    at: [-1.62, 6.69],
    precision: 'locality',
    confidence: 0.666,
    name: 'Kumasi',
    country: 'GH',
    admin1: 'Ashanti',
    provider: 'test',
  } as const;
  const { locations } = await normalize(file(table), {
    geocode: async () => ({ answer, failures: [{ provider: 'other', reason: 'it was busy' }] }),
  });
  const { properties, geometry } = locations[0];
  assert.deepEqual(geometry, { type: 'Point', coordinates: [-1.62, 6.69] });
  assert.deepEqual(
    [properties.geometry_source, properties.geocode_precision, properties.geocode_confidence, properties.admin1],
    ['geocoded', 'locality', 0.67, 'Ashanti'],
  );
  assert.deepEqual(
    properties.warnings.map(({ code }) => code),
    ['geocoded', 'geocoder_failed'],
  );
  const off = await normalize(file(table), {}, { ...DEFAULT_LOCATION_OPTIONS, geocode: false });
  assert.deepEqual(
    off.locations[0].properties.warnings.map(({ code }) => code),
    ['geocoding_off'],
  );
});

test('looks up the address of a row whose coordinates cannot be read, and never its name', async () => {
  const table = grid([
    ['mill', 'lat', 'lon', 'country', 'village', 'area'],
    ['Mill zero', 6.7, -1.6, 'Ghana', null, 1],
    ['Mill one', 'north', -1.6, 'Ghana', null, 1],
    ['Mill two', 'north', -1.6, 'Ghana', 'Kumasi', 1],
    ['Mill three', null, null, 'Ghana', null, '#REF!'],
  ]);
  for (const geocode of [true, false]) {
    const queried: unknown[] = [];
    const { locations } = await normalize(
      file(table),
      {
        geocode: async ({ name }) => {
          queried.push(name);
          return NOTHING;
        },
      },
      { ...DEFAULT_LOCATION_OPTIONS, geocode },
    );
    const reason = geocode ? 'geocoding_failed' : 'geocoding_off';
    const position: ReadonlySet<string> = new Set([
      'invalid_coordinate',
      'geocoding_failed',
      'geocoding_off',
      'no_location',
    ]);
    assert.deepEqual(
      locations.map(({ properties }) =>
        properties.warnings.map(({ code }) => code).filter((code) => position.has(code)),
      ),
      [[], ['invalid_coordinate'], ['invalid_coordinate', reason], [reason]],
    );
    assert.deepEqual(queried, geocode ? ['Mill two', 'Mill three'] : []);
  }
});

test('holds the file to its limit of rows', async () => {
  const rows = Array.from({ length: 1_001 }, (_, i) => [`f${i}`, 1, 2]);
  await assert.rejects(normalize(file(grid([['farm', 'lat', 'lon'], ...rows]))), /wanted at most 1000, got more/);
});

describe('a language model', () => {
  const rows = [
    ['Entity', 'Spot N', 'Spot E', 'Yield'],
    ['Ana Diaz', '6.5', '-1.5', '12'],
    ['Kofi Boateng', '6.6', '-1.6', '15'],
  ];
  const asked: ColumnQuestion[] = [];
  const proposing = (proposals: ColumnProposals | Error, options = DEFAULT_LOCATION_OPTIONS) => {
    asked.length = 0;
    const proposeColumns = (question: ColumnQuestion): Promise<ColumnProposals> => {
      asked.push(question);
      return proposals instanceof Error ? Promise.reject(proposals) : Promise.resolve(proposals);
    };
    return normalize(file(grid(rows)), { proposeColumns }, options);
  };
  const right = [
    { column: 'Entity', field: 'supplier_name' },
    { column: 'Spot N', field: 'latitude' },
    { column: 'Spot E', field: 'longitude' },
  ];

  test('proposes fields for columns the rules leave open, reported as such with less confidence than the rules have', async () => {
    const { locations, summary } = await proposing(right);
    assert.deepEqual(
      locations.map(({ geometry }) => geometry),
      [
        { type: 'Point', coordinates: [-1.5, 6.5] },
        { type: 'Point', coordinates: [-1.6, 6.6] },
      ],
    );
    assert.equal(locations[0].properties.supplier_name, 'Ana Diaz');
    assert.deepEqual(locations[0].properties.source, {
      Entity: 'Ana Diaz',
      'Spot N': '6.5',
      'Spot E': '-1.5',
      Yield: '12',
    });
    const [entity] = summary.tables[0].columns;
    assert.equal(entity.confidence, 0.4);
    assert.equal(
      entity.why,
      'A language model proposes supplier_name from the heading, and 100 % of the first 2 values fit; send mapping to say otherwise.',
    );
  });

  test('gets headings and shapes of values, no value', async () => {
    await proposing(right);
    assert.deepEqual(asked[0].unsure, [
      { column: 'Entity', shapes: ['Aaa Aaaa', 'Aaaa Aaaaaaa'] },
      { column: 'Spot N', shapes: ['9.9'] },
      { column: 'Spot E', shapes: ['-9.9'] },
      { column: 'Yield', shapes: ['99'] },
    ]);
  });

  test('loses proposals that name no open column or field, use one twice, or that the values contradict', async () => {
    const { summary } = await proposing([
      { column: 'No such column', field: 'name' },
      { column: 'Entity', field: 'owner' },
      { column: 'Spot N', field: 'country' },
      { column: 'Spot E', field: 'longitude' },
      { column: 'Yield', field: 'longitude' },
    ]);
    assert.deepEqual(
      summary.tables[0].columns.map(({ field }) => field),
      [null, null, 'longitude', null],
    );
  });

  test('is overridden by the mapping, and is not queried about what it settles', async () => {
    const mapping = { Entity: null, 'Spot N': 'location_id' } as const;
    const { summary } = await proposing(right, { ...DEFAULT_LOCATION_OPTIONS, mapping });
    assert.deepEqual(
      summary.tables[0].columns.map(({ field }) => field),
      [null, 'location_id', 'longitude', null],
    );
    assert.deepEqual(
      asked[0].unsure.map(({ column }) => column),
      ['Spot E', 'Yield'],
    );
  });

  test('that fails leaves the columns to the rules, and a remark', async () => {
    const { summary } = await proposing(new Problem('dependency_unavailable', 'The language model did not answer.'));
    assert.deepEqual(
      summary.tables[0].columns.map(({ field }) => field),
      [null, null, null, null],
    );
    assert.deepEqual(summary.remarks, ['The language model did not answer. Columns were found by the rules alone.']);
  });
});

describe('cells that hold errors of a spreadsheet', () => {
  const errors = ['#REF!', '#N/A', '#DIV/0!', '#NAME?', '#VALUE!', '#¡VALOR!', '#BEZUG!', 'Err:502'];
  test('are named as such and never geocoded', async () => {
    const asked: unknown[] = [];
    const table = grid([
      ['name', 'address', 'country'],
      ...errors.map((error) => ['Mill', error, 'Ghana']),
      ['Mill', 'Kumasi #1', 'Ghana'],
    ]);
    const { locations } = await normalize(file(table), {
      geocode: (query) => {
        asked.push(query.address);
        return NOTHING;
      },
    });
    assert.deepEqual(asked, ['Kumasi #1']);
    for (const [i, error] of errors.entries()) {
      const { warnings, address, source } = locations[i].properties;
      assert.equal(address, null);
      assert.equal(source['address'], error);
      assert.match(warnings.find(({ code }) => code === 'cell_error')?.message ?? '', /column "address"/);
    }
  });

  test('in a coordinate are not called missing as well', async () => {
    const table = grid([
      ['latitude', 'longitude'],
      [1.5, 101.5],
      ['#REF!', 101.5],
      [1.5, 300.2345],
    ]);
    const { locations } = await normalize(file(table));
    const codes = locations.map(({ properties }) =>
      properties.warnings.map(({ code }) => code).filter((code) => code !== 'location_type_guessed'),
    );
    assert.deepEqual(codes[1], ['cell_error']);
    assert.deepEqual(codes[2], ['out_of_range']);
    assert.match(
      locations[2].properties.warnings.map(({ message }) => message).join(' '),
      /300\.2345 is outside -180 to 180/,
    );
  });
});

describe('a workbook', () => {
  const rows = [
    ['name', 'latitude', 'longitude'],
    ['Mill', 5.5, -1.5],
    ['Farm', 'abc', -1.6],
  ];
  const workbook = (...tables: SourceTable[]): SourceFile => ({ ...file(...tables), format: 'xlsx' });

  test('has warnings that name sheet and cell, with advice for a workbook', async () => {
    const table = grid([...rows, ['More', 5.6, -1.7, 'left over']], 'Suppliers 2026');
    const { locations, summary } = await normalize(workbook(table));
    const [bad] = locations[1].properties.warnings;
    assert.match(bad.message, /^Sheet "Suppliers 2026", cell B3, column "latitude", value "abc": /);
    const extra = locations[2].properties.warnings.find(({ code }) => code === 'extra_cells');
    assert.ok(extra !== undefined);
    assert.match(extra.message, /^Sheet "Suppliers 2026", row 4: /);
    assert.doesNotMatch(extra.fix, /quotes/);
    assert.equal(summary.warnings.find(({ code }) => code === 'extra_cells')?.fix, extra.fix);
    const csv = await normalize(file(grid([...rows, ['More', 5.6, -1.7, 'left over']])));
    assert.match(csv.summary.warnings.find(({ code }) => code === 'extra_cells')?.fix ?? '', /quotes/);
  });

  test('with equal sheets says so and reads one of them', async () => {
    const { locations, summary } = await normalize(
      workbook(grid(rows, 'Plots'), grid(rows, 'Copy'), grid([...rows, ['More', 1, 2]], 'Other')),
    );
    assert.equal(locations.length, 2 + 3);
    assert.deepEqual(
      summary.tables.map(({ skipped }) => skipped !== null),
      [false, true, false],
    );
    assert.match(summary.tables[1].skipped ?? '', /same rows as the sheet "Plots"/);
    const sheets = ['Plots', 'Copy'];
    const both = await normalize(
      workbook(grid(rows, 'Plots'), grid(rows, 'Copy')),
      {},
      { ...DEFAULT_LOCATION_OPTIONS, sheets },
    );
    assert.equal(both.locations.length, 4);
    assert.match(both.summary.remarks.join(' '), /"Plots" and "Copy" hold the same rows/);
  });
});

test('a plot says which parts of its geometry were left out, and nothing of a point that holds its label', async () => {
  const ring = (west: number) => [
    [west, 1],
    [west + 0.01, 1],
    [west + 0.01, 1.01],
    [west, 1.01],
    [west, 1],
  ];
  const [first, second, third, fourth] = ring(3);
  const square = { type: 'Polygon', coordinates: [ring(1)] };
  const rows = [
    [square, { type: 'Polygon', coordinates: [[first, third, second, fourth, first]] }],
    [square, { type: 'Point', coordinates: [2, 2] }, { type: 'LineString', coordinates: ring(2) }],
    [square, { type: 'Point', coordinates: [1.005, 1.005] }],
  ].map((geometries, i): SourceFeature => {
    const geometry = { type: 'GeometryCollection', geometries };
    return { row: i + 1, geometry, properties: { farmer: 'Ada', country: 'Ghana' } };
  });
  const { locations } = await normalize(file({ kind: 'features', name: null, features: () => each(rows) }));
  const said = locations.map(({ properties }) =>
    properties.warnings.filter(({ code }) => code === 'parts_ignored').map(({ message }) => message),
  );
  const [crossing, apart, label] = said;
  assert.match(crossing!.join(), /^Row 1: Parts of the geometry were left out, .* crosses itself/);
  assert.match(apart!.join(), /2 points and lines lie outside of the outlines\.$/);
  assert.deepEqual(label, []);
});

describe('geometries of a file that names no coordinate system', () => {
  /** The square of 1 km that begins at 500000, 100000 in UTM zone 48 north, where the middle meridian is 105 degrees. */
  const metres = [
    [500_000, 100_000],
    [501_000, 100_000],
    [501_000, 101_000],
    [500_000, 101_000],
    [500_000, 100_000],
  ];
  const inMetres = { type: 'Polygon', coordinates: [metres] };
  const inDegrees = { type: 'Point', coordinates: [3.5, 1.25] };
  const read = async (
    geometry: unknown,
    {
      crs = null,
      isUnnamed = false,
      columns = {},
    }: { crs?: string | null; isUnnamed?: boolean; columns?: object } = {},
  ) => {
    const notes = isUnnamed ? { notes: [{ code: 'crs_assumed' } as const] } : {};
    const row: SourceFeature = {
      row: 1,
      geometry,
      properties: { farmer: 'Ada', country: 'Ghana', ...columns },
      ...notes,
    };
    const input = file({ kind: 'features', name: null, features: () => each([row]) });
    const { locations } = await normalize(input, {}, { ...DEFAULT_LOCATION_OPTIONS, crs });
    const [{ geometry: placed, properties }] = locations as [(typeof locations)[number]];
    const codes = properties.warnings.map(({ code }) => code);
    return { placed, area: properties.area_ha, codes: codes.filter((code) => code !== 'location_type_guessed') };
  };

  test('are in the system of the request, or of a column', async () => {
    for (const options of [
      { crs: 'EPSG:32648' },
      { crs: 'EPSG:32648', isUnnamed: true },
      { columns: { epsg: 32648 } },
      { columns: { 'UTM zone': '48N' } },
    ]) {
      const { placed, area, codes } = await read(inMetres, options);
      assert.deepEqual(codes, [], JSON.stringify(options));
      assert.ok(Math.abs(area! - 100.08) < 0.05, String(area));
      const [lon, lat] = (placed as { coordinates: number[][][] }).coordinates[0]![0]!;
      assert.ok(Math.abs(lon! - 105) < 1e-9 && Math.abs(lat! - 0.9046) < 1e-3, `${lon}, ${lat}`);
    }
    const wkt = grid([
      ['farmer', 'wkt'],
      ['Ada', `POLYGON ((${metres.map((at) => at.join(' ')).join(', ')}))`],
    ]);
    const { locations } = await normalize(file(wkt), {}, { ...DEFAULT_LOCATION_OPTIONS, crs: 'EPSG:32648' });
    assert.ok(Math.abs(locations[0]!.properties.area_ha! - 100.08) < 0.05);
  });

  test('are nowhere where they are no degrees and nobody names it, and are not said to fit degrees', async () => {
    for (const isUnnamed of [false, true])
      assert.deepEqual(await read(inMetres, { isUnnamed }), { placed: null, area: null, codes: ['crs_unknown'] });
    assert.deepEqual((await read(inMetres, { crs: 'EPSG:99999' })).codes, ['crs_refused']);
  });

  test('stay degrees where they fit them, and are assumed to be where nobody says so', async () => {
    assert.deepEqual((await read(inDegrees, { isUnnamed: true })).codes, ['crs_assumed']);
    for (const options of [{ crs: 'EPSG:32648', isUnnamed: true }, { crs: 'EPSG:32648' }])
      assert.deepEqual((await read(inDegrees, options)).placed, inDegrees);
    const named = await read(inDegrees, { crs: 'EPSG:4326', isUnnamed: true });
    assert.deepEqual([named.placed, named.codes], [inDegrees, []]);
  });
});
