import { createShared } from '../io/share.ts';

/** Opens something when it is first needed, once for all callers; a failure, or everybody's leaving, is forgotten. */
export function openedOnce<T>(open: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  const shared = createShared<T>();
  let held: { readonly value: T } | null = null;
  return async (signal) => {
    if (held !== null) return held.value;
    return await shared('', signal, async (inner) => {
      const value = await open(inner);
      held = { value };
      return value;
    });
  };
}
