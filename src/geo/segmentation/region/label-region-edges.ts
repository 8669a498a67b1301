import type { CellArea } from '../cell-area.ts';
import type { CodeSource, CodeWindow } from '../code-window.ts';
import { type LinearHead, loadEdgeKernel, nearHead, placeRows } from '../kernels/edge-kernel.ts';
import { BANDS } from '../grid.ts';

/** Edge strengths and probabilities of an area of cells, handed out row by row from the north. */
interface EdgeRows {
  /**
   * Writes the next `rows` rows to `edges` and `probabilities` from cell `at`: what `edgeStrength` gives for a window that
   * holds the area with the outermost cells as ring, and the probability of each cell that has data, less than `NEAR` from
   * the true one.
   */
  read(rows: number, edges: Float32Array, probabilities: Float32Array, at: number): Promise<void>;
}

/** Pixel rows are requested up to the next multiple of this, so that a reader of such blocks decodes each once. */
const STRIP = 256;

/**
 * Streams the codes of an area through the edge kernel. Of the codes two rows of cells are kept, and the strips of pixels
 * that the source hands out: the one in use and the one requested ahead of it.
 */
export function readEdgeRows(source: CodeSource, area: CellArea, head: LinearHead, signal?: AbortSignal): EdgeRows {
  const near = nearHead(head);
  const { width, height } = area;
  const kernel = loadEdgeKernel();
  const places = placeRows(width);
  kernel.memory.grow(Math.ceil(places.end / 65_536));
  const { buffer } = kernel.memory;
  const codes = new Int8Array(buffer, places.codes, 4 * width * BANDS);
  const finished = new Float32Array(buffer, places.out, width);
  const rates = new Float32Array(buffer, places.rates, width);
  new Int16Array(buffer, places.weights, near.weights.length).set(near.weights);
  const pixels = pixelRows(source, area, signal);
  let current = places.first;
  let above = places.second;
  let pooled = 0;
  let done = 0;

  async function poolNext(): Promise<void> {
    await pixels.copyTwo(codes);
    kernel.poolRow(places.codes, width, current, places.zeros);
    kernel.linkAcross(width, current);
    if (pooled > 0) kernel.linkDown(width, above, current);
    [above, current] = [current, above];
    pooled++;
  }

  return {
    async read(rows, edges, probabilities, at) {
      if (rows > height - done) throw new RangeError(`wanted at most ${height - done} more rows, got ${rows}`);
      for (let to = at; rows > 0; rows--, to += width) {
        if (pooled === done) await poolNext();
        // A row is complete when the one below it has been linked to it; it is then the one that is not `above`.
        const row = pooled < height ? (await poolNext(), current) : above;
        kernel.finishRow(width, row, places.out);
        edges.set(finished, to);
        kernel.rateNear(width, row, places.weights, near.scale, head.bias, places.rates);
        probabilities.set(rates, to);
        done++;
      }
    },
  };
}

/** The pixels of an area, two rows at a time. */
function pixelRows(source: CodeSource, area: CellArea, signal: AbortSignal | undefined) {
  const x0 = 2 * area.column + source.phase.x;
  const width = 2 * area.width;
  const end = 2 * (area.row + area.height) + source.phase.y;
  let y = 2 * area.row + source.phase.y;
  let strip: CodeWindow | null = null;
  let row = 0;
  let ahead = requestAt(y);

  function requestAt(from: number): Promise<CodeWindow> | null {
    if (from >= end) return null;
    const height = Math.min((Math.floor(from / STRIP) + 1) * STRIP, end) - from;
    const requested = source.window(x0, from, width, height, signal);
    // Awaited later; until then a failure must not count as unhandled.
    requested.catch(() => {});
    return requested;
  }

  async function copyOne(out: Int8Array): Promise<void> {
    if (strip === null || row === strip.height) {
      signal?.throwIfAborted();
      strip = await (ahead as Promise<CodeWindow>);
      y += strip.height;
      ahead = requestAt(y);
      row = 0;
    }
    strip.copyRow(row++, out);
  }

  return {
    async copyTwo(out: Int8Array): Promise<void> {
      await copyOne(out.subarray(0, width * BANDS));
      await copyOne(out.subarray(width * BANDS));
    },
  };
}
