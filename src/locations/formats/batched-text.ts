const BATCH_CHARACTERS = 65_536;
/** How long finished text waits for more before it goes out. */
const MAX_WAIT_MS = 200;

/**
 * Joins small texts into UTF-8 chunks of about 64 KiB. Text that has waited 200 ms goes out in a smaller chunk, so that
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
      if (held !== '') yield Buffer.from(held);
      held = '';
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
