import { setFlagsFromString } from 'node:v8';

/** Flags of V8 that keep memory small, by the majors of Node that know them: docs/decisions/2026-11-21-small-memory.md. */
const FLAGS = [
  { flag: '--max-semi-space-size=8', from: 24 },
  { flag: '--heap-growing-percent=50', from: 24 },
  { flag: '--no-memory-pool', from: 26 },
  { flag: '--memory-pool-timeout=0', from: 26 },
  { flag: '--no-memory-pool-share-memory-on-teardown', from: 26 },
  { flag: '--wasm-num-compilation-tasks=1', from: 24 },
  { flag: '--v8-pool-size=2', from: 24 },
  // The embedded database is optimised once it is busy, not while it starts: up to two fifths of the processor time of a start.
  { flag: '--wasm-tiering-budget=1000000000', from: 26 },
  // SQLite is called experimental there at every start.
  { flag: '--disable-warning=ExperimentalWarning', from: 24, until: 25 },
];
/** A Node that refuses a flag does not start, so one that nobody has tried gets none. */
const NEWEST_TRIED = 26;

/**
 * Settings of glibc, unless the environment has them: by default each thread gets a memory arena of its own, up to eight for each
 * processor, and each keeps what was freed in it. What is freed at the end of an arena returns to the system from 128 KiB on, and
 * so does each block of that size, wherever it lies: unless they are set, glibc raises both limits to 32 MB and more.
 */
export const memorySettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/** The flags of a version of Node, such as `26.10.0`. */
export function memoryFlags(version) {
  const major = Number(version.split('.')[0]);
  return FLAGS.filter(({ from, until = NEWEST_TRIED }) => major >= from && major <= until).map(({ flag }) => flag);
}

/**
 * The flag has set the young generation of the main thread by now, and would override what each thread is started with: its
 * `maxYoungGenerationSizeMb`, three times a semi-space.
 */
export function leaveYoungHeapsToThreads() {
  if (process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size=')))
    setFlagsFromString('--max-semi-space-size=0');
}
