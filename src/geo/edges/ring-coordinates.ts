/** Drops vertices that repeat the one before, in place; returns how many are left. Coordinates are `[x, y, ...]`. */
export function dropRepeats(coordinates: Int32Array, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const x = coordinates[i * 2];
    const y = coordinates[i * 2 + 1];
    if (kept > 0 && coordinates[kept * 2 - 2] === x && coordinates[kept * 2 - 1] === y) continue;
    coordinates[kept * 2] = x;
    coordinates[kept * 2 + 1] = y;
    kept++;
  }
  return kept;
}

/** Twice the area in square units; positive when the ring runs counter-clockwise. Taken from the first vertex so that the products stay exact. */
export function twiceArea(coordinates: Int32Array, count: number): number {
  const x0 = coordinates[0];
  const y0 = coordinates[1];
  let sum = 0;
  for (let i = 1; i < count - 1; i++) {
    const at = i * 2;
    sum +=
      (coordinates[at] - x0) * (coordinates[at + 3] - y0) - (coordinates[at + 2] - x0) * (coordinates[at + 1] - y0);
  }
  return sum;
}

/** Turns the order of the vertices round, in place. */
export function reverse(coordinates: Int32Array, count: number): void {
  for (let i = 0, j = count - 1; i < j; i++, j--) {
    for (let axis = 0; axis < 2; axis++) {
      const value = coordinates[i * 2 + axis];
      coordinates[i * 2 + axis] = coordinates[j * 2 + axis];
      coordinates[j * 2 + axis] = value;
    }
  }
}
