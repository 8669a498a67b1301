import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One line of a profile: a function with the time spent in itself. */
export interface ProfileEntry {
  readonly name: string;
  /** Percent of the time that the thread was busy. */
  readonly share: number;
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/**
 * Profiles a process from its start: `run` gets the environment to start it with, and returns once the process has ended.
 * The largest entries of the main thread, or of the thread with most samples next to it.
 */
export async function profiled(
  run: (env: Readonly<Record<string, string>>) => Promise<void>,
  thread: 'main' | 'busiest worker',
  count = 3,
): Promise<readonly ProfileEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'firstmile-profile-'));
  try {
    await attempted(() => run({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }));
    // Their names end with the number of the thread and of the profile; the main thread is 0.
    const names = readdirSync(folder).filter((name) => /\.0\.\d+\.cpuprofile$/.test(name) === (thread === 'main'));
    const profiles = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile);
    const busy = profiles.map(busyEntries).toSorted((a, b) => b.total - a.total)[0];
    if (busy === undefined) throw new Error('the process wrote no profile');
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

/** Functions by the time in themselves, most first. Waiting is no work; neither is what no function is known of. */
function busyEntries({ nodes, samples, timeDeltas }: CpuProfile) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName || '(anonymous)']));
  const times = new Map<string, number>();
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    times.set(name, (times.get(name) ?? 0) + timeDeltas[i]);
  }
  for (const name of ['(idle)', '(root)', '(program)', '(anonymous)']) times.delete(name);
  const entries = [...times].toSorted(([, a], [, b]) => b - a);
  return { entries, total: entries.reduce((sum, [, time]) => sum + time, 0) };
}
