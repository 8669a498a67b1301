import { ByteSourceError } from './byte-error.ts';
import { hostOf, type ByteSource, type ByteSourceInfo, type FetchOptions } from './byte-source.ts';

/** Which hosts failed or were slow of late. */
export interface DoorHealth {
  /** The same doors, those of hosts that failed of late last. */
  order(doors: readonly ByteSource[]): readonly ByteSource[];
  failed(door: ByteSource): void;
  answered(door: ByteSource): void;
}

interface DoorOptions {
  /** How long a door may take to begin its answer before the next one is tried as well, in milliseconds; default 2,000. */
  readonly hedgeMs?: number;
}

const HEDGE_MS = 2_000;
/** How long a host that failed or was slow is used last. */
const REST_MS = 300_000;

/** Health of hosts, for all sources of a thread to share. @param now milliseconds of a clock that never goes back. */
export function createDoorHealth(now: () => number = () => performance.now()): DoorHealth {
  const rests = new Map<string, number>();
  const isResting = (door: ByteSource): boolean => (rests.get(hostOf(door.id)) ?? -Infinity) > now();
  return {
    order: (doors) => [...doors.filter((door) => !isResting(door)), ...doors.filter(isResting)],
    failed: (door) => void rests.set(hostOf(door.id), now() + REST_MS),
    answered: (door) => void rests.delete(hostOf(door.id)),
  };
}

/**
 * One file at several addresses. A read goes to the first that is in good health; one that has not begun to answer in time
 * is joined by the next, one that fails is followed by it, and the first whole answer counts. The file is not there only when
 * no door has it: with one that could not be reached nobody knows. A door whose file has another size is not read.
 */
export function withDoors(doors: readonly ByteSource[], health: DoorHealth, options: DoorOptions = {}): ByteSource {
  const [main] = doors;
  if (main === undefined) throw new RangeError('wanted at least one door');
  if (doors.length === 1) return main;
  const { hedgeMs = HEDGE_MS } = options;
  let known: { readonly door: ByteSource; readonly info: ByteSourceInfo } | null = null;

  function learn(door: ByteSource, info: ByteSourceInfo): ByteSourceInfo {
    // Doors name versions each in its own way; the name of the first one stays while it has the same file.
    if (known === null || known.door === door || known.info.size !== info.size) known = { door, info };
    return known.info;
  }

  /** Throws when a door has another file than the one that was read before. */
  async function isSameFile(door: ByteSource, fetchOptions: FetchOptions): Promise<boolean> {
    if (known === null || known.door === door) return true;
    const info = await door.stat(fetchOptions);
    if (info === null) return false;
    if (info.size === known.info.size) return true;
    throw new ByteSourceError('changed', door.id, `wanted the file of ${known.info.size} bytes, got ${info.size}`);
  }

  return {
    id: main.id,
    stat: ({ signal }) =>
      firstOf(doors, health, hedgeMs, signal, async (door, fetchOptions) => {
        const info = await door.stat(fetchOptions);
        return info === null ? null : learn(door, info);
      }),
    fetch: (offset, length, { signal, into }) =>
      firstOf(doors, health, hedgeMs, signal, async (door, fetchOptions, isFirst) => {
        if (!(await isSameFile(door, fetchOptions))) return null;
        // Two doors at the same time would write over each other.
        const own = into !== undefined && isFirst ? { into } : {};
        const bytes = await door.fetch(offset, length, { ...fetchOptions, ...own });
        if (bytes === null || known !== null) return bytes;
        const info = await door.stat(fetchOptions);
        if (info !== null) learn(door, info);
        return bytes;
      }),
  };
}

type ReadDoor<T> = (door: ByteSource, options: FetchOptions, isFirst: boolean) => Promise<T | null>;

function firstOf<T>(
  doors: readonly ByteSource[],
  health: DoorHealth,
  hedgeMs: number,
  signal: AbortSignal,
  read: ReadDoor<T>,
): Promise<T | null> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<T | null>();
  const order = health.order(doors);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let started = 0;
  let pending = 0;
  let failure: { readonly error: unknown } | null = null;

  function settleWhenNoneIsLeft(): void {
    if (pending > 0 || started < order.length) return;
    if (failure === null) resolve(null);
    else reject(failure.error);
  }

  function start(): void {
    const door = order[started];
    if (door === undefined || over.signal.aborted) return settleWhenNoneIsLeft();
    started += 1;
    pending += 1;
    const timer = setTimeout(() => {
      health.failed(door);
      start();
    }, hedgeMs);
    const onAnswer = (): void => clearTimeout(timer);
    read(door, { signal: either, onAnswer }, started === 1)
      .then(
        (answer) => {
          if (answer === null) return;
          if (!over.signal.aborted) health.answered(door);
          resolve(answer);
          over.abort(new Error('another door answered'));
        },
        (error: unknown) => {
          failure ??= { error };
          if (isOwnFault(error)) reject(error);
          else if (!either.aborted) health.failed(door);
        },
      )
      .finally(() => {
        clearTimeout(timer);
        pending -= 1;
        start();
      });
  }

  start();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    over.abort(new Error('the read is over'));
  });
}

/** What every door would refuse. */
function isOwnFault(error: unknown): boolean {
  return (
    error instanceof RangeError || (error instanceof ByteSourceError && ['past_end', 'too_large'].includes(error.kind))
  );
}
