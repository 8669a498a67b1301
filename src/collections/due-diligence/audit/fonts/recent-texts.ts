/** What was made of texts that were met lately. */
interface RecentTexts<V> {
  get(text: string): V | undefined;
  set(text: string, value: V): void;
}

/** Remembers the `most` texts that were used last, and up to twice as many: those of a full half are dropped unless they were used again. */
export function createRecentTexts<V>(most: number): RecentTexts<V> {
  let [young, old] = [new Map<string, V>(), new Map<string, V>()];
  const set = (text: string, value: V): void => {
    if (young.size >= most) [young, old] = [new Map(), young];
    young.set(text, value);
  };
  return {
    get(text) {
      const value = young.get(text);
      if (value !== undefined) return value;
      const before = old.get(text);
      if (before !== undefined) set(text, before);
      return before;
    },
    set,
  };
}
