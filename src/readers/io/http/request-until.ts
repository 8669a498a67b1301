import type { Dispatcher } from 'undici';
import { connectLanding, type Landing, landingInterceptor, MAX_HEADER_BYTES } from './landing.ts';

interface UntilOptions extends Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'method' | 'signal'> {
  readonly method?: 'GET' | 'POST';
  readonly signal: AbortSignal;
  /** Default: one for all requests of the thread. */
  readonly dispatcher?: Dispatcher;
  /** Where its body goes, once that is known. */
  readonly landing?: Landing;
}

/** How long a connection may take. One that nobody waits for any more keeps a process that ends for as long. */
const CONNECT_MS = 5_000;

let agent: Dispatcher | null = null;

/**
 * Sends a request and gives its answer. Rejects as soon as the signal aborts, also while the connection is being made: undici
 * listens to it only from then on, so that a host whose packets are dropped would hold its reader until it gives up by itself.
 */
export async function requestUntil(url: URL | string, options: UntilOptions): Promise<Dispatcher.ResponseData> {
  const { signal } = options;
  // Imported by the first request: its 24 MB are not for processes that read files alone.
  const undici = await import('undici');
  const { request } = undici;
  const dispatcher = options.dispatcher ?? (agent ??= openAgent(undici));
  signal.throwIfAborted();
  const sent = request(url, { ...options, dispatcher });
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([sent, left]);
  } catch (error) {
    // An answer that comes all the same is read by nobody.
    sent.then(
      ({ body }) => body.on('error', () => {}).destroy(),
      () => {},
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function openAgent({ Agent, buildConnector }: typeof import('undici')): Dispatcher {
  const timeout = CONNECT_MS;
  const plain = buildConnector({ timeout });
  const connect = connectLanding(plain, (onread) => buildConnector({ timeout, onread } as object));
  return new Agent({ connect, maxHeaderSize: MAX_HEADER_BYTES }).compose(landingInterceptor);
}
