import { setTimeout as wait } from 'node:timers/promises';
import type { TracesAdmin } from '../../app/traces-control.ts';
import type { Submission } from '../../traces/filing/submission.ts';

/** States in which the next answer is awaited. */
const PENDING: readonly Submission['state'][] = ['waiting', 'sending'];
const LOOK_MS = 500;
/** A call has 2 minutes for its answer. */
const MOST_MS = 150_000;

/** The submission once its call is answered, or as it is after 150 s or Ctrl-C: what is recorded goes on by itself. */
export async function followCall(
  traces: TracesAdmin,
  submission: Submission,
  signal: AbortSignal,
): Promise<Submission> {
  const end = performance.now() + MOST_MS;
  let now = submission;
  while (isPending(now) && performance.now() < end && !signal.aborted) {
    await wait(LOOK_MS, undefined, { signal }).catch(() => {});
    now = await traces.findSubmission({ userId: now.userId, id: now.id, isFresh: false });
  }
  return now;
}

function isPending({ state, change, failure }: Submission): boolean {
  return (PENDING.includes(state) || change !== null) && failure === null;
}
