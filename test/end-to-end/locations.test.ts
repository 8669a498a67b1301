import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { archive } from '../make-archive.ts';
import { everyFormat } from '../sample-location-files.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runService, type RunningProcess } from './run-service.ts';

let service: RunningProcess;
before(async () => {
  service = await runService();
});
after(() => service[Symbol.asyncDispose]());

interface Location {
  readonly id?: string | number;
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null;
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly warnings: readonly { readonly code: string; readonly message: string; readonly row?: number }[];
  };
}

interface TableSummary {
  readonly name: string | null;
  readonly header_row: number | null;
  readonly rows: number;
  readonly skipped: string | null;
  readonly columns: readonly { readonly column: string; readonly field: string | null }[];
}

interface Collection {
  readonly features: readonly Location[];
  readonly properties: {
    readonly format: string;
    readonly total: number;
    readonly datasets: readonly { readonly id: string; readonly licence: string; readonly attribution: string }[];
    readonly tables: readonly TableSummary[];
    readonly plots: Readonly<Record<string, number>>;
    readonly facilities: { readonly total_facilities: number };
    readonly processing: Readonly<Record<string, number>>;
  };
}

async function post(
  path: string,
  content: string | Uint8Array,
  fields: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([typeof content === 'string' ? content : Buffer.from(content)]), 'upload');
  return await service.fetch(path, { method: 'POST', body: form, headers });
}

async function collection(
  path: string,
  content: string | Uint8Array,
  fields?: Readonly<Record<string, string>>,
): Promise<Collection> {
  const response = await post(path, content, fields);
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return JSON.parse(text) as Collection;
}

function pointOf({ geometry }: Location): readonly [number, number] {
  assert.equal(geometry?.type, 'Point');
  return geometry?.coordinates as [number, number];
}

const codes = ({ properties }: Location) => properties.warnings.map(({ code }) => code);

describe('POST /normalize_locations', () => {
  test('makes one feature of each row, in order, and says what it did', async () => {
    const csv = [
      'Código;Finca;Latitud;Longitud;País;Superficie (mz)',
      'A1;El Roble;13°05\'10.5"N;86°21\'12"O;Nicaragua;3,5',
      'A2;La Ceiba;13,0912;-86,3611;Nicaragua;2',
      'A3;Sin lugar;;;Nicaragua;',
      'A4;Mal;abc;-86,1;Nicaragua;x',
      'A5;Cero;0;0;;1',
    ].join('\n');
    const { features, properties } = await collection('/normalize_locations', csv);
    assert.deepEqual(
      features.map((feature) => feature.properties['location_id']),
      ['A1', 'A2', 'A3', 'A4', 'A5'],
    );
    assert.deepEqual(
      features.map((feature) => feature.properties['source_row']),
      [2, 3, 4, 5, 6],
    );
    const [dms, decimal, none, bad, zero] = features;
    const [lon, lat] = pointOf(dms);
    assert.ok(Math.abs(lon + 86.353333333) < 1e-8 && Math.abs(lat - 13.08625) < 1e-8);
    assert.deepEqual(decimal.geometry, { type: 'Point', coordinates: [-86.3611, 13.0912] });
    assert.deepEqual([decimal.properties['country'], decimal.properties['country_code']], ['Nicaragua', 'NI']);
    assert.equal(decimal.properties['area_ha'], 1.4052);
    assert.equal(decimal.properties['location_type'], 'plot');
    assert.deepEqual([none.geometry, none.properties['geometry_source']], [null, 'none'], 'no place of its own');
    assert.equal(none.properties['geocode_precision'], 'country');
    assert.deepEqual(
      codes(bad).filter((code) => code === 'invalid_coordinate' || code === 'area_invalid'),
      ['invalid_coordinate', 'area_invalid'],
    );
    assert.match(bad.properties.warnings[0].message, /^Row 5, column "Latitud", value "abc": /);
    assert.deepEqual(zero.geometry, { type: 'Point', coordinates: [0, 0] });
    assert.ok(codes(zero).includes('null_island'));
    assert.equal(properties.total, 5);
    const geonames = properties.datasets.find(({ id }) => id === 'geonames-places');
    assert.equal(geonames?.licence, 'CC-BY-4.0');
    assert.match(geonames?.attribution ?? '', /GeoNames/);
    const listed = (await (await service.fetch('/datasets')).json()) as { datasets: readonly { id: string }[] };
    for (const { id } of properties.datasets)
      assert.ok(
        listed.datasets.some((dataset) => dataset.id === id),
        id,
      );
    assert.deepEqual(
      properties.tables[0].columns.map(({ field }) => field),
      ['location_id', 'name', 'latitude', 'longitude', 'country', 'area'],
    );
  });

  test('gives the same places from every format', async () => {
    const places = [
      { name: 'Alpha', lon: 101.5, lat: 0.25 },
      { name: 'Beta', lon: -1.625, lat: 6.75 },
      { name: 'Zero', lon: 0, lat: 0 },
    ];
    for (const [format, content] of Object.entries(everyFormat(places))) {
      const { features, properties } = await collection('/normalize_locations', content);
      assert.equal(properties.format, format);
      assert.deepEqual(
        features.map((feature) => [feature.properties['name'], feature.geometry?.coordinates]),
        places.map(({ name, lon, lat }) => [name, [lon, lat]]),
        format,
      );
    }
  });

  test('takes UTM by zone column, by heading and by crs, and requires one where nothing says which', async () => {
    const place = async (csv: string, fields?: Record<string, string>) =>
      (await collection('/normalize_locations', csv, fields)).features[0];
    // pyproj: Transformer.from_crs(32718, 4326, always_xy=True).transform(284000, 8664000)
    const wanted = [-76.984426969, -12.078346484];
    for (const feature of [
      await place('id,Este,Norte,Zona\n1,284000,8664000,18S\n', { country: 'PE' }),
      await place('id,Este (18S),Norte (18S)\n1,284000,8664000\n'),
      await place('id,Easting,Northing,EPSG\n1,"284,000.0","8,664,000.0",32718\n'),
      await place('id,X,Y\n1,284000,8664000\n', { crs: 'EPSG:32718' }),
    ]) {
      const [lon, lat] = pointOf(feature);
      assert.ok(Math.abs(lon - wanted[0]) < 1e-6 && Math.abs(lat - wanted[1]) < 1e-6, `${lon}, ${lat}`);
    }
    const unknown = await place('id,Easting,Northing\n1,284000,8664000\n');
    assert.equal(unknown.geometry, null);
    assert.deepEqual(codes(unknown), ['crs_unknown', 'location_type_guessed']);
  });

  test('follows a mapping, and names the column of a wrong one', async () => {
    const csv = 'a,b,c\n1,2,x\n';
    const { features } = await collection('/normalize_locations', csv, {
      mapping: '{"a":"longitude","b":"latitude","c":"location_id"}',
    });
    assert.deepEqual(features[0].geometry?.coordinates, [1, 2]);
    assert.equal(features[0].properties['location_id'], 'x');
    for (const mapping of ['{"d":"longitude"}', '{"a":"longitud"}', '[]', 'x']) {
      const response = await post('/normalize_locations', csv, { mapping });
      assert.equal(response.status, 422, mapping);
      assert.match(((await response.json()) as { detail: string }).detail, /mapping: wanted/);
    }
  });

  test('finds swapped columns, and swapped rows by their country', async () => {
    const columns = await collection('/normalize_locations', 'lat,lon\n101.5,0.5\n102.5,0.75\n');
    assert.deepEqual(columns.features[0].geometry?.coordinates, [101.5, 0.5]);
    assert.ok(codes(columns.features[0]).includes('coordinates_swapped'));
    const row = await collection('/normalize_locations', 'lat,lon,country\n-1.62,6.69,Ghana\n');
    assert.deepEqual(row.features[0].geometry?.coordinates, [6.69, -1.62]);
    assert.ok(codes(row.features[0]).includes('coordinates_swapped'));
  });

  test('names the column of a coordinate beyond its range, and reads pairs under any heading of both', async () => {
    const { features } = await collection('/normalize_locations', 'lat,lon\n99.5,8.25\n1.5,8.25\n1.5,8.25\n');
    assert.deepEqual(codes(features[0]), ['out_of_range', 'location_type_guessed']);
    assert.match(
      features[0].properties.warnings[0].message,
      /^Row 2, column "lat", value "99.5": The latitude 99.5 is/,
    );
    const pairs = await collection('/normalize_locations', 'Finca;Latitud/Longitud\nA;"-12,0464; -77,0428"\n');
    assert.deepEqual(pairs.features[0].geometry?.coordinates, [-77.0428, -12.0464]);
  });

  test('answers as lines and as a table', async () => {
    const csv = 'name,lat,lon\nA,1,2\nB,3,4\n';
    const lines = (await (await post('/normalize_locations', csv, {}, { accept: 'application/x-ndjson' })).text())
      .trim()
      .split('\n');
    assert.equal(lines.length, 3);
    const table = await (await post('/normalize_locations', csv, {}, { accept: 'text/csv' })).text();
    assert.match(table, /^id,location_id,location_type,name,/);
    assert.equal(table.trim().split('\r\n').length, 3);
  });

  test('as a task gives what it gives at once', async () => {
    const content = everyFormat([{ name: 'Alpha', lon: 101.5, lat: 0.25 }])['geopackage'];
    const accepted = await post('/normalize_locations?async_mode=true', content);
    assert.equal(accepted.status, 202);
    const { poll_url: poll, results_url: results } = (await accepted.json()) as {
      poll_url: string;
      results_url: string;
    };
    for (let i = 0; i < 300; i++) {
      const { status } = (await (await service.fetch(poll)).json()) as { status: string };
      if (status !== 'processing') break;
      await new Promise((done) => setTimeout(done, 100));
    }
    const later = await (await service.fetch(results)).text();
    assert.equal(later, await (await post('/normalize_locations', content)).text());
  });

  test('refuses what it cannot read with 4xx and a code', async () => {
    const cases: [string | Uint8Array, number, RegExp][] = [
      ['%PDF-1.7 x', 400, /language_model_needed/],
      ['Dear Sir,\n\nthe mill is near Pekanbaru, in Riau. Thanks.\n', 400, /language_model_needed/],
      [archive({ 'a.shp': new Uint8Array(90_000_000) }), 413, /times its size/],
      [archive({ '../a.shp': 'x' }), 400, /path_traversal/],
      ['<?xml version="1.0"?><!DOCTYPE kml [<!ENTITY a "b">]><kml/>', 400, /xml_doctype/],
      ['{"type":"FeatureCollection","features":[', 400, /malformed_file/],
      ['a,b\n1,"2', 400, /open_quote/],
    ];
    for (const [content, status, pattern] of cases) {
      const response = await post('/normalize_locations', content);
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.match(text, pattern);
    }
    const anonymous = await fetch(`${service.url}/normalize_locations`, { method: 'POST' });
    assert.equal(anonymous.status, 401);
  });

  test(
    'reads a real workbook with titles, explanations, lists and formulas',
    needsSharedData('geocoding/test-base-dataset.xlsx'),
    async () => {
      const { features, properties } = await collection(
        '/normalize_locations',
        await readFile(join(SHARED_DATA, 'geocoding/test-base-dataset.xlsx')),
      );
      const data = properties.tables.find(({ name }) => name === 'Data sheet');
      assert.ok(data !== undefined);
      assert.equal(data.header_row, 4);
      assert.equal(data.rows, 75);
      const fields = Object.fromEntries(
        data.columns.filter(({ field }) => field !== null).map(({ field, column }) => [field, column]),
      );
      assert.deepEqual(fields, {
        commodity_type: 'Material',
        supplier_name: 'Producer',
        location_type: 'Location Type',
        country: 'Country',
        address: 'Address',
        latitude: 'Latitude (ºN)',
        longitude: 'Longitude (ºE)',
      });
      assert.deepEqual(
        properties.tables.filter(({ rows }) => rows > 0).map(({ name }) => name),
        ['Data sheet', 'for upload'],
      );
      assert.ok(properties.tables.every(({ rows, skipped }) => rows > 0 || skipped !== null));
      const cameroon = features.filter(
        (feature) => feature.properties['country_code'] === 'CM' && feature.properties['geometry_source'] === 'input',
      );
      assert.ok(cameroon.length > 0);
      assert.ok(features.every((feature) => feature.properties['country'] !== null));
    },
  );
});

describe('POST /validate_locations', () => {
  const bowtie = {
    type: 'Polygon',
    coordinates: [
      [
        [101.5, 0.5],
        [101.51, 0.51],
        [101.51, 0.5],
        [101.5, 0.51],
        [101.5, 0.5],
      ],
    ],
  };
  const square = (west: number) => ({
    type: 'Polygon',
    coordinates: [
      [
        [west, 0.6],
        [west + 0.01, 0.6],
        [west + 0.01, 0.61],
        [west, 0.61],
        [west, 0.6],
      ],
    ],
  });
  const file = JSON.stringify({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        id: 1,
        geometry: { type: 'Point', coordinates: [101.4, 0.55] },
        properties: { name: 'Mill', location_type: 'facility', country: 'Indonesia' },
      },
      { type: 'Feature', id: 2, geometry: square(101.6), properties: { location_id: 'p', country: 'Indonesia' } },
      { type: 'Feature', id: 3, geometry: square(101.605), properties: { location_id: 'p', country: 'Brazil' } },
      { type: 'Feature', id: 4, geometry: bowtie, properties: {} },
      {
        type: 'Feature',
        id: 5,
        geometry: { type: 'Point', coordinates: [101.512345, 0.512345] },
        properties: { location_type: 'plot', area: 12, commodity: 'palm' },
      },
      {
        type: 'Feature',
        id: 6,
        geometry: {
          type: 'LineString',
          coordinates: [
            [101, 0.1],
            [101.1, 0.1],
          ],
        },
        properties: { location_type: 'plot' },
      },
      { type: 'Feature', id: 7, geometry: null, properties: { country: 'Indonesia', name: 'Nowhere' } },
      { type: 'Feature', id: 8, geometry: square(101.6), properties: {} },
    ],
  });
  const statuses = (location: Location) =>
    Object.fromEntries(
      (location.properties['plot_checks'] as { check: string; status: string }[]).map(({ check, status }) => [
        check,
        status,
      ]),
    );

  test('routes each row to its checks and keeps their order', async () => {
    const { features, properties } = await collection('/validate_locations', file, { commodity_type: 'palm' });
    assert.deepEqual(
      features.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(
      features.map((feature) => feature.properties['location_type']),
      ['facility', 'plot', 'plot', 'plot', 'plot', 'plot', 'facility', 'plot'],
    );
    const [mill, first, second, crossed, point, line, nowhere, copy] = features;
    assert.ok(Array.isArray(mill.properties['evidence']) && typeof mill.properties['confidence_score'] === 'number');
    assert.equal(mill.properties['country_code'], 'ID');
    assert.equal(first.properties['plot_valid'], true);
    assert.ok(codes(first).includes('overlap'));
    // pyproj.Geod(ellps='WGS84').geometry_area_perimeter of the square: 123.0840 ha; of the common half: 61.5420 ha.
    assert.ok(Math.abs(Number(first.properties['area_ha']) - 123.084) < 0.001, String(first.properties['area_ha']));
    assert.match(
      first.properties.warnings.find(({ code }) => code === 'overlap')?.message ?? '',
      /row 3 by 61\.542 ha \(50 % of it\)/,
    );
    assert.equal(statuses(second)['country'], 'fail');
    assert.ok(codes(second).includes('duplicate_id'));
    assert.equal(statuses(crossed)['geometry'], 'fail');
    assert.ok(codes(crossed).includes('invalid_geometry'));
    assert.ok(codes(point).includes('polygon_needed'));
    assert.equal(point.properties['plot_valid'], false);
    assert.equal(statuses(point)['facility_distance'], 'pass');
    assert.ok(codes(line).includes('unsupported_geometry'));
    assert.equal(nowhere.properties.processing, 'not processed: geocoding too imprecise');
    assert.ok(codes(copy).includes('duplicate_geometry'));
    assert.equal(properties.plots.total, 6);
    assert.ok(codes(nowhere).includes('location_type_guessed'));
    assert.equal(properties.facilities.total_facilities, 1);
    assert.equal(properties.processing['not processed: geocoding too imprecise'], 1);
  });

  test('routes by the name of a place in every format', async () => {
    const places = [
      { name: 'Kilang Sawit', lon: 101.5, lat: 0.25 },
      { name: 'Finca El Roble', lon: -1.625, lat: 6.75 },
    ];
    for (const [format, content] of Object.entries(everyFormat(places))) {
      const { features } = await collection('/validate_locations', content);
      assert.deepEqual(
        features.map(({ properties }) => [properties['location_type'], properties['country_code']]),
        [
          ['facility', 'ID'],
          ['plot', 'GH'],
        ],
        format,
      );
      const eudr = features[1].properties['eudr'] as Readonly<Record<string, unknown>>;
      assert.deepEqual([eudr['ProducerName'], eudr['ProductionPlace']], [null, 'Finca El Roble'], format);
      assert.ok(codes(features[1]).includes('producer_missing'), format);
    }
  });

  test('takes a broken outline for a plot', async () => {
    const { features } = await collection('/validate_locations', 'id;geom\n1;POLYGON((0 0,1 1,0 1,1 0,0 0))\n');
    assert.equal(features[0].properties['location_type'], 'plot');
    assert.equal(features[0].properties['plot_valid'], false);
  });

  test('repairs on request and says what it changed', async () => {
    const { features, properties } = await collection('/validate_locations', file, { repair: 'true' });
    const crossed = features[3];
    assert.equal(crossed.geometry?.type, 'MultiPolygon');
    assert.deepEqual(crossed.properties['repair_log'], [
      'lines that crossed or touched were cut apart, which gives 2 polygons',
    ]);
    assert.equal(statuses(crossed)['geometry'], 'pass');
    assert.equal(properties.plots.repaired, 1);
  });
});
