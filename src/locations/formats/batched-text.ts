const BATCH_CHARACTERS = 65_536;
/** How long finished text waits for more before it goes out. */
const MAX_WAIT_MS = 200;

/**
 * Joins small texts into UTF-8 chunks of about 64 KiB, and cuts large ones into such, so that no reader has to hold a
 * feature of megabytes in one piece. Text that has waited 200 ms goes out in a smaller chunk, so that
 * a slow producer's results are seen as they come.
 */
export async function* batchedText(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  const iterator = texts[Symbol.asyncIterator]();
  let held = '';
  let patience: Patience | null = null;
  let ended = false;
  let next = advance(iterator);
  try {
    for (;;) {
      const result: IteratorResult<string> | null = await (patience === null
        ? next
        : Promise.race([next, patience.over]));
      if (result !== null && result.done !== true) {
        held += result.value;
        next = advance(iterator);
        patience ??= startPatience();
        if (held.length < BATCH_CHARACTERS) continue;
      }
      ended = result?.done === true;
      patience?.stop();
      patience = null;
      const text = held;
      held = '';
      yield* encoded(text);
      if (ended) return;
    }
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    patience?.stop();
    if (!ended) await iterator.return?.();
  }
}

function* encoded(text: string): Generator<Buffer, void> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = text.length - from < 2 * BATCH_CHARACTERS ? text.length : from + BATCH_CHARACTERS;
    // Both halves of a surrogate pair go into one chunk.
    if (to < text.length && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to++;
    yield Buffer.from(text.slice(from, to));
  }
}

interface Patience {
  readonly over: Promise<null>;
  stop(): void;
}

function startPatience(): Patience {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, MAX_WAIT_MS, null);
  return { over: promise, stop: () => clearTimeout(timer) };
}

/** Read ahead of need: a failure that comes while a chunk is being written is met at the next await, not before. */
function advance(iterator: AsyncIterator<string>): Promise<IteratorResult<string>> {
  const next = iterator.next();
  next.catch(() => {});
  return next;
}
