import type { MaybePromise } from '../../maybe-promise.ts';

/** Something opened of a state that changes while the service runs. */
interface Renewable<T> {
  /** Does a job with what is opened of the present state, which stays open until the job is done. */
  use<R>(job: (value: T) => Promise<R>): Promise<R>;
  /** Queries what was opened last, without a look whether it changed; it stays open until the answer is there. */
  answer<R>(query: (value: T) => MaybePromise<R>): MaybePromise<R>;
  /** Looks whether the state changed, and if so opens it. */
  refresh(): Promise<void>;
  /** What was opened last; null before the first job. */
  current(): T | null;
  close(): Promise<void>;
}

interface RenewableOptions<S, T> {
  /** The present state. */
  readonly look: () => Promise<S>;
  /** Default: the same value. */
  readonly isSame?: (one: S, other: S) => boolean;
  /** May use again what `before` has opened. */
  readonly open: (state: S, before: T | null) => Promise<T>;
  /** Closes what `others` do not use. Default: the method `close`. */
  readonly close: (value: T, others: readonly T[]) => Promise<void>;
  /** Called with why a changed state cannot be opened; what was opened before answers until the next change. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds after which a state that could not be opened is tried again without a change. Default: never. */
  readonly retryMs?: number;
  /** Milliseconds that what was replaced stays open at least, for those who read it themselves. Default 0. */
  readonly graceMs?: number;
}

interface Held<T> {
  readonly value: T;
  users: number;
}

/**
 * Opens something with the first job, and again when its state changed. Jobs under way end with what they began; what was
 * replaced is closed after the last of them. Rejects only where nothing was ever opened.
 */
export function createRenewable<S, T extends { close(): Promise<void> }>(
  options: Omit<RenewableOptions<S, T>, 'close'>,
): Renewable<T> {
  return createRenewableParts({ ...options, close: (value) => value.close() });
}

/** The same for what shares parts with what it replaces: `close` is given what is still in use. */
export function createRenewableParts<S, T>(options: RenewableOptions<S, T>): Renewable<T> {
  const { look, isSame = Object.is, open, close, onFault, retryMs = Infinity, graceMs = 0 } = options;
  /** Replaced and not closed yet, with the timer of its grace while that runs. */
  const replaced = new Map<Held<T>, NodeJS.Timeout | null>();
  let held: Held<T> | null = null;
  let seen: { readonly state: S } | null = null;
  let retryAt = Infinity;
  let renewing: Promise<void> | null = null;
  let isClosed = false;

  async function renew(): Promise<void> {
    const state = await look();
    if (isClosed || (seen !== null && isSame(seen.state, state) && Date.now() < retryAt)) return;
    let value: T;
    try {
      value = await open(state, held?.value ?? null);
    } catch (error) {
      if (held === null) throw error;
      seen = { state };
      retryAt = Date.now() + retryMs;
      onFault(error);
      return;
    }
    const before = held;
    held = { value, users: 0 };
    seen = { state };
    retryAt = Infinity;
    if (before === null) return;
    replaced.set(before, null);
    if (graceMs === 0) return await closeUnused(before);
    const endGrace = (): void => {
      replaced.set(before, null);
      void closeUnused(before);
    };
    replaced.set(before, setTimeout(endGrace, graceMs).unref());
  }

  async function closeUnused(old: Held<T>): Promise<void> {
    if (isClosed || old.users > 0 || replaced.get(old) !== null) return;
    replaced.delete(old);
    await close(old.value, stillOpen()).catch(onFault);
  }

  function stillOpen(): readonly T[] {
    return [...replaced.keys(), ...(held === null ? [] : [held])].map(({ value }) => value);
  }

  function refresh(): Promise<void> {
    return (renewing ??= renew().finally(() => (renewing = null)));
  }

  async function holding<R>(mine: Held<T>, work: Promise<R>): Promise<R> {
    mine.users++;
    try {
      return await work;
    } finally {
      mine.users--;
      await closeUnused(mine);
    }
  }

  return {
    async use(job) {
      await refresh();
      const mine = held as Held<T>;
      return await holding(mine, job(mine.value));
    },
    answer(query) {
      const mine = held as Held<T>;
      const answer = query(mine.value);
      return answer instanceof Promise ? holding(mine, answer) : answer;
    },
    refresh,
    current: () => held?.value ?? null,
    async close() {
      isClosed = true;
      await renewing?.catch(() => {});
      for (const timer of replaced.values()) clearTimeout(timer ?? undefined);
      const values = stillOpen();
      await Promise.all(values.map((value, i) => close(value, values.slice(i + 1))));
    },
  };
}
