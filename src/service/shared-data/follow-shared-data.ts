import { Problem } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { openSharedData, type SharedDataConfig } from './sync-data.ts';

/** Milliseconds for which what the bucket said last is believed. */
const BELIEVED_MS = 5_000;

interface SharedDataFollower {
  /** Brings the data folder to what is shared, unless that was done a moment ago. Rejects when the bucket cannot be read. */
  readonly follow: () => Promise<void>;
  close(): Promise<void>;
}

/** Brings a data folder to what is shared and keeps it there; null without a bucket. Throws a sentence for the operator. */
export async function followSharedData(
  config: SharedDataConfig,
  log: Log,
  signal: AbortSignal,
): Promise<SharedDataFollower | null> {
  const shared = openSharedData(config);
  if (shared === null) return null;
  const closing = new AbortController();
  const either = AbortSignal.any([closing.signal, signal]);
  let at = -Infinity;
  let warned = '';
  let running: Promise<void> | null = null;
  const pull = async (): Promise<void> => {
    const { pulled, removed, unshared } = await shared.pull(either);
    at = Date.now();
    if (pulled.length + removed.length > 0) log.info({ pulled, removed }, 'the data folder follows what is shared');
    // Once for each change: the start of a service refuses it, and a command may have made it meanwhile.
    if (unshared.length > 0 && warned !== unshared.join(' '))
      log.warn({ unshared }, 'the data folder has what no other process sees; firstmile data push shares it');
    warned = unshared.join(' ');
  };
  const follow = async (): Promise<void> => {
    if (Date.now() - at < BELIEVED_MS) return;
    await (running ??= pull().finally(() => (running = null)));
  };
  const close = async (): Promise<void> => {
    closing.abort(new Error('the service stops'));
    await running?.catch(() => {});
    await shared.close();
  };
  try {
    await follow();
  } catch (error) {
    await close();
    throw error instanceof Problem && error.cause instanceof Error ? error.cause : error;
  }
  return { follow, close };
}
