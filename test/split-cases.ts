import { latticeProjection } from '../src/geo/outline/lattice.ts';
import type { FlatPolygon } from '../src/geo/partition/cut-polygons.ts';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import type { PlotRaster } from '../src/plots/split/split-plot.ts';

/** A grid as the splitting of plots reads it; its blocks begin at the first pixel. */
export function rasterOfGrid(grid: Grid): PlotRaster {
  return {
    transform: grid.transform,
    crs: grid.crs,
    phase: async () => ({ x: 0, y: 0 }),
    window: async (x0, y0, width, height) => windowOfGrid(grid, x0, y0, width, height),
  };
}

/** A polygon in degrees from corners in units of a CRS; rings are closed here. */
export function inDegrees(crs: string, ...rings: readonly (readonly (readonly [number, number])[])[]): FlatPolygon {
  const { toLonLat } = latticeProjection(crs);
  return rings.map((ring) => {
    const out = new Float64Array(2 * ring.length + 2);
    ring.forEach(([x, y], i) => toLonLat(x, y, out, 2 * i));
    out.copyWithin(2 * ring.length, 0, 2);
    return out;
  });
}

/** A star-shaped ring of `corners` around a place, about `radius` wide; the same for the same seed. */
export function randomRing(
  random: () => number,
  [x, y]: readonly [number, number],
  radius: number,
  corners: number,
): (readonly [number, number])[] {
  return Array.from({ length: corners }, (_, i) => {
    const angle = (2 * Math.PI * (i + 0.6 * random())) / corners;
    const reach = radius * (0.5 + random());
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)] as const;
  });
}

/**
 * SYNTHETIC embeddings: each texture is a direction of its own, with noise of its own for every cell of 2 x 2 pixels. `textureOf` gives the texture of
 * a cell, null for no data.
 */
export function syntheticGrid(
  columns: number,
  rows: number,
  textureOf: (column: number, row: number) => number | null,
  noise = 20,
): Grid {
  const random = seededRandom(99);
  const width = 2 * columns;
  const codes = new Int8Array(width * 2 * rows * BANDS).fill(-128);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const texture = textureOf(column, row);
      if (texture === null) continue;
      const direction = seededRandom(1000 + texture);
      const cell = Int8Array.from({ length: BANDS }, () =>
        Math.max(-127, Math.min(127, Math.round((direction() - 0.5) * 120 + (random() - 0.5) * 2 * noise))),
      );
      for (const [dx, dy] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const)
        codes.set(cell, ((2 * row + dy) * width + 2 * column + dx) * BANDS);
    }
  return { width, height: 2 * rows, codes, transform: [10, 0, 500_000, 0, -10, 9_600_000], crs: 'EPSG:32720' };
}
