/** The nearest number with so many decimals, halves towards positive infinity as `Math.round` takes them; never -0. */
export function round(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale + 0;
}
