import type { CodeWindow } from './code-window.ts';

/** A raster of AEF codes that can be read at any rectangle. Pixels are counted from its upper left corner. */
export interface CodeSource {
  /** Where its 2 x 2 blocks begin, as `detectBlockPhase` says of the whole raster: cell 0 covers pixels `phase`, +1. */
  readonly phase: { readonly x: 0 | 1; readonly y: 0 | 1 };
  /** `width` x `height` pixels from (`x0`, `y0`), which may lie outside: what the source does not cover is no data. */
  readonly window: (
    x0: number,
    y0: number,
    width: number,
    height: number,
    signal: AbortSignal | undefined,
  ) => Promise<CodeWindow>;
}
