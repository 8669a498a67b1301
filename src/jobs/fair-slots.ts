import { Problem } from '../errors.ts';

/** Room for so many pieces of work at the same time, shared fairly between users. */
export interface FairSlots {
  /**
   * Waits until `userId` may begin; call what it returns when the work has ended. Throws `Problem('queue_full')` when too
   * many wait already, and the reason of the signal.
   */
  take(userId: string, signal: AbortSignal): Promise<() => void>;
  status(): { readonly working: number; readonly waiting: number };
  /** Refuses those that wait and all that come. */
  close(): void;
}

interface FairSlotsOptions {
  /** Pieces of work at the same time. One more begins for a user who has none at work, so that nobody waits for another's. */
  readonly slots: number;
  /** Pieces of work that may wait, over all users. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly begin: (leave: () => void) => void;
  readonly refuse: (reason: unknown) => void;
}

const RETRY_AFTER_S = 5;

/** The next slot goes to the user whose turn it is; the work of one user begins in the order it came. */
export function openFairSlots({ slots, maxWaiting }: FairSlotsOptions): FairSlots {
  const turns = createUserTurns();
  /** Users in the order in which they began to wait. */
  const waiting = new Map<string, Waiting[]>();
  let total = 0;
  let queued = 0;
  let isClosed = false;

  function nextUser(): string | null {
    const users = [...waiting.keys()];
    return turns.next(total >= slots ? users.filter((user) => turns.atWork(user) === 0) : users);
  }

  function schedule(): void {
    while (total <= slots) {
      const user = nextUser();
      if (user === null) return;
      const line = waiting.get(user)!;
      const next = line.shift()!;
      queued--;
      if (line.length === 0) waiting.delete(user);
      turns.begin(user);
      total++;
      next.begin(onceOnly(() => end(user)));
    }
  }

  function end(user: string): void {
    turns.end(user, waiting.has(user));
    total--;
    schedule();
  }

  function forget(user: string, one: Waiting): void {
    const line = waiting.get(user) ?? [];
    const at = line.indexOf(one);
    if (at < 0) return;
    line.splice(at, 1);
    queued--;
    if (line.length === 0) waiting.delete(user);
  }

  return {
    async take(userId, signal) {
      signal.throwIfAborted();
      if (isClosed) throw stopping();
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const one: Waiting = { begin: resolve, refuse: reject };
      const line = waiting.get(userId);
      if (line === undefined) waiting.set(userId, [one]);
      else line.push(one);
      queued++;
      schedule();
      if (queued > maxWaiting) {
        forget(userId, one);
        throw new Problem(
          'queue_full',
          `${maxWaiting} files wait already, which is all that the service lets wait; try again later.`,
          { retryAfterS: RETRY_AFTER_S },
        );
      }
      const leave = (): void => {
        forget(userId, one);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    status: () => ({ working: total, waiting: queued }),
    close() {
      isClosed = true;
      for (const line of waiting.values()) for (const { refuse } of line) refuse(stopping());
      waiting.clear();
      queued = 0;
    },
  };
}

function stopping(): Problem {
  return new Problem('shutting_down', 'The service is stopping.');
}

function onceOnly(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** Whose turn it is: counts what each user has at work and when each was served last. */
interface UserTurns {
  /** The user with the least at work; among equals the one who was served longest ago, then the first. Null of nobody. */
  next(users: Iterable<string>): string | null;
  atWork(user: string): number;
  begin(user: string): void;
  /** `isWaiting`: the user has more that waits, so that its last turn is remembered. */
  end(user: string, isWaiting: boolean): void;
}

export function createUserTurns(): UserTurns {
  const working = new Map<string, number>();
  const lastServed = new Map<string, number>();
  let served = 0;

  const atWork = (user: string): number => working.get(user) ?? 0;

  function isBefore(a: string, b: string): boolean {
    const less = atWork(a) - atWork(b);
    return less < 0 || (less === 0 && (lastServed.get(a) ?? 0) < (lastServed.get(b) ?? 0));
  }

  return {
    atWork,
    next(users) {
      let best: string | null = null;
      for (const user of users) if (best === null || isBefore(user, best)) best = user;
      return best;
    },
    begin(user) {
      working.set(user, atWork(user) + 1);
      lastServed.set(user, ++served);
    },
    end(user, isWaiting) {
      const left = atWork(user) - 1;
      if (left > 0) working.set(user, left);
      else working.delete(user);
      if (left <= 0 && !isWaiting) lastServed.delete(user);
    },
  };
}
