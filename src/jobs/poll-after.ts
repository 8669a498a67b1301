import type { Task } from './task.ts';

/** Shortest and longest time that a client should leave between two looks at a task, in seconds. */
export const POLL_AFTER_S = { least: 2, most: 30 } as const;

/** Of the time a task is expected to take still, the share after which another look is worth it. */
const SHARE_OF_REST = 1 / 2;
/** The same of the time it has taken so far, where its end cannot be foreseen. */
const SHARE_OF_PAST = 1 / 5;

/**
 * Whole seconds after which the owner of an unfinished task should look at it again: half of what its progress says is left,
 * or a fifth of its age where it has made no progress that says anything; 2 to 30. `now` is milliseconds since 1970.
 */
export function pollAfterS({ createdAt, progress }: Pick<Task, 'createdAt' | 'progress'>, now: number): number {
  const pastS = Math.max(0, (now - createdAt.getTime()) / 1000);
  const { done, total } = progress;
  const restS = total !== null && done > 0 ? (pastS * Math.max(0, total - done)) / done : null;
  const wanted = restS === null ? pastS * SHARE_OF_PAST : restS * SHARE_OF_REST;
  return Math.min(POLL_AFTER_S.most, Math.max(POLL_AFTER_S.least, Math.ceil(wanted)));
}
