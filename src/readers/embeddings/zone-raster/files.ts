import { createShared } from '../../io/share.ts';

/** Files held open between reads, a bounded number of them. */
export interface OpenFiles<T> {
  /** Runs a job on an open file, which stays open until the job has ended. */
  use<R>(path: string, signal: AbortSignal, job: (file: T) => Promise<R>): Promise<R>;
  /** The file, when it is open, to be looked at now and not kept. */
  peek(path: string): T | null;
  /** Closes every file; jobs that still run lose theirs. */
  close(): Promise<void>;
}

interface OpenFilesOptions<T> {
  open(path: string, signal: AbortSignal): Promise<T>;
  close(file: T): Promise<void>;
  /** Most files held open that no job uses. */
  readonly max: number;
}

interface Entry<T> {
  readonly file: T;
  users: number;
  isDropped: boolean;
}

/**
 * Opens files when they are first used and keeps those used last. Callers of one file share its opening; an opening that
 * fails is forgotten, and so is a file that a job failed on, because what was read of its header may no longer hold.
 */
export function createOpenFiles<T>({ open, close, max }: OpenFilesOptions<T>): OpenFiles<T> {
  const entries = new Map<string, Entry<T>>();
  const shared = createShared<Entry<T>>();

  /** Closes what no job uses; a file in use is closed by its last job. */
  function drop(path: string, entry: Entry<T>): void {
    if (entries.get(path) === entry) entries.delete(path);
    const isFirst = !entry.isDropped;
    entry.isDropped = true;
    if (isFirst && entry.users === 0) void close(entry.file).catch(() => {});
  }

  async function obtain(path: string, signal: AbortSignal): Promise<Entry<T>> {
    const found = entries.get(path);
    const entry =
      found ??
      (await shared(path, signal, async (inner) => {
        const opened = { file: await open(path, inner), users: 0, isDropped: false };
        entries.set(path, opened);
        return opened;
      }));
    // Dropped between its opening and now: begin again.
    return entry.isDropped ? obtain(path, signal) : entry;
  }

  function evict(): void {
    for (const [path, entry] of entries) {
      if (entries.size <= max) return;
      if (entry.users === 0) drop(path, entry);
    }
  }

  return {
    async use(path, signal, job) {
      signal.throwIfAborted();
      const entry = await obtain(path, signal);
      entry.users += 1;
      if (entries.delete(path)) entries.set(path, entry);
      evict();
      try {
        return await job(entry.file);
      } catch (error) {
        if (!signal.aborted) drop(path, entry);
        throw error;
      } finally {
        entry.users -= 1;
        if (entry.users === 0 && entry.isDropped) await close(entry.file).catch(() => {});
      }
    },
    peek: (path) => entries.get(path)?.file ?? null,
    async close() {
      const all = [...entries.values()];
      entries.clear();
      await Promise.allSettled(all.map(({ file }) => close(file)));
    },
  };
}
