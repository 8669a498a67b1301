import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { box, memoryRows, point } from '../../../test/memory/feature-rows.ts';
import { readTile } from '../../../test/read-tile.ts';
import type { FeatureRows } from '../feature-rows.ts';
import { MOST_DRAWN } from './choose-rows.ts';
import { makeTile, MAX_TILE_BYTES } from './make-tile.ts';
import { tileBounds, type TileId, tilePlace, tileUnits } from './tile-bounds.ts';

const { signal } = new AbortController();
const WORLD: TileId = { z: 0, x: 0, y: 0 };
const LAYER = { name: 'features', properties: ['name'] };

async function layersOf(rows: FeatureRows, tile: TileId = WORLD) {
  const made = await makeTile(rows, tile, LAYER, signal);
  const { layers } = readTile(made.bytes);
  const features = Object.entries(layers).flatMap(([layer, held]) =>
    Array.from({ length: held.length }, (_, i) => {
      const { id, type, properties } = held.feature(i);
      return { layer, id, type, properties: { ...properties }, rings: held.feature(i).loadGeometry() };
    }),
  );
  return { ...made, features };
}

describe('a vector tile', () => {
  it('holds what lies in it, with the properties that are kept', async () => {
    const rows = memoryRows([
      { geometry: box(10, 10, 40, 40), properties: { name: 'large', secret: 'x' } },
      { geometry: null, properties: { name: 'nowhere' } },
      { geometry: box(-120, 10, -100, 40), properties: { name: 'west' } },
    ]);
    const east = await layersOf(rows, { z: 1, x: 1, y: 0 });
    assert.deepEqual(
      east.features.map(({ layer, id, type, properties }) => ({ layer, id, type, properties })),
      [{ layer: 'features', id: 0, type: 3, properties: { id: '0', name: 'large' } }],
    );
    assert.deepEqual([east.features.length, east.leftOut], [1, 0]);
    assert.equal((await layersOf(rows, { z: 1, x: 1, y: 1 })).bytes.length, 0);
  });

  it('draws an area of less than a pixel as a square of one, where it lies', async () => {
    const { features } = await layersOf(memoryRows([{ geometry: box(100, 5, 100.0001, 5.0001) }]));
    assert.equal(features[0]?.properties['drawn_as'], 'square');
    const [u, v] = tileUnits(100, 5, WORLD);
    const [ring] = features[0]!.rings;
    for (const { x, y } of ring) assert.ok(Math.abs(x - u) <= 9 && Math.abs(y - v) <= 9, `${x} ${y} of ${u} ${v}`);
  });

  it('keeps an area that is long and too thin for the grid', async () => {
    const { features } = await layersOf(memoryRows([{ geometry: box(0, 5, 100, 5.000001) }]));
    assert.equal(features.length, 1);
  });

  it('lets one feature stand for its neighbours where there are too many, and says how many it leaves out', async () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({
      geometry: point(100 + (i % 250) / 25, Math.floor(i / 250) / 20),
    }));
    const largest = { geometry: box(100, 0, 110, 10) };
    const rows = memoryRows([...many, largest], { group: 4_096 });
    const { features, bytes, leftOut, features: drawn } = await layersOf(rows);
    assert.ok(bytes.length <= MAX_TILE_BYTES);
    assert.ok(rows.wereRead() <= MOST_DRAWN * 2, `${rows.wereRead()} rows were read`);
    const shown = drawn.filter(({ layer }) => layer === 'features');
    const standFor = shown.reduce((sum, { properties }) => sum + Number(properties['stands_for'] ?? 1), 0);
    assert.equal(standFor, 50_001);
    assert.ok(
      shown.some(({ id }) => id === 50_000),
      'the largest of a cell is drawn',
    );
    const summary = features.find(({ layer }) => layer === 'summary');
    assert.deepEqual(summary?.properties, {
      features: 50_001,
      features_drawn: shown.length,
      features_left_out: leftOut,
    });
    assert.equal(leftOut, 50_001 - shown.length);
    // Nearer, all of them are there.
    const near = await layersOf(rows, { z: 12, x: 3_185, y: 2_047 });
    assert.equal(near.leftOut, 0);
    assert.deepEqual(await layersOf(rows), await layersOf(rows), 'the same tile again');
  });

  it('is thinned further until it keeps to its bytes', async () => {
    const ragged = (lon: number, lat: number) => ({
      type: 'Polygon' as const,
      coordinates: [
        Array.from({ length: 401 }, (_, i) => {
          const turn = ((i % 400) / 400) * 2 * Math.PI;
          const reach = i % 2 === 0 ? 2 : 4;
          return [lon + reach * Math.cos(turn), lat + reach * Math.sin(turn)];
        }),
      ],
    });
    const all = Array.from({ length: 1_500 }, (_, i) => ({
      geometry: ragged(((i * 7) % 340) - 170, ((i * 3) % 120) - 60),
    }));
    const { bytes, features, leftOut } = await layersOf(memoryRows(all, { group: 256 }));
    assert.ok(bytes.length <= MAX_TILE_BYTES, `${bytes.length} bytes`);
    assert.ok(leftOut > 0 && features.some(({ layer }) => layer === 'summary'));
  });

  it('draws the groups of a file that has too many features to look at', async () => {
    const many = Array.from({ length: 640 }, (_, i) => ({ geometry: point(i / 8, i / 16) }));
    const rows = memoryRows(many, { group: 64, mostScanned: 320 });
    const { features, leftOut } = await layersOf(rows);
    assert.equal(rows.wereRead(), 0);
    assert.deepEqual(
      features.filter(({ layer }) => layer === 'features').map(({ properties }) => properties),
      Array.from({ length: 10 }, () => ({ stands_for: 64, drawn_as: 'group' })),
    );
    assert.equal(leftOut, 640);
    const near = await layersOf(rows, { z: 4, x: 8, y: 7 });
    assert.equal(near.leftOut, 0, 'few enough nearer by');
  });

  it('lies where the web wants it', () => {
    const tile = { z: 12, x: 3_215, y: 1_995 };
    const [west, south, east, north] = tileBounds(tile);
    assert.ok(west < 102.6 && east > 102.6 && south < 4.6 && north > 4.6);
    const [u, v] = tileUnits(102.6, 4.59, tile);
    const [lon, lat] = tilePlace(u, v, tile);
    assert.ok(Math.abs(lon - 102.6) < 1e-9 && Math.abs(lat - 4.59) < 1e-9);
  });
});
