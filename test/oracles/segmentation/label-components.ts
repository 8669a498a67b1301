/**
 * Numbers the 4-connected groups of non-zero cells from 1, in the raster order of their first cells; 0 elsewhere.
 * The numbering of `scipy.ndimage.label`.
 */
export function labelComponents(mask: Uint8Array, width: number): Int32Array {
  const labels = new Int32Array(mask.length);
  const pending: number[] = [];
  let count = 0;
  for (let start = 0; start < mask.length; start++) {
    if (!mask[start] || labels[start] > 0) continue;
    labels[start] = ++count;
    pending.push(start);
    for (let cell = pending.pop(); cell !== undefined; cell = pending.pop()) {
      const column = cell % width;
      if (column > 0) visit(cell - 1);
      if (column < width - 1) visit(cell + 1);
      visit(cell - width);
      visit(cell + width);
    }
  }
  return labels;

  function visit(cell: number): void {
    if (!mask[cell] || labels[cell] > 0) return;
    labels[cell] = count;
    pending.push(cell);
  }
}
