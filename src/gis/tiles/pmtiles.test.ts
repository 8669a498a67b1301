import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PMTiles, tileIdToZxy, zxyToTileId } from 'pmtiles';
import { seededRandom } from '../../geo/seeded-random.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import { memoryRows, point } from '../../../test/memory/feature-rows.ts';
import { archiveTiles } from './archive-tiles.ts';
import { makeTile } from './make-tile.ts';
import { archiveHead, archiveNumber } from './pmtiles.ts';
import { tileBounds, type TileId } from './tile-bounds.ts';

const { signal } = new AbortController();
const LAYER = { name: 'features', properties: [] };

/** An archive in memory, as its own library opens it. */
function opened(bytes: Uint8Array): PMTiles {
  return new PMTiles({
    getKey: () => 'memory',
    getBytes: (offset, length) => {
      const part = Uint8Array.from(bytes.subarray(offset, offset + length));
      return Promise.resolve({ data: part.buffer });
    },
  });
}

type Rows = ReturnType<typeof memoryRows>;

/** What is archived of rows. */
function planOf(rows: Rows, maxZoom: number) {
  const tile = async (id: TileId): Promise<Uint8Array> => (await makeTile(rows, id, LAYER, signal)).bytes;
  return { extent: rows.extent, boxes: null, tile, maxZoom, metadata: { name: 'made up' } };
}

async function archived(rows: Rows, maxZoom: number, given: { maxTiles?: number; boxes?: readonly Bbox[] } = {}) {
  const parts: Uint8Array[] = [];
  const made = await archiveTiles(
    { ...planOf(rows, maxZoom), ...given },
    async (bytes) => void parts.push(bytes),
    signal,
  );
  assert.ok(made !== null);
  return { ...made, archive: opened(Buffer.concat([made.head, ...parts])) };
}

describe('an archive of tiles', () => {
  it('numbers tiles as PMTiles does', () => {
    for (let z = 0; z <= 16; z++)
      for (let i = 0; i < 40; i++) {
        const x = (i * 7_919 + z) % 2 ** z;
        const y = (i * 104_729 + 3 * z) % 2 ** z;
        assert.equal(archiveNumber({ z, x, y }), zxyToTileId(z, x, y), `${z}/${x}/${y}`);
      }
  });

  it('holds every tile that holds anything, as it is served', async () => {
    const rows = memoryRows(
      Array.from({ length: 300 }, (_, i) => ({ geometry: point(((i * 37) % 350) - 175, ((i * 13) % 160) - 80) })),
    );
    const { archive, tiles } = await archived(rows, 5);
    const header = await archive.getHeader();
    assert.deepEqual([header.minZoom, header.maxZoom, header.numTileEntries, header.clustered], [0, 5, tiles, true]);
    assert.deepEqual(await archive.getMetadata(), { name: 'made up', max_zoom_wanted: 5 });
    let found = 0;
    for (let z = 0; z <= 5; z++)
      for (let x = 0; x < 2 ** z; x++)
        for (let y = 0; y < 2 ** z; y++) {
          const tile = await archive.getZxy(z, x, y);
          const { bytes } = await makeTile(rows, { z, x, y }, LAYER, signal);
          assert.deepEqual(
            tile === undefined ? new Uint8Array() : new Uint8Array(tile.data),
            new Uint8Array(bytes),
            `${z}/${x}/${y}`,
          );
          if (tile !== undefined) found++;
        }
    assert.equal(found, tiles);
    assert.ok(tiles > 100);
  });

  it('ends with the last zoom that has room for all of its tiles', async () => {
    const rows = memoryRows(
      Array.from({ length: 100 }, (_, i) => ({ geometry: point(i * 3 - 150, (i % 10) * 10 - 50) })),
    );
    const { maxZoom, tiles, archive } = await archived(rows, 12, { maxTiles: 40 });
    assert.ok(maxZoom < 12 && tiles <= 40, `zoom ${maxZoom}, ${tiles} tiles`);
    assert.equal((await archive.getHeader()).maxZoom, maxZoom);
  });

  it('finds its way by leaf directories where there are many tiles', async () => {
    const random = seededRandom(7);
    const read = [0, 1, 4_095, 4_096, 13_999];
    const parts = Array.from({ length: 14_000 }, (_, i) => {
      const length = 20 + Math.floor(random() * 2_000);
      return read.includes(i) ? gzipSync(`${i}${'x'.repeat(length)}`, { level: 0 }) : new Uint8Array(length);
    });
    const tiles = parts.map(({ length }, i) => ({ number: zxyToTileId(9, 0, 0) + i * 3, length }));
    const head = await archiveHead({ tiles, minZoom: 9, maxZoom: 9, bounds: [-180, -85, 180, 85], metadata: {} });
    const archive = opened(Buffer.concat([head, ...parts]));
    const { leafDirectoryLength, tileDataOffset, rootDirectoryLength } = await archive.getHeader();
    assert.ok((leafDirectoryLength ?? 0) > 0 && rootDirectoryLength < 16_000);
    assert.equal(tileDataOffset, head.length);
    for (const i of read) {
      const tile = await archive.getZxy(...tileIdToZxy(tiles[i].number));
      assert.match(Buffer.from(tile?.data ?? new ArrayBuffer()).toString(), new RegExp(`^${i}x*$`));
    }
    assert.equal(await archive.getZxy(...tileIdToZxy(tiles[0].number + 1)), undefined);
  });

  it('is nothing for a set that lies nowhere', async () => {
    assert.equal(await archiveTiles(planOf(memoryRows([]), 3), () => Promise.resolve(), signal), null);
  });

  it('holds the tiles of a box alone, and goes deeper with as many', async () => {
    const rows = memoryRows(
      Array.from({ length: 100 }, (_, i) => ({ geometry: point(i * 3 - 150, (i % 10) * 10 - 50) })),
    );
    const box: Bbox = [30, -20, 45, 20];
    const whole = await archived(rows, 12, { maxTiles: 120 });
    const { archive, maxZoom, tiles } = await archived(rows, 12, { maxTiles: 120, boxes: [box] });
    assert.ok(maxZoom > whole.maxZoom && tiles <= 120, `zooms ${maxZoom} and ${whole.maxZoom}`);
    const { minLon, minLat, maxLon, maxLat } = await archive.getHeader();
    assert.deepEqual([minLon, minLat, maxLon, maxLat], box);
    for (let x = 0; x < 64; x++)
      for (let y = 0; y < 64; y++) {
        const [west, south, east, north] = tileBounds({ z: 6, x, y }, 0);
        const touches = west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1];
        const { bytes } = await makeTile(rows, { z: 6, x, y }, LAYER, signal);
        const held = await archive.getZxy(6, x, y);
        assert.equal(held !== undefined, touches && bytes.length > 0, `6/${x}/${y}`);
      }
    const elsewhere = { ...planOf(rows, 3), boxes: [[170, 60, 175, 65] as const] };
    assert.equal(await archiveTiles(elsewhere, () => Promise.resolve(), signal), null);
  });
});
