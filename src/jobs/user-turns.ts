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
