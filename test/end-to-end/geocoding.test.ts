import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config/settings.ts';
import type { NormalizedLocation } from '../../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS } from '../../src/locations/options.ts';
import { createLog } from '../../src/log.ts';
import { openWorld, type World } from '../../src/service/world/world.ts';
import { createLocationService } from '../../src/service/locations/locations.ts';
import {
  confidenceBins,
  geocodeKnown,
  knownAddresses,
  knownMills,
  rightCountry,
  type Geocoded,
} from '../geocoding-lists.ts';
import { needsSharedData } from '../shared-data.ts';
import { shareSampleDistrict } from './run-service.ts';

let folder: string;
let data: World;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-geocoding-'));
  await shareSampleDistrict(join(folder, 'data'));
  const config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent', AUTO_DATA: 'off' });
  data = await openWorld(config, createLog({ level: 'silent', json: true }));
});
after(async () => {
  await data.close();
  await rm(folder, { recursive: true, force: true });
});

type Row = Readonly<Partial<Record<'address' | 'village' | 'district' | 'province' | 'country', string>>>;

async function geocode(rows: readonly Row[]): Promise<NormalizedLocation[]> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))] as (keyof Row)[];
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = [
    ['ref', ...columns].join(','),
    ...rows.map((row, i) => [`A${i}`, ...columns.map((column) => quoted(row[column] ?? ''))].join(',')),
  ];
  const path = join(folder, 'rows.csv');
  await writeFile(path, lines.join('\n'));
  const service = createLocationService(data, { maxFeatures: 1_000 }, 1_000_000);
  await using opened = await service.open(path, DEFAULT_LOCATION_OPTIONS);
  return await Array.fromAsync(opened.normalize(new AbortController().signal).features);
}

/** Where a row is found: the name of the place, and how near to it the answer is. */
async function found(row: Row): Promise<string> {
  const [{ properties }] = await geocode([row]);
  const warning = properties.warnings.find(({ code }) => code.startsWith('geocod'));
  const name = /(?:those of|to the \w+: ) ?(.*?)(?:, found by|\.$)/.exec(warning?.message ?? '')?.[1];
  return `${name ?? warning?.code}: ${properties.geocode_precision}`;
}

describe('regions', () => {
  const cases: readonly (readonly [why: string, row: Row, wanted: string])[] = [
    ['short names', { province: 'Edo', country: 'Nigeria' }, 'Edo State, Nigeria: region'],
    ['short names', { province: 'Meta', country: 'Colombia' }, 'Meta Department, Colombia: region'],
    ['short names', { province: 'Riau', country: 'Indonesia' }, 'Riau, Indonesia: region'],
    [
      'the language of the country',
      { province: 'Sumatera Utara', country: 'Indonesia' },
      'North Sumatra, Indonesia: region',
    ],
    [
      'the language of the country',
      { province: 'Kalimantan Barat', country: 'ID' },
      'West Kalimantan, Indonesia: region',
    ],
    ['the language of the country', { province: 'Pulau Pinang', country: 'Malaysia' }, 'Penang, Malaysia: region'],
    ['another language', { province: 'Nord-Kivu', country: 'CD' }, 'North Kivu, DR Congo: region'],
    ['a word for its kind', { province: 'Provinsi Jambi', country: 'Indonesia' }, 'Jambi, Indonesia: region'],
    ['a letter that is missing', { province: 'Trengganu', country: 'Malaysia' }, 'Terengganu, Malaysia: region'],
    ['letters of ISO 3166-2', { province: 'MT', country: 'Brazil' }, 'Mato Grosso, Brazil: region'],
    ['letters of ISO 3166-2', { province: 'US-TX', country: 'United States' }, 'Texas, United States: region'],
    [
      'a name from before a reform',
      { province: 'Bình Phước', country: 'Vietnam' },
      'Bình Phước Province, Dong Nai, Vietnam: region',
    ],
  ];
  for (const [why, row, wanted] of cases)
    test(`are found by ${why}: ${row.province}`, async () => assert.equal(await found(row), wanted));

  test('of two orders are distinguished, and the district wins', async () => {
    assert.match(
      await found({ district: 'Rokan Hilir', province: 'Riau', country: 'Indonesia' }),
      /^Kabupaten Rokan Hilir, Riau, Indonesia: region$/,
    );
    assert.match(
      await found({ district: 'Tapanuli Selatan', province: 'Sumatera Utara', country: 'Indonesia' }),
      /^South Tapanuli Regency, North Sumatra, Indonesia: region$/,
    );
  });
});

describe('states of an address', () => {
  test('are read by their letters after the name of a settlement', async () => {
    assert.equal(
      await found({ address: '12 Elm St, Portland, OR 97201', country: 'US' }),
      'Portland, Oregon, United States: locality',
    );
    assert.equal(
      await found({ address: '12 Elm St, Portland, ME 04101', country: 'US' }),
      'Portland, Maine, United States: locality',
    );
    assert.equal(
      await found({ address: 'Rod. BR-163, Sorriso MT', country: 'Brasil' }),
      'Sorriso, Mato Grosso, Brazil: locality',
    );
    assert.equal(await found({ address: '500 Commerce, Dallas, TX 75201' }), 'Dallas, Texas, United States: locality');
  });

  test('are no countries of the same name', async () => {
    assert.equal(
      await found({ address: '191 Peachtree, Atlanta, Georgia' }),
      'Atlanta, Georgia, United States: locality',
    );
    assert.equal(await found({ address: 'Rustaveli 12, Tbilisi, Georgia' }), 'Tbilisi, Georgia: locality');
  });
});

describe('countries of an address', () => {
  test('are named by a whole part of it alone', async () => {
    assert.equal(await found({ address: 'Calle 13, Zona Franca' }), 'geocoding_failed: null');
    assert.equal(await found({ address: 'Zona Franca, Medellín' }), 'Medellín, Antioquia, Colombia: locality');
    assert.equal(await found({ address: 'Plot 4, Industrial Zone, Bangladesh' }), 'Bangladesh: country');
    assert.equal(await found({ address: 'Gazipur-1704 Bangladesh' }), 'Gazipur, Dhaka Division, Bangladesh: locality');
  });

  test('give way to the one that is stated', async () => {
    const [{ properties }] = await geocode([{ address: 'Tai Nan West Street, Kowloon, Hong Kong', country: 'India' }]);
    assert.equal(properties.country_code, 'IN');
    assert.equal(properties.geocode_precision, 'country');
    assert.match(await found({ address: 'Bari', country: 'Bangladesh' }), /Bangladesh/);
  });
});

describe('on lists whose places are known', needsSharedData('geocoding/2.csv'), () => {
  const all: Geocoded[] = [];
  const service = () => createLocationService({ ...data, geocoders: [] }, { maxFeatures: 10_000 }, 1_000_000);
  before(async () => {
    all.push(...(await geocodeKnown(await knownMills('province'), service(), folder)));
  });

  for (const country of ['stated', 'left out'] as const)
    test(`98 of 100 addresses lie in the right country, their country ${country}`, async (t) => {
      const found = await geocodeKnown(await knownAddresses(country), service(), folder);
      all.push(...found);
      const answers = found.filter((row) => row.found).length;
      t.diagnostic(
        `${answers} of ${found.length} found, ${(rightCountry(found) * 100).toFixed(1)} % in the right country`,
      );
      assert.ok(rightCountry(found) >= 0.98);
      assert.ok(answers >= (country === 'stated' ? found.length : found.length * 0.75));
    });

  test('at most one in ten mills is known by its country alone', async (t) => {
    const found = await geocodeKnown(await knownMills('district'), service(), folder);
    all.push(...found);
    const coarse = found.filter(({ location }) => location.properties.geocode_precision === 'country').length;
    t.diagnostic(`${coarse} of ${found.length} by their country alone`);
    assert.equal(rightCountry(found), 1);
    assert.ok(coarse <= found.length / 10);
  });

  test('the more confidence an answer has, the nearer it is', () => {
    const bins = confidenceBins(all);
    assert.equal(bins.length, 5);
    for (const [i, bin] of bins.entries()) {
      assert.ok(bin.rows >= 25, `${bin.rows} rows from ${bin.from}`);
      // What the number says is what was measured, give or take the width of a bin.
      assert.ok(Math.abs(bin.within25Km - (bin.from + 0.1)) < 0.2, `${bin.within25Km} of those from ${bin.from}`);
      if (i === 0) continue;
      assert.ok(bin.within25Km > bins[i - 1].within25Km && bin.medianKm < bins[i - 1].medianKm);
    }
  });
});
