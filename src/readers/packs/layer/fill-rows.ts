import type { Polygons } from '../../formats/osm/assemble-rings.ts';
import type { MappedCells } from '../../themes/mapped-cells.ts';

/** Where in a row, in parts of a cell, polygons are looked at: near its edges and in its middle. */
const LOOKS = [0.02, 0.5, 0.98] as const;

/** Cells of a grid that polygons touch: 1, others 0. A cell is touched when one of three lines across it comes into a polygon. */
export function fillRows(
  polygons: Polygons,
  { cell, west, south, width, height }: Pick<MappedCells, 'cell' | 'west' | 'south' | 'width' | 'height'>,
): Uint8Array {
  const out = new Uint8Array(width * height);
  for (const rings of polygons) {
    // Where the rings cross each line, in cells from the west of the grid.
    const crossings: number[][] = Array.from({ length: height * LOOKS.length }, () => []);
    for (const ring of rings)
      for (let i = 0; i + 3 < ring.length; i += 2) {
        const [ax, bx] = [(ring[i] + 180) / cell - west, (ring[i + 2] + 180) / cell - west];
        const [ay, by] = [(ring[i + 1] + 90) / cell - south, (ring[i + 3] + 90) / cell - south];
        const from = Math.max(0, Math.floor(Math.min(ay, by)));
        const to = Math.min(height - 1, Math.floor(Math.max(ay, by)));
        for (let row = from; row <= to; row++)
          for (const [look, part] of LOOKS.entries()) {
            const y = row + part;
            if (ay > y !== by > y) crossings[row * LOOKS.length + look].push(ax + ((y - ay) / (by - ay)) * (bx - ax));
          }
      }
    for (const [line, xs] of crossings.entries()) {
      const row = Math.floor(line / LOOKS.length);
      xs.sort((a, b) => a - b);
      for (let i = 0; i + 1 < xs.length; i += 2)
        out.fill(
          1,
          row * width + Math.min(width, Math.max(0, Math.floor(xs[i] + 1e-6))),
          row * width + Math.max(0, Math.min(width, Math.ceil(xs[i + 1] - 1e-6))),
        );
    }
  }
  return out;
}
