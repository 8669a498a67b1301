import { createHash } from 'node:crypto';
import type { Dispatcher } from 'undici';

import type { ByteCounters } from '../counters.ts';
import { ByteSourceError, checkRange } from '../byte-error.ts';
import { createShared } from '../share.ts';
import type { ByteSource, ByteSourceInfo, FetchOptions } from '../byte-source.ts';
import { contentRange, refuseEncoded, refusePage, refuseStatus, versionOf } from './answer.ts';
import { readBody } from './body.ts';
import type { Landing } from './landing.ts';
import { nextAddress } from './redirect.ts';
import { requestUntil } from './request-until.ts';

export interface HttpSourceOptions {
  /** Time for one read, redirects and body included; default 30,000 ms. */
  readonly deadlineMs?: number;
  /** Longest range, in bytes; default 67,108,864. */
  readonly maxBytes?: number;
  /** Longest whole file that is taken from a server that ignores ranges; default 4,194,304 bytes. */
  readonly maxWholeBytes?: number;
  /** How long size and version are believed before `stat` checks again; default 300,000 ms. */
  readonly freshMs?: number;
  /** Milliseconds of a clock that never goes back; default `performance.now`. */
  readonly now?: () => number;
  /** Sent with every request to the first host, never to another one. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly dispatcher?: Dispatcher;
  readonly counters?: ByteCounters;
}

type Answer = Dispatcher.ResponseData;

type WholeLimits = Required<Pick<HttpSourceOptions, 'maxWholeBytes'>> & Pick<HttpSourceOptions, 'counters'>;

const DEFAULTS = { deadlineMs: 30_000, maxBytes: 67_108_864, maxWholeBytes: 4_194_304, freshMs: 300_000 } as const;
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MISSING: ReadonlySet<number> = new Set([404, 410]);
const DUMPED_BYTES = 131_072;

/**
 * The bytes at an http or https address, read by ranges. The first answer fixes size and version (ETag, else
 * Last-Modified); a later one that differs fails as `changed` and makes the next read begin again. Each read is one
 * request without retries: wrap it in `withRetries` and `withConcurrency`.
 */
export function httpSource(url: string, options: HttpSourceOptions = {}): ByteSource {
  const settings = { ...DEFAULTS, now: () => performance.now(), ...options };
  const id = withoutSecrets(url);
  const shareStat = createShared<ByteSourceInfo | null>();
  let known: ByteSourceInfo | null = null;
  let knownSince = 0;

  /** Compares what an answer says of the whole with what the first one said. */
  function agree(info: ByteSourceInfo): ByteSourceInfo {
    const before = known;
    if (before === null) knownSince = settings.now();
    known = info;
    if (before !== null && (before.size !== info.size || before.version !== info.version)) {
      known = null;
      const [was, is] = [before, info].map(({ size, version }) => `${size} bytes, version ${version ?? 'unknown'}`);
      throw new ByteSourceError('changed', id, `the file was ${was}, now it is ${is}`);
    }
    return info;
  }

  async function read<T>(
    offset: number,
    length: number,
    signal: AbortSignal,
    take: (answer: Answer, signal: AbortSignal, landing: Landing) => Promise<T>,
  ): Promise<T | null> {
    signal.throwIfAborted();
    const deadline = AbortSignal.timeout(settings.deadlineMs);
    const either = AbortSignal.any([signal, deadline]);
    let answer: Answer | null = null;
    try {
      const sent = await send(url, id, `bytes=${offset}-${offset + length - 1}`, either, settings);
      answer = sent.answer;
      if (MISSING.has(answer.statusCode)) {
        await answer.body.dump({ limit: DUMPED_BYTES });
        return null;
      }
      return await take(answer, either, sent.landing);
    } catch (error) {
      answer?.body.on('error', () => {}).destroy();
      if (signal.aborted) throw signal.reason;
      if (settings.counters) settings.counters.failures += 1;
      if (deadline.aborted)
        throw new ByteSourceError('timeout', id, `no complete answer within ${settings.deadlineMs} ms`, {
          cause: error,
        });
      if (error instanceof ByteSourceError) throw error;
      throw new ByteSourceError('transport', id, (error as Error).message, { cause: error });
    }
  }

  async function stat({ signal }: FetchOptions): Promise<ByteSourceInfo | null> {
    if (known !== null && settings.now() - knownSince < settings.freshMs) return known;
    return shareStat('stat', signal, async (inner) => {
      known = await read(0, 1, inner, (answer) => learn(id, answer, settings));
      knownSince = settings.now();
      return known;
    });
  }

  return {
    id,
    stat,
    async fetch(offset, length, { signal, onAnswer, into }) {
      checkRange(id, offset, length);
      if (length > settings.maxBytes)
        throw new ByteSourceError(
          'too_large',
          id,
          `wanted at most ${settings.maxBytes} bytes at once, got a request for ${length}`,
        );
      const info = length === 0 ? await stat({ signal }) : known;
      if (length === 0 && info === null) return null;
      if (info !== null) checkRange(id, offset, length, info.size);
      if (length === 0) return new Uint8Array(0);
      return read(offset, length, signal, async (answer, inner, landing) => {
        if (answer.statusCode === 200) onAnswer?.();
        if (answer.statusCode === 200) return takeWhole(id, answer, offset, length, settings, agree);
        if (answer.statusCode === 416)
          throw new ByteSourceError('past_end', id, `bytes ${offset} to ${offset + length} are past the end`, {
            status: 416,
          });
        refuseStatus(id, answer);
        onAnswer?.();
        const range = contentRange(id, answer);
        if (range.size !== null) agree({ size: range.size, version: versionOf(answer) });
        if (range.start === offset && range.end < offset + length && range.end === range.size)
          throw new ByteSourceError('past_end', id, `wanted bytes ${offset} to ${offset + length} of ${range.size}`);
        if (range.start !== offset || range.end !== offset + length)
          throw new ByteSourceError(
            'bad_range',
            id,
            `wanted bytes ${offset} to ${offset + length}, got ${range.start} to ${range.end}`,
          );
        return readBody(id, answer, length, { counters: settings.counters, into, signal: inner, landing });
      });
    },
  };
}

/** What an answer to the range of the first byte says of the whole. */
async function learn(id: string, answer: Answer, { maxWholeBytes, counters }: WholeLimits): Promise<ByteSourceInfo> {
  const version = versionOf(answer);
  const { 'content-length': length, 'content-range': range } = answer.headers;
  if (answer.statusCode === 200 && length === undefined) {
    refuseEncoded(id, answer);
    return { size: (await readBody(id, answer, null, { counters, limit: maxWholeBytes })).length, version };
  }
  await answer.body.dump({ limit: DUMPED_BYTES });
  if (answer.statusCode === 416 && range === 'bytes */0') return { size: 0, version };
  if (answer.statusCode === 200) {
    refuseEncoded(id, answer);
    return { size: Number(length), version };
  }
  refuseStatus(id, answer);
  const { size } = contentRange(id, answer);
  if (size === null)
    throw new ByteSourceError('bad_range', id, 'wanted the size of the file, got an answer without it');
  return { size, version };
}

/** A server that ignores ranges sends everything: good when that is what was wanted, or little. */
async function takeWhole(
  id: string,
  answer: Answer,
  offset: number,
  length: number,
  { maxWholeBytes, counters }: WholeLimits,
  agree: (info: ByteSourceInfo) => ByteSourceInfo,
): Promise<Uint8Array> {
  refuseEncoded(id, answer);
  refusePage(id, answer);
  const declared = answer.headers['content-length'];
  const limit = offset === 0 && Number(declared) === length ? length : maxWholeBytes;
  if (declared !== undefined && Number(declared) > limit) throw noRanges(id, `${declared} bytes`);
  const whole = await readBody(id, answer, declared === undefined ? null : Number(declared), { counters, limit }).catch(
    (error: unknown) => {
      throw error instanceof ByteSourceError && error.kind === 'too_large'
        ? noRanges(id, `more than ${limit} bytes`)
        : error;
    },
  );
  agree({ size: whole.length, version: versionOf(answer) });
  checkRange(id, offset, length, whole.length);
  return whole.subarray(offset, offset + length);
}

function noRanges(id: string, got: string): ByteSourceError {
  return new ByteSourceError(
    'no_ranges',
    id,
    `wanted a range (206), got the whole file of ${got} (200): the server does not support ranges`,
    { status: 200 },
  );
}

async function send(
  url: string,
  id: string,
  range: string,
  signal: AbortSignal,
  settings: HttpSourceOptions,
): Promise<{ readonly answer: Answer; readonly landing: Landing }> {
  let address = new URL(url);
  for (let redirects = 0; ; redirects++) {
    if (settings.counters) settings.counters.requests += 1;
    const own = address.origin === new URL(url).origin ? settings.headers : {};
    const landing: Landing = { into: null };
    const answer = await requestUntil(address, {
      headers: { ...own, range, 'accept-encoding': 'identity' },
      signal,
      // The deadline rules; the client's own timers would cut in between.
      headersTimeout: 0,
      bodyTimeout: 0,
      landing,
      ...(settings.dispatcher ? { dispatcher: settings.dispatcher } : {}),
    });
    if (!REDIRECTS.has(answer.statusCode)) return { answer, landing };
    await answer.body.dump({ limit: DUMPED_BYTES });
    if (redirects === MAX_REDIRECTS)
      throw new ByteSourceError('redirect', id, `wanted at most ${MAX_REDIRECTS} redirects, got more`, {
        status: answer.statusCode,
      });
    address = nextAddress(id, address, answer);
  }
}

/** Credentials and the query, which may hold keys and signatures, are named by their hash alone. */
function withoutSecrets(url: string): string {
  const { protocol, origin, pathname, search, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`wanted an http or https address, got ${protocol}`);
  const secret = `${search}${username}${password}`;
  const hash = secret === '' ? '' : `#${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;
  return `${origin}${pathname}${hash}`;
}
