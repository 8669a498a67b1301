import { EDGE_KERNEL_WASM } from './edge-kernel.wasm.ts';
import { BANDS } from '../grid.ts';
import { loadKernel } from './load-kernel.ts';

/** What `edge-kernel.as` exports. */
interface EdgeKernel {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly poolRow: (codes: number, cells: number, row: number, zeros: number) => void;
  readonly linkAcross: (cells: number, row: number) => void;
  readonly linkDown: (cells: number, upper: number, lower: number) => void;
  readonly finishRow: (cells: number, row: number, out: number) => void;
}

/** A new instance, with memory of its own. */
export function loadEdgeKernel(): EdgeKernel {
  return loadKernel<EdgeKernel>(EDGE_KERNEL_WASM);
}

/** The kernel has no data of its own; this leaves room for what a compiler may put first. */
export const FIRST_FREE_BYTE = 1024;

/** Bytes of one row of cells in the kernel's memory; the order of its parts is given in `edge-kernel.as`. */
const CELL_ROW_BYTES = BANDS * 2 + 4 + 1 + 1;

/** Addresses of what the kernel works on: two rows of pixels, a row of results, 64 zeros, two rows of cells. */
export function placeRows(cells: number): {
  readonly codes: number;
  readonly out: number;
  readonly zeros: number;
  readonly first: number;
  readonly second: number;
  readonly end: number;
} {
  let end = FIRST_FREE_BYTE;
  const next = (bytes: number): number => {
    const at = end;
    end = (at + bytes + 63) & ~63;
    return at;
  };
  return {
    codes: next(4 * cells * BANDS),
    out: next(cells * 4),
    zeros: next(BANDS),
    first: next(cells * CELL_ROW_BYTES),
    second: next(cells * CELL_ROW_BYTES),
    end,
  };
}
