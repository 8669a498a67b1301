/**
 * Adjusted Rand index of two labellings of the same cells: 1 for the same partition, about 0 for unrelated ones.
 * (Hubert and Arabie 1985.) Label 0 counts as a label.
 */
export function adjustedRand(a: Int32Array, b: Int32Array): number {
  const pairsOf = (counts: Iterable<number>) => {
    let sum = 0;
    for (const count of counts) sum += (count * (count - 1)) / 2;
    return sum;
  };
  const count = (keyOf: (cell: number) => number) => {
    const counts = new Map<number, number>();
    for (let cell = 0; cell < a.length; cell++) counts.set(keyOf(cell), (counts.get(keyOf(cell)) ?? 0) + 1);
    return pairsOf(counts.values());
  };
  const both = count((cell) => a[cell] * 2 ** 26 + b[cell]);
  const inA = count((cell) => a[cell]);
  const inB = count((cell) => b[cell]);
  const expected = (inA * inB) / ((a.length * (a.length - 1)) / 2);
  return inA + inB === 2 * expected ? 1 : (both - expected) / ((inA + inB) / 2 - expected);
}

/** The labels renamed to 1, 2, 3 in the order in which they first appear; 0 stays. Equal for equal partitions. */
export function canonical(labels: Int32Array): Int32Array {
  const names = new Map([[0, 0]]);
  return labels.map((label) => {
    const name = names.get(label) ?? names.size;
    names.set(label, name);
    return name;
  });
}
