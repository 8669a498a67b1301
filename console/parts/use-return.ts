import { useEffect } from 'preact/hooks';
import { FirstmileError } from '../../clients/typescript/problems.ts';

/** Milliseconds between two looks whether the service is back. */
const LOOK_MS = 1_500;

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
 * Calls `again` when the service answers once more after an error that says that it was away. Where the service did answer all the
 * time, only one request was lost: then it is for people to try again, unless `always`.
 */
export function useReturn(error: unknown, again: (() => void) | undefined, always = false): void {
  useEffect(() => {
    if (again === undefined || !isAway(error)) return;
    let isGone = false;
    let wasAway = always;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const answers = await isThere();
      if (isGone) return;
      if (answers && wasAway) return again();
      if (answers) return;
      wasAway = true;
      timer = setTimeout(() => void look(), LOOK_MS);
    };
    timer = setTimeout(() => void look(), always ? LOOK_MS : 0);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [error]);
}
