import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** How long a thread that has loaded waits until it writes what it compiled: nobody waits for its first answer any more. */
const WRITE_AFTER_MS = 5_000;

/** What this process gave to `enableCompileCache`, to which Node appended a folder for its version; null: it has none. */
export function compileCacheFolder(): string | null {
  const folder = getCompileCacheDir();
  return folder === undefined ? null : dirname(folder);
}

/**
 * Makes this thread use the compile cache of its process, in which it has no part by itself: without one it takes twice as much
 * processor time to load. Call it before what it loads is imported.
 */
export function useCompileCache(folder: string | null): void {
  if (folder === null) return;
  enableCompileCache(folder);
  // A thread that is ended writes nothing by itself.
  setTimeout(flushCompileCache, WRITE_AFTER_MS).unref();
}
