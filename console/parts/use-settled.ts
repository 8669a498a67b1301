import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * A value once it has not changed for `ms`, or for at most `mostMs` while it keeps changing: for what is too slow to follow
 * every key.
 */
export function useSettled<T>(value: T, ms: number, mostMs: number): T {
  const [settled, setSettled] = useState(value);
  const since = useRef<number | null>(null);
  useEffect(() => {
    if (value === settled) return;
    since.current ??= performance.now();
    const wait = Math.max(0, Math.min(ms, since.current + mostMs - performance.now()));
    const timer = setTimeout(() => {
      since.current = null;
      setSettled(() => value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, settled]);
  return settled;
}
