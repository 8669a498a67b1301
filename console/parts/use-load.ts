import { useEffect, useRef, useState } from 'preact/hooks';

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown };

/**
 * The answer of a request, sent again whenever `key` changes or `reload` is called, which leaves the answer that is there until
 * another comes; null sends nothing.
 */
export function useLoad<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
): readonly [Loaded<T>, reload: () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  const requested = useRef<string | null>(null);
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    const isSame = requested.current === key;
    requested.current = key;
    setLoaded((before) => (isSame && before.state === 'ready' ? before : { state: 'loading' }));
    load(abort.signal).then(
      (value) => abort.signal.aborted || setLoaded({ state: 'ready', value }),
      (error: unknown) => abort.signal.aborted || setLoaded({ state: 'failed', error }),
    );
    return () => abort.abort(new Error('nobody waits for the answer any more'));
  }, [key, round]);
  return [loaded, () => setRound((before) => before + 1)];
}
