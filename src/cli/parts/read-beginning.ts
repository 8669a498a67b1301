/** The first bytes of a stream, and how it goes on. */
export interface Beginning {
  readonly bytes: Uint8Array;
  /** Null: `bytes` is all there was. */
  readonly rest: AsyncIterable<Uint8Array> | null;
}

/**
 * Reads a stream to its end, or until it has more than `limitBytes` or `given` is settled: whoever writes line by line waits for
 * an answer to each, so the end may be far off. Throws what the stream throws.
 */
export async function readBeginning(
  stream: AsyncIterable<Uint8Array>,
  limitBytes: number,
  given: Promise<unknown>,
): Promise<Beginning> {
  const iterator = stream[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  const late = given.then(() => null);
  for (let length = 0; length <= limitBytes;) {
    const next = iterator.next();
    const step = await Promise.race([next, late]);
    if (step === null) return { bytes: Buffer.concat(chunks), rest: goOn(iterator, next) };
    if (step.done === true) return { bytes: Buffer.concat(chunks), rest: null };
    chunks.push(step.value);
    length += step.value.length;
  }
  return { bytes: Buffer.concat(chunks), rest: goOn(iterator, iterator.next()) };
}

async function* goOn(
  iterator: AsyncIterator<Uint8Array>,
  next: Promise<IteratorResult<Uint8Array>>,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (let step = await next; step.done !== true; step = await iterator.next()) yield step.value;
  } finally {
    await iterator.return?.();
  }
}
