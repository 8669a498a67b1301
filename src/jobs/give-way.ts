import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Between normal (0) and lowest (19): next to a thread that serves requests this one gets a third of a processor's time. */
const NICENESS = 5;

/**
 * Lets the other threads of the process go first where processors are scarce: a file or a batch takes minutes, and single
 * requests must not wait for it. Linux alone has priorities of threads; elsewhere nothing changes.
 *
 * @param threadSelf the link that names this thread.
 */
export function giveWay(threadSelf = '/proc/thread-self'): void {
  try {
    const thread = Number(basename(readlinkSync(threadSelf)));
    setPriority(thread, Math.max(NICENESS, getPriority(thread)));
  } catch {
    // Another system, or a container that hides it: the thread works as before.
  }
}
