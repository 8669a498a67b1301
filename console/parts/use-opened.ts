import { useEffect, useState } from 'preact/hooks';

/** What `open` opens, for as long as `key` stays the same; null until then. `again` closes it and opens it again. */
export function useOpened<T extends { close(): void }>(
  key: string,
  open: () => T,
): readonly [opened: T | null, again: () => void] {
  const [opened, setOpened] = useState<T | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const mine = open();
    setOpened(mine);
    return () => mine.close();
  }, [key, round]);
  return [opened, () => setRound((before) => before + 1)];
}
