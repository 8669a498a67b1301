import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { seededRandom } from '../seeded-random.ts';
import { buildBuiltUpGrid, builtUpCell, builtUpOrder, cellArea, FootprintSums } from './built-up-grid.ts';
import { builtUpAround } from './built-up.ts';
import { localFrame } from './local-frame.ts';

describe('builtUpAround', () => {
  it('counts exactly the cells whose middle lies in the circle', () => {
    const random = seededRandom(11);
    for (const lat of [0.1, 5.82, -33.4, 59.9]) {
      const footprints = new Map<number, number>();
      for (let i = 0; i < 900; i++)
        footprints.set(builtUpCell(20 + random() * 0.012, lat + random() * 0.012), random() * 2_000);
      const grid = gridOf(footprints);
      assert.ok(grid !== null);
      const got = builtUpAround(grid, localFrame(20.006, lat + 0.006), 500);
      const { share, taken } = byCells(footprints, 20.006, lat + 0.006, 500);
      assert.ok(taken > 0 && Math.abs(got - share) < 1e-9, `got ${got}, wanted ${share}`);
    }
  });

  it('counts what stands on the other side of the antimeridian', () => {
    for (const lat of [0.1, -16.9, 66.3]) {
      const sides = [new Map<number, number>(), new Map<number, number>(), new Map<number, number>()];
      const [both, east, west] = sides.map((footprints, i) => {
        for (let x = 0.00005; x < 0.03; x += 0.0001)
          for (let y = -0.01; y < 0.01; y += 0.0001) {
            if (i !== 2) footprints.set(builtUpCell(180 - x, lat + y), 900);
            if (i !== 1) footprints.set(builtUpCell(x - 180, lat + y), 900);
          }
        const grid = gridOf(footprints);
        assert.ok(grid !== null);
        return grid;
      });
      for (const lon of [179.999, -179.999, 180, -180]) {
        const shareOf = (grid: typeof both): number => builtUpAround(grid, localFrame(lon, lat), 500);
        assert.ok(Math.abs(shareOf(both) - 1) < 1e-9);
        assert.ok(shareOf(east) > 0.1 && shareOf(east) < 0.9, `${shareOf(east)} at ${lon}`);
        assert.ok(shareOf(west) > 0.1 && shareOf(west) < 0.9, `${shareOf(west)} at ${lon}`);
      }
    }
  });

  it('is 0 where nothing stands and 1 where every cell is taken', () => {
    const footprints = new Map<number, number>();
    for (let x = 0; x < 0.02; x += 0.0001) for (let y = 0; y < 0.02; y += 0.0001) footprints.set(builtUpCell(x, y), 50);
    const grid = gridOf(footprints);
    assert.ok(grid !== null);
    assert.ok(Math.abs(builtUpAround(grid, localFrame(0.01, 0.01), 500) - 1) < 1e-9);
    assert.equal(builtUpAround(grid, localFrame(3, 0.01), 500), 0);
  });
});

/** Each footprint in two parts, one after all others. */
function gridOf(footprints: ReadonlyMap<number, number>): ReturnType<typeof buildBuiltUpGrid> {
  const sums = new FootprintSums();
  for (const part of [0.25, 0.75]) for (const [cell, m2] of footprints) sums.add(builtUpOrder(cell), m2 * part);
  return buildBuiltUpGrid(sums.finish());
}

/** The same by looking at every cell around. */
function byCells(footprints: ReadonlyMap<number, number>, lon: number, lat: number, radiusM: number) {
  const cells = new Map<number, boolean>();
  for (let x = lon - 0.02; x < lon + 0.02; x += 0.00004)
    for (let y = lat - 0.008; y < lat + 0.008; y += 0.00008) {
      const cell = builtUpCell(x, y);
      if (cells.has(cell)) continue;
      const [mx, my] = middleOf(cell);
      cells.set(cell, geodesicDistanceM(lon, lat, mx, my) <= radiusM);
    }
  let ground = 0;
  let taken = 0;
  for (const [cell, isInside] of cells) {
    if (!isInside) continue;
    ground += cellArea(cell);
    const footprint = footprints.get(cell);
    if (footprint !== undefined) taken += Math.max(cellArea(cell), footprint);
  }
  return { share: Math.min(1, taken / ground), taken };
}

function middleOf(cell: number): [number, number] {
  const row = Math.floor(cell / 2 ** 21);
  const lat = (row + 0.5) / 4000 - 90;
  const band = (Math.floor(row / 400) + 0.5) * 0.1 - 90;
  return [((cell % 2 ** 21) + 0.5) / Math.round(4000 * Math.cos((band * Math.PI) / 180)) - 180, lat];
}
