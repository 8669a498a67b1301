/** Distance along the Hilbert curve of order 15 of a cell, x and y from 0 to 32767: near cells get near numbers (30 bits). */
export function hilbert(x: number, y: number): number {
  let distance = 0;
  for (let side = 1 << 14; side > 0; side >>= 1) {
    const right = (x & side) > 0 ? 1 : 0;
    const upper = (y & side) > 0 ? 1 : 0;
    distance += side * side * ((3 * right) ^ upper);
    if (upper === 0) {
      if (right === 1) {
        x = 32_767 - x;
        y = 32_767 - y;
      }
      const swap = x;
      x = y;
      y = swap;
    }
  }
  return distance;
}
