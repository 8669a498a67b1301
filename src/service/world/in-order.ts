/** Works on up to `inFlight` items at a time and yields the results in the order of the items. Stops reading when its reader stops. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  inFlight: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const waiting: Promise<R>[] = [];
  for await (const item of items) {
    const result = work(item);
    // A failure that comes while another result is written is met at its own turn.
    result.catch(() => {});
    waiting.push(result);
    if (waiting.length >= inFlight) yield await (waiting.shift() as Promise<R>);
  }
  for (const result of waiting) yield await result;
}
