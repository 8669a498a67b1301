/** Rounds that are measured, after one to warm up; `ROUNDS=1` in the environment tries whether a benchmark runs, and keeps nothing. */
export const ROUNDS = Number(process.env['ROUNDS'] ?? 7);

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

/** Time on the clock and of processors, all threads of the process together, in milliseconds. */
export interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** What `run` costs, and what it gives. */
export async function costOf<T>(run: () => T | Promise<T>): Promise<[Cost, T]> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return [{ ms: performance.now() - start, cpuMs: (user + system) / 1000 }, result];
}

/** Costs of one round by name, added up; then the ratio of two names in the median round. */
export class Costs {
  readonly #rounds: Map<string, Cost>[] = [];

  begin(): void {
    this.#rounds.push(new Map());
  }

  add(name: string, { ms, cpuMs }: Cost): void {
    const round = this.#rounds.at(-1);
    const before = round?.get(name) ?? { ms: 0, cpuMs: 0 };
    round?.set(name, { ms: before.ms + ms, cpuMs: before.cpuMs + cpuMs });
  }

  /** The median over all rounds but the first, which warms up, and those in which it is missing, divided by `count`. */
  median(name: string, count = 1): Cost {
    const of = (key: keyof Cost): number =>
      median(this.#rounds.slice(1).flatMap((round) => round.get(name)?.[key] ?? [])) / count;
    return { ms: of('ms'), cpuMs: of('cpuMs') };
  }

  /** How many times `ours` the cost of `peer` is. */
  ratio(peer: string, ours: string): { readonly times: number; readonly processor: number } {
    const [theirs, own] = [this.median(peer), this.median(ours)];
    return { times: theirs.ms / own.ms, processor: theirs.cpuMs / own.cpuMs };
  }
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
