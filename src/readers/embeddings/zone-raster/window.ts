import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import type { PixelRect } from './lattice.ts';

/** What one file gives to a window. */
export interface WindowPart {
  /** Its pixels, counted from the window's upper left corner. */
  readonly rect: PixelRect;
  readonly window: CodeWindow;
}

/** The parts of several files as one window. Where parts overlap the first counts; -128 where there is none. */
export function joinWindows(width: number, height: number, parts: readonly WindowPart[]): CodeWindow {
  const [first] = parts;
  if (parts.length === 1 && first.window.width === width && first.window.height === height) return first.window;
  const backToFront = parts.toReversed();
  // A part writes its row from the start of what it is given.
  const row = new Int8Array(Math.max(0, ...parts.map(({ window }) => window.width)) * BANDS);
  return {
    width,
    height,
    copyRow(y, out) {
      out.fill(NODATA, 0, width * BANDS);
      for (const { rect, window } of backToFront) {
        if (y < rect.top || y >= rect.bottom) continue;
        window.copyRow(y - rect.top, row);
        out.set(row.subarray(0, window.width * BANDS), rect.left * BANDS);
      }
    },
  };
}
