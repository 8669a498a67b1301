import type { Client } from 'undici';
import type { Log } from '../log.ts';
import type { Connect, Connection } from './connect-checked.ts';
import { AttemptFailure, type AttemptOutcome, type AttemptTimings, statusReason } from './delivery.ts';
import { exchange, type Answer } from './exchange.ts';

interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Poster {
  /**
   * Sends one request and reports what came of it; never throws for what the receiver or the network does. Null when
   * `signal` aborted before an answer came: whether the receiver has it is not known.
   */
  post(request: PostRequest, signal: AbortSignal): Promise<AttemptOutcome | null>;
  /** Closes the connections that are kept. */
  close(): void;
}

interface PosterOptions {
  readonly connect: Connect;
  /** Milliseconds of one attempt in all: name, connection, TLS, request, headers and body. */
  readonly deadlineMs: number;
  /** Hears of the addresses that were refused, which no outcome names. */
  readonly log?: Pick<Log, 'warn'>;
}

export const ATTEMPT_DEADLINE_MS = 15_000;
/** A connection without a request is closed after this, and any after its age, so that names are looked up again. */
const IDLE_MS = 4_000;
const MAX_AGE_MS = 60_000;
const MAX_KEPT = 1_024;
/** Headers of an answer. */
const ANSWER_HEADER_BYTES = 16_384;

interface Kept extends Pick<Connection, 'address' | 'socket'> {
  readonly client: Client;
  readonly openedAt: number;
}

/** Opens the sender of single requests; it keeps connections that a receiver leaves open. */
export function openPoster({ connect, deadlineMs, log }: PosterOptions): Poster {
  const idle = createIdle();

  async function open(origin: URL, signal: AbortSignal, known: Known): Promise<Kept> {
    // Imported by the first request, since many services send none; before the socket is there, which waits for nothing.
    const { Client } = await import('undici');
    const connection = await connect(origin, signal, (step) => void Object.assign(known, step));
    known.tlsMs = connection.tlsMs;
    const client = clientOn(Client, origin, connection);
    const opened: Kept = {
      client,
      address: connection.address,
      socket: connection.socket,
      openedAt: performance.now(),
    };
    client.once('disconnect', () => {
      idle.forget(origin.origin, opened);
      drop(opened);
    });
    return opened;
  }

  async function attempt(request: PostRequest, signal: AbortSignal, known: Known): Promise<Answer> {
    const url = new URL(request.url);
    const connection = idle.take(url.origin) ?? (await open(url, signal, known));
    known.address = connection.address;
    let reusable = false;
    try {
      const answer = await exchange(connection.client, url, request, signal);
      known.firstByteMs = answer.firstByteMs;
      reusable = answer.whole;
      return answer;
    } finally {
      if (reusable) idle.keep(url.origin, connection);
      else drop(connection);
    }
  }

  return {
    async post(request, signal) {
      const begun = performance.now();
      const known: Known = { address: null, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), deadlineMs);
      const onStop = (): void => deadline.abort();
      signal.addEventListener('abort', onStop, { once: true });
      if (signal.aborted) onStop();
      try {
        const { status, excerpt } = await attempt(request, deadline.signal, known);
        return { ...outcomeBase(begun, known), status, reason: statusReason(status), detail: null, excerpt };
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof AttemptFailure)) throw error;
        const { reason, message: detail } = error;
        if (reason === 'address_refused')
          log?.warn({ err: error.cause }, 'a webhook leads to an address that is never connected to');
        return { ...outcomeBase(begun, known), status: null, reason, detail, excerpt: null };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onStop);
      }
    },
    close: () => idle.close(),
  };
}

/** Connections that a receiver has left open, by origin, for the next request to it. */
function createIdle() {
  const byOrigin = new Map<string, Kept[]>();
  let kept = 0;
  let closed = false;
  return {
    /** One that can be used; null when there is none. */
    take(origin: string): Kept | null {
      for (;;) {
        const found = byOrigin.get(origin)?.pop();
        if (found === undefined) {
          byOrigin.delete(origin);
          return null;
        }
        kept--;
        const usable = !found.client.destroyed && found.socket.readable && found.socket.writable;
        if (usable && performance.now() - found.openedAt < MAX_AGE_MS) return found;
        drop(found);
      }
    },
    keep(origin: string, connection: Kept): void {
      if (closed || kept >= MAX_KEPT || connection.client.destroyed) return drop(connection);
      const list = byOrigin.get(origin) ?? [];
      list.push(connection);
      byOrigin.set(origin, list);
      kept++;
    },
    forget(origin: string, connection: Kept): void {
      const list = byOrigin.get(origin);
      const at = list?.indexOf(connection) ?? -1;
      if (at < 0) return;
      list!.splice(at, 1);
      kept--;
      if (list!.length === 0) byOrigin.delete(origin);
    },
    /** Closes all of them, and whatever comes later. */
    close(): void {
      closed = true;
      for (const connection of [...byOrigin.values()].flat()) drop(connection);
      byOrigin.clear();
      kept = 0;
    },
  };
}

/** What is known of an attempt while it goes on. */
type Known = { -readonly [K in keyof AttemptTimings]: AttemptTimings[K] } & { address: string | null };

/** The client never connects by itself: the one socket it gets was checked, and when that is gone it is done. */
function clientOn(Opened: typeof Client, origin: URL, { socket }: Connection): Client {
  let given = false;
  return new Opened(origin.origin, {
    connect(_options, done) {
      const usable = !given && !socket.destroyed;
      given = true;
      // Not before this call has returned: the client would not notice that it can go on.
      queueMicrotask(() => {
        if (usable) done(null, socket as never);
        else done(new AttemptFailure('connection_closed'), null);
      });
    },
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    keepAliveTimeoutThreshold: 1_000,
    maxHeaderSize: ANSWER_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function drop({ client }: Pick<Kept, 'client'>): void {
  if (!client.destroyed) void client.destroy().catch(() => {});
}

function outcomeBase(begun: number, known: Known): Pick<AttemptOutcome, 'address' | 'durationMs' | 'timings'> {
  const whole = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
  return {
    address: known.address,
    durationMs: Math.round(performance.now() - begun),
    timings: {
      dnsMs: whole(known.dnsMs),
      connectMs: whole(known.connectMs),
      tlsMs: whole(known.tlsMs),
      firstByteMs: whole(known.firstByteMs),
    },
  };
}
