/** Milliseconds an answer of the database is believed; below the second in which a revoked token must stop working. */
const BELIEVED_MS = 500;
const MAX_ENTRIES = 10_000;

/**
 * `find`, with each answer believed for half a second: requests of the same moment share one query. A query that fails is
 * not kept. Memory is bounded by 10,000 keys. `clock` is milliseconds since 1970.
 */
export function believed<T>(
  find: (key: string) => Promise<T>,
  clock: () => number = Date.now,
): (key: string) => Promise<T> {
  const recent = new Map<string, { readonly answer: Promise<T>; readonly at: number }>();
  return (key) => {
    const now = clock();
    const known = recent.get(key);
    if (known !== undefined && now - known.at < BELIEVED_MS) return known.answer;
    const entry = { answer: find(key), at: now };
    entry.answer.catch(() => recent.delete(key));
    remember(recent, key, entry);
    return entry.answer;
  };
}

/** A Map keeps the order of insertion, so its first key is the oldest. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
