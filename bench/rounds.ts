/** Rounds that are measured, after one to warm up. */
export const ROUNDS = 7;

/** Runs once to warm up and `ROUNDS` times; the median of each figure. */
export async function medians<K extends string>(
  run: (round: number) => Promise<Record<K, number>>,
): Promise<Record<K, number>> {
  const rounds: Record<K, number>[] = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await run(round));
  const names = Object.keys(rounds[0]) as K[];
  const figures = names.map((name) => [name, median(rounds.slice(1).map((row) => row[name]))]);
  return Object.fromEntries(figures);
}

/** Milliseconds that `run` takes, and what it gives. */
export function time<T>(run: () => T): [number, T] {
  const start = performance.now();
  const result = run();
  return [performance.now() - start, result];
}

export async function timeAsync<T>(run: () => Promise<T>): Promise<[number, T]> {
  const start = performance.now();
  const result = await run();
  return [performance.now() - start, result];
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
