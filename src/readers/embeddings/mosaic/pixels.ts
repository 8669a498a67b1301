import { latticeProjection } from '../../../geo/outline/lattice.ts';
import type { MosaicGrid } from './layout.ts';
import type { RasterLattice } from '../zone-raster/lattice.ts';

/** Pixels between two places that are projected exactly. Between them it is a straight line to within 5 cm. */
const STEP = 32;

/** Where the pixels of a zone lie on a mosaic. */
interface MosaicPixels {
  /**
   * Writes column and row of the mosaic pixel that holds the centre of each of `count` pixels from column `x`, row `y`,
   * one after the other; -1, -1 where the mosaic has none. What a pixel gets does not depend on the others requested.
   */
  locate(x: number, y: number, count: number, out: Int32Array): void;
}

/**
 * Finds the pixels of a mosaic under the `width` x `height` pixels of a zone from column `x0`, row `y0`, by the projection
 * of the centres on an absolute lattice of every 32nd pixel and bilinear interpolation between them. Columns run on over
 * the antimeridian.
 */
export function openMosaicPixels(
  grid: MosaicGrid,
  lattice: RasterLattice,
  x0: number,
  y0: number,
  width: number,
  height: number,
): MosaicPixels {
  const left = Math.floor(x0 / STEP);
  const top = Math.floor(y0 / STEP);
  const across = Math.floor((x0 + width - 1) / STEP) - left + 2;
  const down = Math.floor((y0 + height - 1) / STEP) - top + 2;
  const nodes = projectNodes(grid, lattice, left, top, across, down);
  const around = 360 / grid.pixelWidth;

  return {
    locate(x, y, count, out) {
      const nodeRow = Math.floor(y / STEP);
      const down = (y - nodeRow * STEP) / STEP;
      for (let i = 0; i < count;) {
        const nodeColumn = Math.floor((x + i) / STEP);
        const at = 2 * ((nodeRow - top) * across + nodeColumn - left);
        const under = at + 2 * across;
        const column = nodes[at] + (nodes[under] - nodes[at]) * down;
        const row = nodes[at + 1] + (nodes[under + 1] - nodes[at + 1]) * down;
        const columns = nodes[at + 2] + (nodes[under + 2] - nodes[at + 2]) * down - column;
        const rows = nodes[at + 3] + (nodes[under + 3] - nodes[at + 3]) * down - row;
        const end = Math.min(count, (nodeColumn + 1) * STEP - x);
        for (; i < end; i++) {
          const right = (x + i - nodeColumn * STEP) / STEP;
          const turned = column + columns * right;
          const inTurn = turned >= 0 && turned < around ? turned : turned - around * Math.floor(turned / around);
          const pixelRow = row + rows * right;
          const isInside = inTurn < grid.width && pixelRow >= 0 && pixelRow < grid.height;
          out[2 * i] = isInside ? inTurn : -1;
          out[2 * i + 1] = isInside ? pixelRow : -1;
        }
      }
    },
  };
}

/** Column and row, with fractions, of the centres of every 32nd pixel; columns may lie a turn off. */
function projectNodes(
  { west, north, pixelWidth, pixelHeight }: MosaicGrid,
  { crs, transform: [a, , c, , e, f] }: RasterLattice,
  left: number,
  top: number,
  across: number,
  down: number,
): Float64Array {
  const projection = latticeProjection(crs);
  const nodes = new Float64Array(2 * across * down);
  for (let i = 0; i < across * down; i++) {
    const column = (left + (i % across)) * STEP;
    const row = (top + Math.floor(i / across)) * STEP;
    projection.toLonLat(a * (column + 0.5) + c, e * (row + 0.5) + f, nodes, 2 * i);
    nodes[2 * i] = (nodes[2 * i] - west) / pixelWidth;
    nodes[2 * i + 1] = (north - nodes[2 * i + 1]) / pixelHeight;
  }
  return nodes;
}
