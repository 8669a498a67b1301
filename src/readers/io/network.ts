import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { isRecord } from '../../is-record.ts';
import { ByteSourceError } from './byte-error.ts';
import type { ByteSource } from './byte-source.ts';
import { replaceFile } from './replace-file.ts';

/** Whether this machine reaches the public internet, as every process that uses the data folder knows it. */
export interface Network {
  /** What the last probe found; null: there was none. Milliseconds since 1970. */
  state(): Promise<NetworkState | null>;
  /**
   * Runs a job that needs the network. It fails at once, as `offline`, while the last probe of up to a minute ago failed. A
   * job that fails or takes long makes a probe, which gives it up when that fails too.
   */
  run<T>(place: string, signal: AbortSignal, job: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Probes now, with others who do; within some seconds of a probe that was answered that is believed. */
  probe(): Promise<boolean>;
}

interface NetworkState {
  readonly reachable: boolean;
  readonly at: number;
}

interface NetworkOptions {
  /** Where the state is kept. */
  readonly path: string;
  /** Whether anything out there answers; default: a connection to one of `PROBED`. */
  readonly reach?: () => Promise<boolean>;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  /** How long a job may take before a probe is made, in milliseconds; default 2,000. */
  readonly suspectMs?: number;
}

/** How long a probe that failed decides, and for how long one that was answered makes another one needless. */
const DOWN_MS = 60_000;
const UP_MS = 10_000;
/** How long what was read of the file is believed. */
const READ_MS = 1_000;
/** Hosts of three owners, whose data the service reads anyway. One that accepts a connection is enough. */
const PROBED = ['storage.googleapis.com', 's3.us-west-2.amazonaws.com', 'data.source.coop'] as const;
const PROBE_MS = 1_500;

/** Opens the state of the network; nothing is probed before the first job. */
export function openNetwork(options: NetworkOptions): Network {
  const { path, reach = reachAny, now = Date.now, suspectMs = 2_000 } = options;
  let known: NetworkState | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> = Promise.resolve();
  let probing: Promise<boolean> | null = null;

  async function state(): Promise<NetworkState | null> {
    if (now() - readAt >= READ_MS) {
      readAt = now();
      reading = read();
    }
    // Those who come while it is read must not take it for unknown.
    await reading;
    return known;
  }

  async function read(): Promise<void> {
    const kept = parseState(await readFile(path, 'utf8').catch(() => ''));
    if (kept !== null && kept.at >= (known?.at ?? -Infinity)) known = kept;
  }

  function probe(): Promise<boolean> {
    if (known?.reachable === true && now() - known.at < UP_MS) return Promise.resolve(true);
    probing ??= reach()
      .catch(() => false)
      .then(keep)
      .finally(() => (probing = null));
    return probing;
  }

  async function keep(reachable: boolean): Promise<boolean> {
    known = { reachable, at: now() };
    // A disk that fails leaves every process with what it finds out by itself.
    await replaceFile(path, JSON.stringify(known)).catch(() => {});
    return reachable;
  }

  return {
    state,
    probe,
    async run(place, signal, job) {
      const before = await state();
      signal.throwIfAborted();
      if (before?.reachable === false) {
        // Nobody waits for the next probe: who comes after it knows.
        if (now() - before.at >= DOWN_MS) void probe();
        throw offline(place);
      }
      const given = new AbortController();
      const doubt = (): void => void probe().then((isUp) => (isUp ? null : given.abort(offline(place))));
      const timer = setTimeout(doubt, before === null ? 0 : suspectMs);
      try {
        const answer = await job(AbortSignal.any([signal, given.signal]));
        if (before === null && known === null) void keep(true);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (given.signal.aborted) throw given.signal.reason;
        if (isNoAnswer(error) && !(await probe())) throw offline(place);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A source that is given up at once where there is no network. Put it around retries. */
export function withNetwork(source: ByteSource, network: Network): ByteSource {
  const { id } = source;
  return {
    id,
    stat: (options) => network.run(id, options.signal, (signal) => source.stat({ ...options, signal })),
    fetch: (offset, length, options) =>
      network.run(id, options.signal, (signal) => source.fetch(offset, length, { ...options, signal })),
  };
}

function offline(place: string): ByteSourceError {
  return new ByteSourceError('offline', place, 'this machine has no network');
}

function isNoAnswer(error: unknown): boolean {
  return error instanceof ByteSourceError && (error.kind === 'transport' || error.kind === 'timeout');
}

async function reachAny(): Promise<boolean> {
  return Promise.any(PROBED.map(reachHost)).then(
    () => true,
    () => false,
  );
}

function reachHost(host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: 443 });
    const end = (error?: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    const timer = setTimeout(() => end(new Error(`${host} did not answer within ${PROBE_MS} ms`)), PROBE_MS);
    socket.once('connect', () => end());
    socket.once('error', end);
  });
}

function parseState(text: string): NetworkState | null {
  try {
    const found: unknown = JSON.parse(text);
    if (!isRecord(found)) return null;
    const { reachable, at } = found;
    return typeof reachable === 'boolean' && typeof at === 'number' ? { reachable, at } : null;
  } catch {
    return null;
  }
}
