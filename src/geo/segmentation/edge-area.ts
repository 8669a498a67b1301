import { type CellArea, growArea } from './cell-area.ts';
import { cellsOf, type CodeSource } from './code-window.ts';
import head from './forest-gate.json' with { type: 'json' };
import { type EdgeImage, edgeStrength, rateCells } from './kernels/edge-kernel.ts';

/** Edge strengths of an area of a source's cells. Those of the outermost cells lack neighbours; only their NaN counts. */
export interface EdgeArea extends CellArea, EdgeImage {}

/**
 * The edge strengths of an area, equal bit for bit to those of one window over all of it. What `known` holds of it is
 * not read again, and neither is what the source knows of its cells: only the strips around that, and the cells next to them.
 * @param known strengths of an area within `area`, or null.
 * @throws what the source throws.
 */
export async function readEdgeArea(
  source: CodeSource,
  area: CellArea,
  known: EdgeArea | null,
  signal: AbortSignal | undefined,
): Promise<EdgeArea> {
  const { column, row, width, height } = area;
  const cells = await cellsOf(source, area, signal);
  const edges = { column, row, width, height, values: new Float32Array(width * height) };
  const kept = known && knownWithin(area, known);
  if (known && kept) copyEdges(known, kept, edges);
  const strips = (kept ? around(area, kept) : [area])
    .map((strip) => (cells === null ? strip : cells.copyStrengths(strip, edges)))
    .filter((strip) => strip !== null)
    .map((strip) => ({ strip, wanted: growArea(strip, 1, area) }));
  const { phase } = source;
  const reads = await Promise.allSettled(
    strips.map(({ wanted }) =>
      source.window(2 * wanted.column + phase.x, 2 * wanted.row + phase.y, 2 * wanted.width, 2 * wanted.height, signal),
    ),
  );
  for (const [i, { strip, wanted }] of strips.entries()) {
    const read = reads[i];
    if (read.status === 'rejected') throw read.reason;
    if (cells === null) copyEdges({ ...wanted, values: edgeStrength(read.value).values }, strip, edges);
    else {
      const rated = { ...wanted, ...rateCells(read.value, head) };
      copyEdges(rated, strip, edges);
      cells.keep(rated);
    }
    read.value.release?.();
  }
  return edges;
}

/** The part of `known` that holds in `area`: without the outermost cells, which lack neighbours, unless they are its too. */
function knownWithin(area: CellArea, known: CellArea): CellArea {
  const west = known.column > area.column ? 1 : 0;
  const north = known.row > area.row ? 1 : 0;
  const east = known.column + known.width < area.column + area.width ? 1 : 0;
  const south = known.row + known.height < area.row + area.height ? 1 : 0;
  return {
    column: known.column + west,
    row: known.row + north,
    width: known.width - west - east,
    height: known.height - north - south,
  };
}

/** The strips of `area` above, below, left and right of `inner`, as far as there are any. */
function around(area: CellArea, inner: CellArea): CellArea[] {
  const right = inner.column + inner.width;
  const bottom = inner.row + inner.height;
  const flanks = { row: inner.row, height: inner.height };
  return [
    { ...area, height: inner.row - area.row },
    { ...area, row: bottom, height: area.row + area.height - bottom },
    { ...flanks, column: area.column, width: inner.column - area.column },
    { ...flanks, column: right, width: area.column + area.width - right },
  ].filter(({ width, height }) => width > 0 && height > 0);
}

/** Copies the strengths of `part`, which lies in both. */
function copyEdges(from: EdgeArea, part: CellArea, out: EdgeArea): void {
  for (let row = part.row; row < part.row + part.height; row++) {
    const start = (row - from.row) * from.width + part.column - from.column;
    const to = (row - out.row) * out.width + part.column - out.column;
    out.values.set(from.values.subarray(start, start + part.width), to);
  }
}
