import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { backoffMs } from '../state/backoff.ts';
import { wakeAfter } from './wake-after.ts';
import type { Loaded } from './use-load.ts';
import { isAway } from './use-return.ts';

/** The answers on the page that cannot be renewed at the moment: when each was last known to be true. */
export const stale = signal<ReadonlyMap<object, Date>>(new Map());

/**
 * The answer of a request as `useLoad` gives it, and renewed by itself: `paceMs` after each answer, by what it says. While the
 * service is away the last answer stays, is counted among the `stale` ones, and is requested again at growing intervals. A page
 * that nobody looks at requests nothing. Null as key sends nothing.
 */
export function useLive<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  paceMs: (value: T) => number,
): readonly [Loaded<T>, reload: () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const shown = useRef<{ readonly key: string; readonly text: string; readonly value: T } | null>(null);
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    const self = {};
    let stopWaiting = (): void => {};
    let lost = 0;
    let lastTrue = new Date();

    const again = (ms: number): void => {
      stopWaiting = wakeAfter(ms, () => void look());
    };
    const show = (value: T): void => {
      const text = JSON.stringify(value);
      // What is the same stays the same object, so that nothing is drawn or requested again for it.
      if (shown.current?.key === key && shown.current.text === text) return setLoaded(shownNow);
      shown.current = { key, text, value };
      setLoaded({ state: 'ready', value });
    };
    const shownNow = (before: Loaded<T>): Loaded<T> =>
      before.state === 'ready' || shown.current === null ? before : { state: 'ready', value: shown.current.value };
    const look = async (): Promise<void> => {
      try {
        const value = await load(abort.signal);
        if (abort.signal.aborted) return;
        lost = 0;
        lastTrue = new Date();
        setStale(self, null);
        show(value);
        again(paceMs(value));
      } catch (error) {
        if (abort.signal.aborted) return;
        if (shown.current?.key !== key || !isAway(error)) return setLoaded({ state: 'failed', error });
        setStale(self, lastTrue);
        again(backoffMs(++lost, Math.random()));
      }
    };

    if (shown.current?.key !== key) setLoaded({ state: 'loading' });
    void look();
    return () => {
      stopWaiting();
      setStale(self, null);
      abort.abort(new Error('nobody waits for the answer any more'));
    };
  }, [key, round]);
  return [loaded, () => setRound((before) => before + 1)];
}

function setStale(self: object, since: Date | null): void {
  if (since === null && !stale.peek().has(self)) return;
  const others = [...stale.peek()].filter(([one]) => one !== self);
  stale.value = new Map(since === null ? others : [...others, [self, since] as const]);
}
