const MAX_ITEMS = 32;

/**
 * Which of the encodings offered (the preferred one first) the `Accept-Encoding` header likes best, by quality, then by
 * the order of the offer; null where it names none of them. Nothing is refused: the answer can always go out as it is.
 */
export function negotiateEncoding(
  accept: string | readonly string[] | undefined,
  offered: readonly string[],
): string | null {
  const wanted = new Map<string, number>();
  for (const item of String(accept ?? '').split(',', MAX_ITEMS)) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    if (name !== undefined && name !== '')
      wanted.set(name === 'x-gzip' ? 'gzip' : name, q === undefined ? 1 : Number(q) || 0);
  }
  let [best, bestQuality] = [null as string | null, 0];
  for (const name of offered) {
    const quality = wanted.get(name) ?? wanted.get('*') ?? 0;
    if (quality > bestQuality) [best, bestQuality] = [name, quality];
  }
  // A client that would rather have it plain gets it plain.
  return bestQuality >= (wanted.get('identity') ?? 0) ? best : null;
}
