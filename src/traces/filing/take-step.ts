import { DAY_MS } from '../../durations.ts';
import type { TracesClient } from '../client/open-client.ts';
import { FILING_CODES, type FilingCode } from '../faults/filing-codes.ts';
import { TracesFailure } from '../faults/traces-failure.ts';
import type { StatementOverview } from '../messages/read-answers.ts';
import type { ClaimedFiling, FilingQueue, FilingUpdate } from './filing-queue.ts';
import { FOLLOW_DAYS, MAX_SENDS, type FilingTimes } from './filing-times.ts';
import { FOLLOWED_STATES, STATE_OF_STATUS, type SubmissionFailure, type SubmissionState } from './submission.ts';

interface StepParts {
  readonly client: TracesClient;
  readonly queue: Pick<FilingQueue, 'readContent' | 'markHandedOver'>;
  readonly times: FilingTimes;
  readonly signal: AbortSignal;
}

/**
 * One step of a submission, which makes at most one call that changes anything at the service:
 *
 *     waiting -> handed over -> submitted -> available ...
 *                            -> refused
 *                            -> unconfirmed -> found: submitted
 *                                           -> not there, and the message is too old to be taken: waiting
 *
 * Whatever was handed over without a recorded answer, after a crash too, is looked for by its internal reference before
 * it is sent again. Null when the lease was lost before anything was sent.
 */
export async function takeStep(claimed: ClaimedFiling, parts: StepParts): Promise<FilingUpdate | null> {
  try {
    if (claimed.change !== null) return await stepOfChange(claimed, claimed.change, parts);
    if (claimed.state === 'waiting') return await send(claimed, parts);
    if (claimed.state === 'sending' || claimed.state === 'unconfirmed') return await lookFor(claimed, parts);
    return await follow(claimed, parts);
  } catch (error) {
    if (!(error instanceof TracesFailure)) throw error;
    // A query failed: nothing is known that was not known before.
    const state = claimed.state === 'sending' ? { state: 'unconfirmed' as const } : {};
    return { ...state, failure: failureOf(error), nextMs: retryMs(claimed, parts.times) };
  }
}

async function send(claimed: ClaimedFiling, { client, queue, times, signal }: StepParts): Promise<FilingUpdate | null> {
  const filing = await queue.readContent(claimed, 'content');
  if (filing === null)
    return { state: 'cancelled', failure: failure('failed', 'The statement is no longer kept.'), nextMs: null };
  // The message is made first: from its time on the service takes it for a minute, whenever it is sent.
  const call = await client.prepareSubmission(filing, signal);
  if (!(await queue.markHandedOver(claimed))) return null;
  try {
    const uuid = await call.send(signal);
    return { state: 'submitted', uuid, failure: null, isSettled: true, nextMs: times.followMs };
  } catch (error) {
    if (!(error instanceof TracesFailure)) throw error;
    const said = failureOf(error);
    switch (error.outcome) {
      case 'refused':
        return { state: 'refused', failure: said, isSettled: true, nextMs: null };
      case 'not_sent':
        return { state: 'waiting', failure: said, isSettled: true, nextMs: retryMs(claimed, times) };
      case 'unknown':
        return { state: 'unconfirmed', failure: said, nextMs: times.queryMs[0]! };
    }
  }
}

/** Looks for a submission whose answer was lost. */
async function lookFor(claimed: ClaimedFiling, { client, times, signal }: StepParts): Promise<FilingUpdate> {
  const found = await client.byInternalReference(claimed.kind, claimed.internalReference, signal);
  const [entry] = found;
  if (entry !== undefined)
    return { ...adopted(claimed, entry, times), ...(found.length > 1 ? { failure: several(found) } : {}) };
  const empty = claimed.emptyAnswers + 1;
  const handedOver = claimed.handedOverAt ?? claimed.createdAt;
  const waitedMs = claimed.claimedAt.getTime() - handedOver.getTime();
  if (waitedMs >= times.settleMs && empty > 1 && claimed.sends >= MAX_SENDS) {
    const given = failure(
      'no_answer',
      `Handed over ${claimed.sends} times without an answer, and the service does not list it.`,
    );
    return { state: 'unconfirmed', failure: given, queried: 'empty', nextMs: times.followSlowlyMs };
  }
  if (waitedMs >= times.settleMs && empty > 1)
    return { state: 'waiting', failure: null, isSettled: true, queried: 'empty', nextMs: 0 };
  const nextMs = times.queryMs[Math.min(empty, times.queryMs.length - 1)]!;
  const said = failure(
    'no_answer',
    'The answer to the submission was lost; the service does not list it yet. It is sent again only when it cannot arrive any more.',
  );
  return { state: 'unconfirmed', failure: said, queried: 'empty', nextMs };
}

/** Queries the status; an empty answer is not "lost". */
async function follow(claimed: ClaimedFiling, { client, times, signal }: StepParts): Promise<FilingUpdate> {
  if (claimed.uuid === null) return lookFor(claimed, { client, times, signal } as StepParts);
  const [entry] = await client.byUuid(claimed.kind, [claimed.uuid], signal);
  if (entry === undefined) return { failure: null, queried: 'empty', nextMs: followMs(claimed, claimed.state, times) };
  return adopted(claimed, entry, times);
}

async function stepOfChange(
  claimed: ClaimedFiling,
  change: NonNullable<ClaimedFiling['change']>,
  parts: StepParts,
): Promise<FilingUpdate | null> {
  const { client, queue, times, signal } = parts;
  const uuid = claimed.uuid;
  if (uuid === null)
    return { change: null, failure: failure('statement_not_found', 'The statement has no uuid.'), nextMs: null };
  if (claimed.handedOverAt !== null) return lookForChange(claimed, change, uuid, parts);
  const filing = change === 'amend' ? await queue.readContent(claimed, 'pending') : null;
  if (change === 'amend' && filing === null)
    return { change: null, failure: failure('failed', 'The amended statement is no longer kept.'), nextMs: null };
  if (!(await queue.markHandedOver(claimed))) return null;
  try {
    const status =
      filing === null ? await client.withdraw(claimed.kind, uuid, signal) : await client.amend(filing, uuid, signal);
    const state = stateOf(status) ?? claimed.state;
    return { ...changed(filing !== null), state, failure: null, nextMs: followMs(claimed, state, times) };
  } catch (error) {
    if (!(error instanceof TracesFailure)) throw error;
    const said = failureOf(error);
    if (error.outcome === 'refused') return { change: null, failure: said, isSettled: true, nextMs: null };
    if (error.outcome === 'not_sent') return { failure: said, isSettled: true, nextMs: retryMs(claimed, times) };
    return { failure: said, nextMs: times.queryMs[0]! };
  }
}

/** After a lost answer to a change: what the service has now decides, and the same change may be sent again. */
async function lookForChange(
  claimed: ClaimedFiling,
  change: NonNullable<ClaimedFiling['change']>,
  uuid: string,
  { client, times, signal }: StepParts,
): Promise<FilingUpdate> {
  const [entry] = await client.byUuid(claimed.kind, [uuid], signal);
  const state = entry === undefined ? null : stateOf(entry.status);
  if (change === 'retract' && state === 'withdrawn')
    return { ...changed(false), state, failure: null, queried: 'found', nextMs: null };
  const waitedMs = claimed.claimedAt.getTime() - claimed.handedOverAt!.getTime();
  const said = failure(
    'no_answer',
    `The answer to the change was lost; it is sent again when the first one cannot arrive any more.`,
  );
  if (waitedMs < times.settleChangeMs || entry === undefined)
    return { failure: said, queried: entry === undefined ? 'empty' : 'found', nextMs: retryMs(claimed, times) };
  return { failure: null, isSettled: true, queried: 'found', nextMs: 0 };
}

function changed(isAmended: boolean): Pick<FilingUpdate, 'change' | 'isSettled' | 'takesPending'> {
  return { change: null, isSettled: true, ...(isAmended ? { takesPending: true } : {}) };
}

/** What an overview says of the submission. */
function adopted(claimed: ClaimedFiling, entry: StatementOverview, times: FilingTimes): FilingUpdate {
  const state = stateOf(entry.status);
  if (state === null) {
    const said = failure(
      'refused',
      `The service names a status that this release does not know: ${entry.status.slice(0, 60)}.`,
    );
    return {
      uuid: entry.uuid,
      failure: said,
      isSettled: true,
      queried: 'found',
      nextMs: followMs(claimed, 'submitted', times),
    };
  }
  return {
    state,
    uuid: entry.uuid,
    ...(entry.referenceNumber === null ? {} : { referenceNumber: entry.referenceNumber }),
    ...(entry.verificationNumber === null ? {} : { verificationNumber: entry.verificationNumber }),
    rejectionReason: entry.rejectionReason,
    communication: entry.communication,
    failure: null,
    isSettled: true,
    queried: state === 'available' ? 'available' : FOLLOWED_STATES.includes(state) ? 'not_yet_available' : 'found',
    nextMs: followMs(claimed, state, times),
  };
}

function stateOf(status: string): SubmissionState | null {
  return Object.hasOwn(STATE_OF_STATUS, status) ? STATE_OF_STATUS[status as keyof typeof STATE_OF_STATUS] : null;
}

function followMs(
  { createdAt, claimedAt }: Pick<ClaimedFiling, 'createdAt' | 'claimedAt'>,
  state: SubmissionState,
  times: FilingTimes,
): number | null {
  if (!FOLLOWED_STATES.includes(state)) return null;
  const days = (claimedAt.getTime() - createdAt.getTime()) / DAY_MS;
  if (days > FOLLOW_DAYS) return null;
  return days < 1 ? times.followMs : times.followSlowlyMs;
}

function retryMs({ failures }: ClaimedFiling, { retryMs: delays }: FilingTimes): number {
  return delays[Math.min(failures, delays.length - 1)]!;
}

function several(found: readonly StatementOverview[]): SubmissionFailure {
  return failure(
    'refused',
    `The service lists ${found.length} statements with this internal reference: ${found
      .map(({ uuid }) => uuid)
      .join(', ')
      .slice(0, 400)}. Withdraw those that are too many.`,
  );
}

/** A failure without findings of the service. */
export function failure(code: FilingCode, detail: string): SubmissionFailure {
  return { code, detail, advice: FILING_CODES[code], findings: [], requestId: null };
}

function failureOf({ code, message, advice, findings, requestId }: TracesFailure): SubmissionFailure {
  return { code, detail: message, advice, findings, requestId };
}
