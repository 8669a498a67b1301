import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { generateGrid, gridSource, type Cover, type GridSource } from '../../test/forest-raster.ts';
import { createCellMemory } from '../geo/segmentation/cell-memory.ts';
import { type Crs, findCrs } from '../geo/crs/find-crs.ts';
import type { Polygon } from '../geo/geometry.ts';
import { ALGORITHM } from '../geo/segmentation/find-segment.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import { findPatch, type FindPatchOptions } from './find-patch.ts';
import type { Patch } from './patch.ts';
import { createSharedWork } from './shared-work.ts';
import type { LabelledPlace, PatchLabels, PatchSources } from './sources.ts';

const WGS84 = findCrs('EPSG:4326') as Crs;
const WISCONSIN = { corner: [354_030, 4_911_010], crs: 'EPSG:32616' } as const;

/** Open land with a disc of forest in the middle. */
function disc(columns: number, rows: number, radius: number) {
  return (column: number, row: number): Cover =>
    Math.hypot(column - columns / 2 + 0.5, row - rows / 2 + 0.5) < radius ? 0 : 'open';
}

function island(columns = 40, rows = 40, radius = 12) {
  return generateGrid({ columns, rows, cover: disc(columns, rows, radius), ...WISCONSIN });
}

function find(point: LonLat, sources: Partial<PatchSources>, options: Partial<FindPatchOptions> = {}): Promise<Patch> {
  return findPatch(
    point,
    { labels: [], embeddings: [], ...sources },
    { crs: WGS84, timeoutMs: 5_000, signal: new AbortController().signal, ...options },
  );
}

const codesOf = ({ properties }: Patch): string[] => properties.warnings.map(({ code }) => code);

describe('a lookup', () => {
  let geos: Awaited<ReturnType<typeof initGeosJs>>;
  before(async () => {
    geos = await initGeosJs();
  });

  /** The patch is a valid polygon that contains its point, of about the area of so many cells of 20 m. */
  function assertPatch(patch: Patch, point: LonLat, cells: number, codes: readonly string[] = []): Polygon {
    // A point on the very edge may get an outline of its own: one-outline.test.ts.
    assert.deepEqual(
      codesOf(patch).filter((code) => code !== 'outline_redrawn'),
      codes,
    );
    const polygon = patch.geometry;
    assert.ok(polygon !== null, 'there is no polygon');
    const shape = geojsonToGeosGeom(polygon as never, geos);
    assert.equal(geos.GEOSisValid(shape), 1, 'GEOS finds it invalid');
    const spot = geojsonToGeosGeom({ type: 'Point', coordinates: [...point] }, geos);
    assert.equal(geos.GEOSContains(shape, spot), 1, 'the point is outside');
    const { area_ha: area, area_change_pct: change } = patch.properties;
    assert.ok(Math.abs((area ?? 0) / (cells * 0.04) - 1) < 0.02, `${cells} cells have ${area} ha`);
    assert.ok(Math.abs(change ?? 9) <= 1);
    return polygon;
  }

  it('returns the patch with everything that is reported of it', async () => {
    const source = gridSource(island());
    const point = source.placeOf(40, 40);
    const patch = await find(point, { embeddings: [source] });
    assertPatch(patch, point, 448);
    const { properties } = patch;
    assert.deepEqual(properties.input_point, point);
    assert.equal(properties.source, 'aef-watershed');
    assert.equal(properties.source_year, 2024);
    assert.match(properties.segment_id ?? '', /^seg_[0-9a-z]{16}$/);
    assert.deepEqual([properties.dataset, properties.dataset_version, properties.synthetic], ['generated', '1', false]);
    assert.equal(properties.area_ha, Number(properties.area_ha?.toFixed(4)));
    assert.equal(properties.perimeter_m, Number(properties.perimeter_m?.toFixed(1)));
    assert.ok((properties.perimeter_m ?? 0) > 1_400 && (properties.perimeter_m ?? 0) < 1_800);
  });

  it('gives two points of a patch the same id and outline, and two patches two ids', async () => {
    const source = gridSource(
      generateGrid({
        columns: 40,
        rows: 40,
        cover: (column) => (column < 18 ? 0 : column < 22 ? 'open' : 1),
        ...WISCONSIN,
      }),
    );
    const [one, same, other] = await Promise.all(
      [source.placeOf(10, 30), source.placeOf(20, 60), source.placeOf(60, 40)].map((point) =>
        find(point, { embeddings: [source] }),
      ),
    );
    assert.equal(one?.properties.segment_id, same?.properties.segment_id);
    assert.deepEqual(one?.geometry, same?.geometry);
    assert.notEqual(one?.properties.segment_id, other?.properties.segment_id);
  });

  it('is the same, and reads nothing, where an earlier lookup has computed the cells', async () => {
    const source = gridSource(island());
    const sources = { embeddings: [source], cells: createCellMemory(1e9) };
    const one = source.placeOf(40, 40);
    const first = await find(one, { embeddings: [source] });
    assert.deepEqual(await find(one, sources), first);
    const before = source.reads();
    assert.deepEqual(await find(one, sources), first);
    assert.equal(source.reads(), before);
  });

  it('takes the polygon to the output CRS', async () => {
    const source = gridSource(island());
    const point = source.placeOf(40, 40);
    const patch = await find(point, { embeddings: [source] }, { crs: findCrs('EPSG:32616') as Crs });
    const [x, y] = patch.geometry?.coordinates[0]?.[0] ?? [];
    assert.ok(Math.abs((x ?? 0) - 354_430) < 300 && Math.abs((y ?? 0) - 4_910_610) < 300, `${x}, ${y}`);
    assert.deepEqual(patch.properties.input_point, point);
    const { properties } = await find(point, { embeddings: [source] });
    assert.deepEqual(patch.properties, properties);
  });

  it('says so when the output CRS does not reach the patch', async () => {
    const place = { corner: [568_500, 4_238_500], crs: 'EPSG:32702' } as const;
    const source = gridSource(generateGrid({ columns: 40, rows: 40, cover: disc(40, 40, 12), ...place }));
    const patch = await find(source.placeOf(40, 40), { embeddings: [source] }, { crs: findCrs('EPSG:3035') as Crs });
    assert.deepEqual([patch.geometry, codesOf(patch), patch.properties.area_ha], [null, ['outside_crs'], null]);
    assert.match(patch.properties.warnings[0]?.message ?? '', /EPSG:3035/);
  });

  it('says background where the segment is not forest, with the year that says so', async () => {
    const source = gridSource(island());
    const patch = await find(source.placeOf(3, 3), { embeddings: [source] });
    assert.equal(patch.geometry, null);
    assert.deepEqual(codesOf(patch), ['background']);
    assert.deepEqual([patch.properties.source, patch.properties.source_year], ['aef-watershed', 2024]);
    assert.equal(patch.properties.area_ha, null);
  });

  it('says of a pixel that would pass by itself that its segment does not, with both figures', async () => {
    const grid = generateGrid({ columns: 40, rows: 40, cover: disc(40, 40, 12), ...WISCONSIN });
    const forest = grid.codes.slice((40 * 80 + 40) * 64, (40 * 80 + 41) * 64);
    // One pixel of forest in open land is no segment of its own.
    grid.codes.set(forest, (6 * 80 + 6) * 64);
    const source = gridSource(grid);
    const shared = createSharedWork();
    for (const options of [{}, { shared }, { shared }]) {
      const own = await find(source.placeOf(6.5, 6.5), { embeddings: [source] }, options);
      assert.match(
        own.properties.warnings[0]?.message ?? '',
        /its mean probability of forest is 0\.[0-4]\d, wanted 0\.5 or more; the pixel at the point has (0\.[5-9]\d|1\.00) and would pass by itself/,
      );
      const other = await find(source.placeOf(9.5, 6.5), { embeddings: [source] }, options);
      assert.match(other.properties.warnings[0]?.message ?? '', /the pixel at the point has 0\.[0-4]\d\.$/);
    }
  });

  it('says outside_coverage where no dataset covers the place', async () => {
    const patch = await find([10, 50], { embeddings: [gridSource(island())] });
    assert.deepEqual([codesOf(patch), patch.properties.source], [['outside_coverage'], null]);
    assert.deepEqual(codesOf(await find([10, 50], {})), ['outside_coverage']);
  });

  it('never lets a generated patch pass for a real one', async () => {
    const source = gridSource(island(), { dataset: { id: 'sample', version: '1', synthetic: true } });
    const point = source.placeOf(40, 40);
    const patch = await find(point, { embeddings: [source] });
    assertPatch(patch, point, 448, ['synthetic_data']);
    assert.equal(patch.properties.synthetic, true);
  });

  describe('at the edges of what there is', () => {
    it('of all nodata says nodata', async () => {
      const source = gridSource(generateGrid({ columns: 20, rows: 20, cover: () => 'nodata', ...WISCONSIN }));
      assert.deepEqual(codesOf(await find(source.placeOf(20, 20), { embeddings: [source] })), ['nodata']);
    });

    it('of a constant window takes all of it', async () => {
      const source = gridSource(generateGrid({ columns: 20, rows: 30, cover: () => 2, ...WISCONSIN }));
      const point = source.placeOf(20, 20);
      assertPatch(await find(point, { embeddings: [source] }), point, 600);
    });

    it('of a segment larger than the largest window cuts it off and says so', async () => {
      const source = gridSource(generateGrid({ columns: 700, rows: 530, cover: () => 2, ...WISCONSIN }));
      const point = source.placeOf(700, 530);
      assertPatch(await find(point, { embeddings: [source] }), point, 512 * 512, ['segment_truncated']);
    });

    it('of a segment of one cell', async () => {
      const cover = (column: number, row: number): Cover => (column === 10 && row === 10 ? 0 : 'nodata');
      const source = gridSource(generateGrid({ columns: 20, rows: 20, cover, ...WISCONSIN }));
      for (const [x, y] of [
        [21, 21],
        [20.01, 20.01],
        [21.99, 21.5],
      ] as const) {
        const point = source.placeOf(x, y);
        assertPatch(await find(point, { embeddings: [source] }), point, 1);
      }
    });

    it('of a segment with many holes keeps each hole', async () => {
      const cover = (column: number, row: number): Cover => (column % 5 === 3 && row % 5 === 3 ? 'nodata' : 0);
      const source = gridSource(generateGrid({ columns: 40, rows: 40, cover, ...WISCONSIN }));
      const point = source.placeOf(20, 20);
      const polygon = assertPatch(await find(point, { embeddings: [source] }), point, 1600 - 64);
      assert.equal(polygon.coordinates.length, 65);
    });

    it('of a point on the edge and the corner of a pixel, of a cell and of the patch', async () => {
      const cover = (column: number, row: number): Cover => (column >= 8 && row >= 8 ? 0 : 'open');
      const source = gridSource(generateGrid({ columns: 24, rows: 24, cover, ...WISCONSIN }));
      for (const [x, y] of [
        [21, 20.5],
        [22, 22],
        [30, 25],
        [16.0001, 30],
        [47.9999, 47.9999],
      ] as const) {
        const point = source.placeOf(x, y);
        assertPatch(await find(point, { embeddings: [source] }), point, 16 * 16);
      }
    });

    it('of blocks that begin at odd pixels', async () => {
      const phase = [1, 1] as const;
      const grid = generateGrid({ columns: 40, rows: 40, cover: disc(40, 40, 12), ...WISCONSIN, phase });
      const source = gridSource(grid, { phase });
      const point = source.placeOf(41, 41);
      assertPatch(await find(point, { embeddings: [source] }), point, 448);
    });

    const places = {
      'at the western edge of a UTM zone': { corner: [166_300, 500_000], crs: 'EPSG:32631' },
      'at the eastern edge of a UTM zone': { corner: [833_000, 500_000], crs: 'EPSG:32631' },
      'at 65 degrees north': { corner: [500_000, 7_210_000], crs: 'EPSG:32633' },
      'at the antimeridian, from the west': { corner: [833_500, 400], crs: 'EPSG:32660' },
      'at the antimeridian, from the east': { corner: [165_620, 400], crs: 'EPSG:32601' },
      'on the equator in a southern zone': { corner: [300_000, 10_000_400], crs: 'EPSG:32733' },
    } as const;
    for (const [name, place] of Object.entries(places))
      it(name, async () => {
        const source = gridSource(generateGrid({ columns: 40, rows: 40, cover: disc(40, 40, 12), ...place }));
        for (const x of [24, 40, 56]) {
          const point = source.placeOf(x, 40.3);
          const polygon = assertPatch(await find(point, { embeddings: [source] }), point, 448);
          assert.ok(polygon.coordinates[0]?.every(([lon]) => Math.abs((lon ?? 0) - point[0]) < 0.02));
        }
      });

    it('at latitude 0 and longitude 0, in degrees', async () => {
      const pixel = 8.983111749910169e-5;
      const grid = generateGrid({
        columns: 40,
        rows: 40,
        cover: disc(40, 40, 12),
        corner: [-40 * pixel, 40 * pixel],
        crs: 'EPSG:4326',
        pixel,
      });
      const patch = await find([0, 0], { embeddings: [gridSource(grid)] });
      assertPatch(patch, [0, 0], 448);
      assert.deepEqual(patch.properties.input_point, [0, 0]);
    });
  });

  describe('over several sources', () => {
    const source = gridSource(island());
    const point = source.placeOf(40, 40);

    it('takes Tier 1 first: a forest label is returned as it is, with the id of the live lookup', async () => {
      const live = await find(point, { embeddings: [source] });
      const labels = await labelsLike(source, point, {});
      const reads = source.reads();
      const patch = await find(point, { labels: [labels], embeddings: [source] });
      assert.equal(source.reads(), reads);
      assert.equal(patch.properties.source, 'plotids-store');
      assert.equal(patch.properties.segment_id, live.properties.segment_id);
      assert.deepEqual(patch.geometry, live.geometry);
    });

    it('believes no forest of the same algorithm, and looks live at what Tier 1 does not know', async () => {
      for (const status of ['background', 'nodata'] as const) {
        const labels = await labelsLike(source, point, { status });
        const patch = await find(point, { labels: [labels], embeddings: [source] });
        assert.deepEqual([codesOf(patch), patch.properties.source], [[status], 'plotids-store']);
        const older = await labelsLike(source, point, { status, algorithm: 'older' });
        assertPatch(await find(point, { labels: [older], embeddings: [source] }), point, 448);
      }
      for (const status of ['outside', 'unresolved'] as const) {
        const labels = await labelsLike(source, point, { status });
        const patch = await find(point, { labels: [labels], embeddings: [source] });
        assert.equal(patch.properties.source, 'aef-watershed');
      }
    });

    it('passes over a source that fails, and says source_unavailable when no other answers', async () => {
      const secret = Object.assign(new Error('https://host/path?sig=SECRET: the server failed'), { kind: 'transport' });
      const broken = { dataset: { id: 'broken', version: '1', synthetic: false }, at: () => Promise.reject(secret) };
      const failed: string[] = [];
      const reportFailure = (dataset: string): void => void failed.push(dataset);
      const helped = await find(point, { labels: [broken], embeddings: [broken, source], reportFailure });
      assertPatch(helped, point, 448);
      assert.deepEqual(failed, ['broken', 'broken']);
      const patch = await find(point, { embeddings: [broken] });
      assert.deepEqual(codesOf(patch), ['source_unavailable']);
      assert.match(patch.properties.warnings[0]?.message ?? '', /broken: it could not be reached/);
      assert.doesNotMatch(JSON.stringify(patch), /SECRET|host/);
      const other = { ...broken, dataset: { ...broken.dataset, id: 'other' } };
      const both = await find(point, { labels: [broken], embeddings: [broken, other] });
      assert.equal(
        both.properties.warnings[0]?.message,
        'The place could not be looked up: broken, other: it could not be reached.',
      );
      const far = await find([10, 50], { embeddings: [broken, source] });
      assert.deepEqual(codesOf(far), ['source_unavailable']);
    });

    it('does not wait for a source that hangs, and leaves time for the next', async () => {
      const hanging = {
        dataset: { id: 'hanging', version: '1', synthetic: false },
        at: () => new Promise<never>(() => {}),
      };
      assertPatch(await find(point, { embeddings: [hanging, source] }, { timeoutMs: 400 }), point, 448);
      const patch = await find(point, { embeddings: [hanging] }, { timeoutMs: 20 });
      assert.match(patch.properties.warnings[0]?.message ?? '', /hanging: it did not answer in time/);
    });

    it('does not fail when a source gives nonsense', async () => {
      const failed: unknown[] = [];
      const mad = { ...source, at: async () => ({ raster: null as never, x: Number.NaN, y: 0 }) };
      const patch = await find(point, { embeddings: [mad], reportFailure: (_, error) => failed.push(error) });
      assert.deepEqual(codesOf(patch), ['source_unavailable']);
      assert.equal(failed.length, 1);
    });

    it('ends with the reason of its signal', async () => {
      const stop = new AbortController();
      const hanging = { ...source, at: () => new Promise<never>(() => {}) };
      const lookup = find(point, { embeddings: [hanging] }, { signal: stop.signal });
      stop.abort(new Error('the client left'));
      await assert.rejects(lookup, /the client left/);
    });
  });
});

/** A label store that says of every place what the live lookup of `point` found, or what `place` says. */
async function labelsLike(source: GridSource, point: LonLat, place: Partial<LabelledPlace>): Promise<PatchLabels> {
  const found: Pick<LabelledPlace, 'lattice' | 'segment'>[] = [];
  await find(
    point,
    { embeddings: [source] },
    {
      inspect: ({ segment }) => found.push({ lattice: segment!.lattice, segment: async () => segment! }),
    },
  );
  return {
    dataset: { id: 'labels', version: '1', synthetic: false },
    at: async () => ({ status: 'forest', year: 2024, algorithm: ALGORITHM, ...found[0]!, ...place }),
  };
}
