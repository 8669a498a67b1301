import type { ByteCounters } from './counters.ts';
import { ByteSourceError, checkRange } from './byte-error.ts';
import { planRanges, type PlanLimits, type PlannedRange } from './plan.ts';
import type { ByteSource } from './byte-source.ts';

interface CoalescingOptions extends Partial<PlanLimits> {
  readonly counters?: ByteCounters;
}

interface PendingRange {
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal;
  readonly into: Uint8Array | undefined;
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_GAP = 65_536;
const MAX_BYTES = 8_388_608;
/** A range that has memory of its own and is so long is requested alone: joined, its bytes would be copied once more. */
const LONE_BYTES = 1_048_576;

/** Joins the ranges requested in one turn of the event loop: by default over gaps of 64 KiB, up to 8 MiB a request. */
export function withCoalescing(source: ByteSource, options: CoalescingOptions = {}): ByteSource {
  const limits = { maxGap: options.maxGap ?? MAX_GAP, maxBytes: options.maxBytes ?? MAX_BYTES };
  let waiting: PendingRange[] = [];

  function fetchWaiting(): void {
    const pending: PendingRange[] = [];
    for (const range of waiting) {
      if (range.signal.aborted) continue;
      if (range.into === undefined || range.length < LONE_BYTES) pending.push(range);
      else void fetchPlanned(source, { ...range, members: [0] }, [range]);
    }
    waiting = [];
    for (const planned of planRanges(pending, limits)) {
      const members = planned.members.map((i) => pending[i]);
      if (options.counters) options.counters.coalesced += members.length - 1;
      void fetchPlanned(source, planned, members);
    }
  }

  return {
    id: source.id,
    stat: (fetchOptions) => source.stat(fetchOptions),
    async fetch(offset, length, { signal, into }) {
      signal.throwIfAborted();
      checkRange(source.id, offset, length);
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>();
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (waiting.length === 0) setImmediate(fetchWaiting);
      waiting.push({ offset, length, signal, into, resolve, reject });
      return promise.finally(() => signal.removeEventListener('abort', onAbort));
    },
  };
}

async function fetchPlanned(
  source: ByteSource,
  planned: PlannedRange,
  members: readonly PendingRange[],
): Promise<void> {
  const signal = allAborted(members.map((member) => member.signal));
  try {
    // Memory that holds one range alone.
    const into = members.length === 1 ? members[0].into : undefined;
    const bytes = await source.fetch(planned.offset, planned.length, { signal, ...(into && { into }) });
    for (const { offset, length, resolve } of members) {
      const start = offset - planned.offset;
      resolve(bytes === null ? null : bytes.subarray(start, start + length));
    }
  } catch (error) {
    // One range past the end must not take the good ones with it.
    const isOneToBlame = error instanceof ByteSourceError && error.kind === 'past_end' && members.length > 1;
    if (!isOneToBlame) for (const { reject } of members) reject(error);
    else
      for (const { offset, length, signal, resolve, reject } of members)
        source.fetch(offset, length, { signal }).then(resolve, reject);
  }
}

/** Aborted when every one of the signals is: the request goes on while anybody waits for it. */
function allAborted(signals: readonly AbortSignal[]): AbortSignal {
  if (signals.length === 1) return signals[0];
  const controller = new AbortController();
  const left = new Set(signals);
  for (const signal of left) {
    const leave = (): void => {
      left.delete(signal);
      if (left.size === 0) controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  return controller.signal;
}
