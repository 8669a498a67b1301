import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gravestOf, mostOf, shareOf } from '../../console/pages/datasets/dataset.ts';
import { knownGround } from '../../console/pages/datasets/known-ground.ts';
import { placesOfBox } from '../../console/pages/datasets/places-of-box.ts';

const MAPPED = { measured: true, cells: 4, mapped_cells: 2, cell_degrees: 0.01, area_cell_degrees: 0.01 } as const;
const AREA = { type: 'MultiPolygon', coordinates: [] };
const dataset = (id: string, coverage: unknown, mapped: unknown = null) =>
  ({ id, role: 'roads', coverage, mapped, contract: null }) as never;
const WORLD = dataset('world', [-180, -90, 180, 90]);
const PACK = dataset('pack', [10, 0, 11, 1], { ...MAPPED, area: AREA });
const BOX = dataset('box', [10, 0, 11, 1]);

describe('what a dataset knows of the ground in view', () => {
  it('is all of it only where nothing can be missing', () => {
    assert.equal(shareOf(WORLD, [10, 0, 11, 1]), 'all');
    assert.equal(shareOf(BOX, [10.2, 0.2, 10.8, 0.8]), 'all');
    assert.equal(shareOf(BOX, [10.2, 0.2, 11.8, 0.8]), 'part');
    assert.equal(shareOf(BOX, [12, 0, 13, 1]), 'none');
    // A pack is not mapped everywhere that it covers, nor an outline everywhere in its box.
    assert.equal(shareOf(PACK, [10.2, 0.2, 10.8, 0.8]), 'part');
    const ring = [
      [
        [10, 0],
        [11, 0],
        [11, 1],
        [10, 0],
      ],
    ];
    const outline = dataset('outline', { type: 'MultiPolygon', coordinates: [ring] });
    assert.equal(shareOf(outline, [10.2, 0.2, 10.8, 0.8]), 'part');
    assert.equal(mostOf(['none', 'part', 'all']), 'all');
    assert.equal(mostOf(['none', 'part']), 'part');
    assert.equal(mostOf([]), 'none');
  });

  it('is drawn where the theme is mapped, and nowhere else', () => {
    const { known, coverage, spots } = knownGround([WORLD, PACK, BOX], false);
    assert.deepEqual(
      known.features.map(({ geometry }) => geometry.type),
      ['MultiPolygon', 'Polygon'],
    );
    // The pack and the box cover the same ground.
    assert.equal(coverage.features.length, 1);
    assert.deepEqual(
      spots.features.map(({ geometry }) => geometry),
      [{ type: 'Point', coordinates: [10.5, 0.5] }],
    );
    assert.equal(knownGround([WORLD], true).known.features.length, 1);
    const nowhere = dataset('pack', [10, 0, 11, 1], { ...MAPPED, mapped_cells: 0, area: null });
    assert.deepEqual(knownGround([nowhere], true).known.features, []);
  });

  it('is shown with the gravest state first', () => {
    assert.equal(gravestOf(['held', 'unreachable', 'broken']), 'broken');
    assert.equal(gravestOf(['held', 'unchecked']), 'unchecked');
    assert.equal(gravestOf([]), 'local');
  });
});

describe('the places that a view is looked at in', () => {
  it('are in every cell while there are at most 100, and the more in each the fewer there are', () => {
    const { places, isEveryCell } = placesOfBox([123.71, 12.98, 123.92, 13.24]);
    assert.ok(isEveryCell);
    const cellsOf = (all: readonly (readonly [number, number])[]): Set<string> =>
      new Set(all.map(([lon, lat]) => `${Math.floor(lon * 10)} ${Math.floor(lat * 10)}`));
    assert.equal(cellsOf(places).size, 3 * 4);
    assert.equal(places.length, 12 * 4);
    for (const [lon, lat] of places) assert.ok(lon > 123.71 && lon < 123.92 && lat > 12.98 && lat < 13.24);
    const whole = placesOfBox([10, -1, 11, 0]).places;
    assert.deepEqual([whole.length, cellsOf(whole).size], [100, 100]);
    assert.deepEqual(whole[0], [10.05, -0.95]);
    const one = placesOfBox([10.01, -0.09, 10.02, -0.08]).places;
    assert.deepEqual([one.length, cellsOf(one).size], [100, 1]);
  });

  it('are spread evenly over a larger one', () => {
    const { places, isEveryCell } = placesOfBox([-180, -85, 180, 85]);
    assert.ok(!isEveryCell);
    assert.equal(places.length, 100);
    assert.deepEqual(places[0], [-162, -76.5]);
    assert.deepEqual(places.at(-1), [162, 76.5]);
  });
});
