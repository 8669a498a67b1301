/** Something opened of a state that changes while the service runs. */
interface Renewable<T> {
  /** Does a job with what is opened of the present state, which stays open until the job is done. */
  use<R>(job: (value: T) => Promise<R>): Promise<R>;
  /** What was opened last; null before the first job. */
  current(): T | null;
  close(): Promise<void>;
}

interface RenewableOptions<S, T> {
  /** The present state: the same value while nothing changed. */
  readonly look: () => Promise<S>;
  readonly open: (state: S) => Promise<T>;
  /** Called with why a changed state cannot be opened; what was opened before answers until the next change. */
  readonly onFault: (error: unknown) => void;
}

interface Held<T> {
  readonly value: T;
  users: number;
}

/**
 * Opens something with the first job, and again when its state changed. Jobs under way end with what they began; what was
 * replaced is closed after the last of them. Rejects only where nothing was ever opened.
 */
export function createRenewable<S, T extends { close(): Promise<void> }>({
  look,
  open,
  onFault,
}: RenewableOptions<S, T>): Renewable<T> {
  const replaced = new Set<Held<T>>();
  let held: Held<T> | null = null;
  let seen: { readonly state: S } | null = null;
  let renewing: Promise<void> | null = null;

  async function renew(): Promise<void> {
    const state = await look();
    if (seen?.state === state) return;
    let value: T;
    try {
      value = await open(state);
    } catch (error) {
      if (held === null) throw error;
      seen = { state };
      onFault(error);
      return;
    }
    const before = held;
    held = { value, users: 0 };
    seen = { state };
    if (before === null) return;
    replaced.add(before);
    await closeUnused(before);
  }

  async function closeUnused(old: Held<T>): Promise<void> {
    if (old.users > 0 || !replaced.delete(old)) return;
    await old.value.close().catch(onFault);
  }

  return {
    async use(job) {
      await (renewing ??= renew().finally(() => (renewing = null)));
      const mine = held as Held<T>;
      mine.users++;
      try {
        return await job(mine.value);
      } finally {
        mine.users--;
        await closeUnused(mine);
      }
    },
    current: () => held?.value ?? null,
    async close() {
      await renewing?.catch(() => {});
      await Promise.all([...replaced, ...(held === null ? [] : [held])].map(({ value }) => value.close()));
    },
  };
}
