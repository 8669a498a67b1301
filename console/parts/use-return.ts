import { useEffect } from 'preact/hooks';
import { FirstmileError } from '../../clients/typescript/problems.ts';
import { backoffMs } from '../state/backoff.ts';
import { wakeAfter } from './wake-after.ts';

/** Whether an error says that the service is away, and nothing of what was requested. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof FirstmileError &&
    (error.code === 'unreachable' || error.code === 'shutting_down' || [502, 503, 504].includes(error.status))
  );
}

async function isThere(): Promise<boolean> {
  try {
    return (await fetch('/healthz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/**
 * Calls `again` when the service answers once more after an error that says that it was away; it is looked for at growing
 * intervals. Where the service did answer all the time, only one request was lost: then it is for people to try again, unless
 * `always`.
 */
export function useReturn(error: unknown, again: (() => void) | undefined, always = false): void {
  useEffect(() => {
    if (again === undefined || !isAway(error)) return;
    let isGone = false;
    let wasAway = always;
    let looks = 0;
    let stopWaiting = (): void => {};
    const next = (): void => {
      stopWaiting = wakeAfter(backoffMs(++looks, Math.random()), () => void look());
    };
    const look = async (): Promise<void> => {
      const answers = await isThere();
      if (isGone) return;
      if (answers && wasAway) return again();
      if (answers) return;
      wasAway = true;
      next();
    };
    if (always) next();
    else void look();
    return () => {
      isGone = true;
      stopWaiting();
    };
  }, [error]);
}
