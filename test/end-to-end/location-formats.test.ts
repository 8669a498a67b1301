import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { geodesicDistanceM } from '../../src/geo/ellipsoid.ts';
import type { NormalizedLocation } from '../../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS } from '../../src/locations/options.ts';
import { openWorld, type World } from '../../src/service/world/world.ts';
import { createLocationService } from '../../src/service/locations/locations.ts';
import type { LocationSummary } from '../../src/locations/summarise-locations.ts';
import { readConfig } from '../../src/config/settings.ts';
import { createLog } from '../../src/log.ts';
import { archive } from '../make-archive.ts';
import { wkbPoint } from '../sample-location-files.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { shareSampleDistrict } from './run-service.ts';

let folder: string;
let data: World;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-formats-'));
  await shareSampleDistrict(join(folder, 'data'));
  const config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', AUTO_DATA: 'off' });
  data = await openWorld(config, createLog({ level: 'silent', json: true }));
});
after(async () => {
  await data.close();
  await rm(folder, { recursive: true, force: true });
});

async function normalize(path: string): Promise<{ locations: NormalizedLocation[]; summary: LocationSummary }> {
  const service = createLocationService(data, { maxFeatures: 1_000_000 }, 1_000_000);
  await using opened = await service.open(path, DEFAULT_LOCATION_OPTIONS);
  const run = opened.normalize(new AbortController().signal);
  return { locations: await Array.fromAsync(run.features), summary: run.aggregate() };
}

/** Other formats are made by GDAL, so that they are not ours on both sides. */
function needsOgr2ogr(): { skip: string | false } {
  const { error } = spawnSync('ogr2ogr', ['--version']);
  if (error !== undefined) return { skip: 'needs ogr2ogr of gdal-bin, which is not installed' };
  return needsSharedData('facilities/palm_mills_sample.csv');
}

const MILLS = join(SHARED_DATA, 'facilities/palm_mills_sample.csv');

/** What must be the same whatever the format was. */
function essence({ geometry, properties }: NormalizedLocation): unknown {
  const {
    location_id: id,
    location_type: type,
    name,
    supplier_name: supplier,
    admin1,
    country,
    geometry_source: from,
  } = properties;
  const [lon, lat] = (geometry as { coordinates: [number, number] }).coordinates;
  return { id, type, name, supplier, admin1, country, from, lon: lon.toFixed(9), lat: lat.toFixed(9) };
}

describe('the same 407 mills', { ...needsOgr2ogr(), timeout: 120_000 }, () => {
  const ogr = (target: string, ...more: string[]) =>
    execFileSync(
      'ogr2ogr',
      [
        ...more,
        join(folder, target),
        MILLS,
        '-oo',
        'X_POSSIBLE_NAMES=Longitude',
        '-oo',
        'Y_POSSIBLE_NAMES=Latitude',
        '-a_srs',
        'EPSG:4326',
      ],
      { stdio: 'ignore' },
    );
  let reference: unknown[];

  before(async () => {
    const { locations } = await normalize(MILLS);
    reference = locations.map(essence);
    assert.equal(reference.length, 407);
    assert.equal(new Set(reference.map((mill) => (mill as { id: string }).id)).size, 407);
  });

  const variants: readonly [format: string, make: () => Promise<string>][] = [
    ['xlsx', async () => (ogr('mills.xlsx', '-f', 'XLSX'), 'mills.xlsx')],
    ['kml', async () => (ogr('mills.kml', '-f', 'KML'), 'mills.kml')],
    [
      'gpx',
      async () => (ogr('mills.gpx', '-f', 'GPX', '-nlt', 'POINT', '-dsco', 'GPX_USE_EXTENSIONS=YES'), 'mills.gpx'),
    ],
    ['geopackage', async () => (ogr('mills.gpkg', '-f', 'GPKG'), 'mills.gpkg')],
    ['geojson', async () => (ogr('mills.geojson', '-f', 'GeoJSON'), 'mills.geojson')],
    [
      'shapefile',
      async () => await zipped('shape', () => ogr('shape/mills.shp', '-f', 'ESRI Shapefile', '-lco', 'ENCODING=UTF-8')),
    ],
    ['shapefile without .prj and .cpg', async () => await zipped('shape', () => {}, /\.(prj|cpg)$/)],
    ['geoparquet', parquet],
  ];

  for (const [format, make] of variants)
    test(`come out of ${format}`, async () => {
      const { locations, summary } = await normalize(join(folder, await make()));
      assert.equal(summary.format, format.split(' ')[0]);
      assert.deepEqual(locations.map(essence), reference);
    });

  async function zipped(name: string, make: () => void, leaveOut = /^$/): Promise<string> {
    await rm(join(folder, `${name}.zip`), { force: true });
    execFileSync('mkdir', ['-p', join(folder, name)]);
    make();
    const files = (await readdir(join(folder, name))).filter((file) => !leaveOut.test(file));
    const entries = await Promise.all(
      files.map(async (file) => [file, Uint8Array.from(await readFile(join(folder, name, file)))] as const),
    );
    await writeFile(join(folder, `${name}.zip`), archive(Object.fromEntries(entries)));
    return `${name}.zip`;
  }

  /** This ogr2ogr has no Parquet driver; hyparquet-writer makes the file. */
  async function parquet(): Promise<string> {
    const rows = parse(await readFile(MILLS), { columns: true }) as Record<string, string>[];
    const columns = Object.keys(rows[0]).map((name) => ({
      name,
      data: rows.map((row) => row[name]),
      type: 'STRING' as const,
    }));
    const geometry = rows.map(({ Longitude, Latitude }) => wkbPoint(Number(Longitude), Number(Latitude)));
    const geo = JSON.stringify({
      version: '1.1.0',
      primary_column: 'geom',
      columns: { geom: { encoding: 'WKB', geometry_types: ['Point'] } },
    });
    const file = parquetWriteBuffer({
      columnData: [...columns, { name: 'geom', data: geometry, type: 'BYTE_ARRAY' }],
      kvMetadata: [{ key: 'geo', value: geo }],
    });
    await writeFile(join(folder, 'mills.parquet'), new Uint8Array(file));
    return 'mills.parquet';
  }
});

describe('the lists of addresses', needsSharedData('geocoding/2.csv'), () => {
  test('keep every row, lie in the right country and state how precise they are', async (t) => {
    const distances = new Map<string, number[]>();
    let [total, right, countryOnly] = [0, 0, 0];
    for (const list of ['2.csv', '3.csv', '4.csv', '5.csv']) {
      const asked = parse(await readFile(join(SHARED_DATA, 'geocoding', list)), {
        columns: true,
        relax_column_count: true,
      }) as Record<string, string>[];
      const truth = parse(await readFile(join(SHARED_DATA, 'geocoding/geocoded', list)), {
        columns: true,
        relax_column_count: true,
      }) as Record<string, string>[];
      const { locations } = await normalize(join(SHARED_DATA, 'geocoding', list));
      assert.deepEqual(
        locations.map(({ properties }) => properties.source['name']),
        asked.map(({ name }) => name),
      );
      for (const { geometry, properties } of locations) {
        const known = truth.find(
          (row) =>
            row['name'] === properties.source['name'] &&
            row['address'] === properties.source['address'] &&
            row['lat'] !== '',
        );
        assert.ok(properties.geocode_precision !== null && properties.geocode_confidence !== null);
        if (known === undefined) continue;
        // A place known by its country alone has no point.
        if (geometry === null) {
          countryOnly++;
          continue;
        }
        total++;
        const [lon, lat] = (geometry as { coordinates: [number, number] }).coordinates;
        const found = await data.sources.whereabouts([lon, lat]);
        const wanted = await data.sources.whereabouts([Number(known['lng']), Number(known['lat'])]);
        if (found?.value.country?.iso2 === wanted?.value.country?.iso2) right++;
        const km = geodesicDistanceM(lon, lat, Number(known['lng']), Number(known['lat'])) / 1000;
        distances.set(properties.geocode_precision, [...(distances.get(properties.geocode_precision) ?? []), km]);
      }
    }
    assert.ok(total > 200, `compared only ${total} rows`);
    assert.ok(countryOnly <= total / 10, `${countryOnly} rows are known by their country alone`);
    assert.ok(right / total >= 0.98, `${right} of ${total} in the right country`);
    const medians = Object.fromEntries(
      [...distances].map(([precision, list]) => [precision, list.toSorted((a, b) => a - b)[list.length >> 1]]),
    );
    for (const [precision, list] of distances)
      t.diagnostic(`${precision}: ${list.length} rows, median ${medians[precision].toFixed(1)} km`);
    t.diagnostic(`${right} of ${total} in the country of the truth`);
    assert.ok(medians['locality'] < 25, `median of localities ${medians['locality']} km`);
    assert.ok(medians['locality'] < medians['region'] && !distances.has('country'));
  });
});
