import { Unreachable } from './problems.ts';
import { cutOff } from './read-lines.ts';
import { waitBeforeRetry } from './retries.ts';
import type { Transport } from './send-request.ts';

/**
 * The items of an answer that is opened again where it breaks off, without those that came before: `open` must give the same
 * items in the same order. As many attempts as the transport has, counted anew after each item that is new.
 */
export async function* resumed<T>(
  transport: Transport,
  signal: AbortSignal | undefined,
  open: () => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  let given = 0;
  for (let sent = 1; ; sent++) {
    let at = 0;
    try {
      for await (const item of open()) {
        if (at++ < given) continue;
        given = at;
        sent = 1;
        yield item;
      }
      if (at < given) throw cutOff('it came again with fewer items');
      return;
    } catch (error) {
      signal?.throwIfAborted();
      // `open` has sent requests again by itself already.
      const isCut = error instanceof Unreachable && error.code === 'cut_off';
      const waitS = isCut ? waitBeforeRetry(error, true, sent, transport.retries, Math.random()) : null;
      if (waitS === null) throw error;
      await transport.wait(waitS * 1000, signal);
    }
  }
}
