/** Every value of every header by lower-case name, from Node's raw list of names and values. Node's own object joins or drops duplicates. */
export function distinctHeaders(rawHeaders: readonly string[]): Record<string, string[] | undefined> {
  const headers: Record<string, string[] | undefined> = Object.create(null) as Record<string, string[] | undefined>;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    (headers[name] ??= []).push(rawHeaders[i + 1]!);
  }
  return headers;
}
