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

/** Cells a side of the curve: 2^26, so that a key of 52 bits is exact in a double; a cell is 0.6 m high. */
const SIDE = 2 ** 26;

/** Distance along a Hilbert curve over the world of a place in degrees: near places get near keys. From 0 to 2^52. */
export function curveKey(lon: number, lat: number): number {
  let x = cell((lon + 180) / 360);
  let y = cell((lat + 90) / 180);
  let key = 0;
  for (let side = SIDE / 2; side >= 1; side /= 2) {
    const right = x >= side ? 1 : 0;
    const upper = y >= side ? 1 : 0;
    key = key * 4 + ((3 * right) ^ upper);
    if (right === 1) x -= side;
    if (upper === 1) y -= side;
    if (upper === 0) {
      if (right === 1) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      const swap = x;
      x = y;
      y = swap;
    }
  }
  return key;
}

function cell(share: number): number {
  return Math.min(SIDE - 1, Math.max(0, Math.floor(share * SIDE)));
}
