/** Folders and a file of plain names: nothing that a URL or a file system could read as anything but a place below the base. */
const PLAIN = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.tiff?$/i;
const LONGEST = 500;

/**
 * A file's place below the base of its dataset, from the path that an index gives: a full address that begins with one
 * of `prefixes`, or one that is relative already. Null for every other path, above all for one that would lead out of
 * the base (another host or bucket, `..`, a query, an absolute path): an index decides what is read below the base and
 * never what is read elsewhere.
 */
export function relativeIndexPath(path: string, prefixes: readonly string[]): string | null {
  const prefix = prefixes.find((candidate) => path.startsWith(candidate)) ?? '';
  const rest = path.slice(prefix.length);
  return rest.length <= LONGEST && PLAIN.test(rest) ? rest : null;
}
