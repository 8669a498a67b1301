/** A number in [0, 1) for three whole numbers: the same everywhere, without state, so that any part can be made alone. */
export function hashNoise(x: number, y: number, seed: number): number {
  let mixed = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(seed, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
}

/** A smooth surface in [0, 1) over the plane: hash noise at whole numbers, blended in between without a kink. */
export function smoothNoise(x: number, y: number, seed: number): number {
  const column = Math.floor(x);
  const row = Math.floor(y);
  const across = smooth(x - column);
  const down = smooth(y - row);
  const upper = blend(hashNoise(column, row, seed), hashNoise(column + 1, row, seed), across);
  const lower = blend(hashNoise(column, row + 1, seed), hashNoise(column + 1, row + 1, seed), across);
  return blend(upper, lower, down);
}

function smooth(share: number): number {
  return share * share * (3 - 2 * share);
}

function blend(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
