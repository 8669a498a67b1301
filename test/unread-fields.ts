/**
 * Watches which fields of a document are read: what a validator made of a schema never reads is a field that the schema does not
 * know. Schemas of Kubernetes let such fields pass, and a server drops them or refuses them.
 */
export function watchFields<T extends object>(document: T): { readonly watched: T; unread(): readonly string[] } {
  const read = new Map<object, Set<string>>();
  const watch = <V>(value: V): V => {
    if (typeof value !== 'object' || value === null) return value;
    const seen = read.get(value) ?? new Set();
    read.set(value, seen);
    return new Proxy(value, {
      get(target, key, receiver) {
        if (typeof key === 'string') seen.add(key);
        return watch(Reflect.get(target, key, receiver));
      },
    });
  };
  const unreadIn = (value: unknown, path: string): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const seen = read.get(value);
    return Object.entries(value).flatMap(([key, inner]) => {
      const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
      return seen?.has(key) === true ? unreadIn(inner, at) : [at];
    });
  };
  return { watched: watch(document), unread: () => unreadIn(document, '') };
}
