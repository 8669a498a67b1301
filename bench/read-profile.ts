import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchProfile } from './results.ts';

/** One line of a profile: a function with the time spent in itself. */
export interface ProfileEntry {
  readonly name: string;
  /** Percent of the time that the thread was busy. */
  readonly share: number;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** What the largest entries of profiles are. */
const WHY: Readonly<Record<string, string>> = {
  '#search': 'walking a tree of boxes to what lies near a place',
  '(garbage collector)': 'the memory of what is made and dropped: texts, rings, masks and objects of answers',
  compileSourceTextModule: 'reading the sources of the process, which a service has built',
  compileFunctionForCJSLoader: 'reading the sources of the process, which a service has built',
  copyRow: 'copying codes out of blocks of 4 MB, cold in the cache of the processor',
  end: 'making JSON of the summary',
  'fromBinaryString in pdfkit.node.mjs': 'bytes of pages of the report, one after the other',
  featureText: 'making JSON of results',
  'placesOf in sample-lattice.ts': 'the places of samples in a circle',
  ndjsonText: 'making JSON of results',
  geojsonText: 'making JSON of results',
  one: 'making JSON of results',
  structuredClone: 'copying values for each request',
  textOf: 'putting sentences together from their templates',
  parseJson: 'reading the features of the file',
  postMessage:
    'the answer on its way to another thread: a system call that wakes it, and on a busy machine is put off for it',
  read: 'reading the file: one system call for each range of blocks',
  readdir: 'looking up what is installed',
  'write in decode-into.ts': 'zstd: inflating blocks',
  writeBuffer: 'the answer on its way into the socket: one system call',
  processChunkSync: 'zlib: inflating blocks of rasters, deflating pictures and pages of the report',
  writePatch: 'making JSON of the polygon',
  writeUtf8String: 'log lines into a pipe: one system call for each write',
  writev: 'the answer on its way into the socket: one system call',
};

/** The largest entries of `profiled`, with what each of them is. */
export async function explained(...args: Parameters<typeof profiled>): Promise<BenchProfile['entries']> {
  const entries = await profiled(...args);
  return entries.map((entry) => ({
    ...entry,
    why:
      WHY[entry.name] ??
      WHY[entry.name.replace(/ in .*/, '')] ??
      (entry.name.startsWith('wasm-function') ? 'WebAssembly: strengths or the cut' : ''),
  }));
}

/**
 * Profiles a process from its start: `run` gets the environment to start it with, and returns once the process has ended.
 * The largest entries of the main thread, of the thread with most samples next to it, or of all threads together.
 */
export async function profiled(
  run: (env: Readonly<Record<string, string>>) => Promise<void>,
  thread: 'main' | 'busiest worker' | 'all',
  count = 3,
): Promise<readonly ProfileEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'firstmile-profile-'));
  try {
    await attempted(() => run({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }));
    // Their names end with the number of the thread and of the profile; the main thread is 0.
    const names = readdirSync(folder).filter(
      (name) => thread === 'all' || /\.0\.\d+\.cpuprofile$/.test(name) === (thread === 'main'),
    );
    const profiles = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile);
    const threads = profiles.map(busyEntries);
    const busy = thread === 'all' ? together(threads) : threads.toSorted((a, b) => b.total - a.total)[0];
    if (busy === undefined || profiles.length === 0) throw new Error('the process wrote no profile');
    return busy.entries
      .slice(0, count)
      .map(([name, time]) => ({ name, share: Math.round((1000 * time) / busy.total) / 10 }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The service starts itself again with flags of its own; a tick of the profile at that moment ends it. */
async function attempted(run: () => Promise<void>, times = 5): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await run();
    } catch (error) {
      if (attempt === times) throw error;
    }
}

interface BusyEntries {
  readonly entries: readonly (readonly [name: string, time: number])[];
  readonly total: number;
}

function together(threads: readonly BusyEntries[]): BusyEntries {
  const times = new Map<string, number>();
  for (const { entries } of threads) for (const [name, time] of entries) times.set(name, (times.get(name) ?? 0) + time);
  return {
    entries: [...times].toSorted(([, a], [, b]) => b - a),
    total: threads.reduce((sum, { total }) => sum + total, 0),
  };
}

/** With its file where that is one of sources: names of built files have a hash. */
function nameOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string {
  if (functionName === '') return '(anonymous)';
  const isSource = url.startsWith('file:') && !url.includes('/dist/program/');
  return isSource ? `${functionName} in ${url.slice(url.lastIndexOf('/') + 1)}` : functionName;
}

/** Functions by the time in themselves, most first. Waiting is no work; neither is what no function is known of. */
function busyEntries({ nodes, samples, timeDeltas }: CpuProfile): BusyEntries {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + timeDeltas[i]);
  }
  for (const name of ['(idle)', '(root)', '(program)', '(anonymous)']) times.delete(name);
  const entries = [...times].toSorted(([, a], [, b]) => b - a);
  return { entries, total: entries.reduce((sum, [, time]) => sum + time, 0) };
}
