import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROUNDS } from './rounds.ts';

/** How many times ours one peer takes; above 1 the peer is slower. */
export interface PeerRatio {
  /** What the peer does, in a few words. */
  readonly name: string;
  /** The strongest that could be written: the same algorithm and window, tuned, cached, with as many threads. */
  readonly strongest?: boolean;
  /** Time on the clock of the peer / ours. */
  readonly times: number;
  /** Processor time of the peer / ours. */
  readonly processor?: number;
  /** That of processor time, or else of the clock, as the commit had it that the run began from. */
  readonly was?: number;
}

/** One line of the table in docs/benchmarks.md. */
export interface BenchRow {
  /** What is measured; unique in its benchmark. */
  readonly what: string;
  /** Our own figure with its unit. */
  readonly ours: string;
  readonly peers?: readonly PeerRatio[];
  /** What is wanted. */
  readonly goal?: string;
  /** What nothing on this machine could be faster than, and how far ours is from it. */
  readonly limit?: string;
}

/** Where the processor time of a thread went. */
export interface BenchProfile {
  /** Which work, and which version. */
  readonly what: string;
  /** The largest entries, with what each of them is. */
  readonly entries: readonly { readonly name: string; readonly share: number; readonly why: string }[];
}

/** What `bench/results/NAME.json` holds. */
export interface BenchResult {
  readonly bench: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly node: string;
  /** Load of the machine over the last minute when the run ended; that of the run itself is a part of it. */
  readonly load: number;
  readonly rounds: number;
  readonly rows: readonly BenchRow[];
  readonly profiles?: readonly BenchProfile[];
}

const FOLDER = join(import.meta.dirname, 'results');

/** A run of fewer rounds tries whether a benchmark runs: its rows are printed, and those that are kept stay. */
const FEWEST_ROUNDS = 3;

/**
 * Keeps the rows of a run as `bench/results/NAME.json`, of which `tools/bench-report.ts` makes docs/benchmarks.md. `rounds` is 1 where
 * the same is found in each run, or where a run takes long and one has to do.
 */
export function saveResult(
  bench: string,
  rows: readonly BenchRow[],
  rounds = ROUNDS,
  profiles: readonly BenchProfile[] = [],
): void {
  if (ROUNDS < FEWEST_ROUNDS) {
    console.dir({ rows, profiles }, { depth: null });
    console.log(`${ROUNDS} rounds: bench/results/${bench}.json stays as it is`);
    return;
  }
  const before = committed(bench);
  const result: BenchResult = {
    bench,
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    machine: `${availableParallelism()} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    node: process.versions.node,
    load: Number(loadavg()[0].toFixed(1)),
    rounds,
    rows: rows.map(({ peers, ...row }) => ({
      ...row,
      ...(peers && { peers: peers.map((peer) => ({ ...rounded(peer), ...ratioBefore(before, row.what, peer.name) })) }),
    })),
    ...(profiles.length > 0 && { profiles }),
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** The rows of the commit that is checked out; none for a benchmark that it does not have. */
function committed(bench: string): readonly BenchRow[] {
  try {
    const text = execFileSync('git', ['show', `HEAD:bench/results/${bench}.json`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return (JSON.parse(text) as BenchResult).rows;
  } catch {
    return [];
  }
}

/** Nothing of an older version of this service: that is another one in each run. */
function ratioBefore(rows: readonly BenchRow[], what: string, name: string): Pick<PeerRatio, 'was'> {
  if (name.startsWith('this service before')) return {};
  const peer = rows.find((row) => row.what === what)?.peers?.find((one) => one.name === name);
  return peer === undefined ? {} : { was: peer.processor ?? peer.times };
}

function rounded({ times, processor, ...peer }: PeerRatio): PeerRatio {
  return { ...peer, times: short(times), ...(processor !== undefined && { processor: short(processor) }) };
}

function short(ratio: number): number {
  return Number(ratio.toPrecision(3));
}
