import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Agent, Dispatcher } from 'undici';
import { objectStoreProblem } from './object-store.ts';
import { readS3Document, type S3Document } from './s3-xml.ts';

/** Where a bucket is and how requests to it are signed. */
export interface S3Place {
  /** Address of the bucket itself, without a slash at its end. */
  readonly bucketUrl: string;
  /** Put before every key; empty or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface S3Timing {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Milliseconds of silence after which a request has failed. */
  readonly silenceMs: number;
}

export const S3_TIMING: S3Timing = {
  now: Date.now,
  wait: (ms, signal) => sleep(ms, undefined, { ...(signal && { signal }) }),
  silenceMs: 30_000,
};

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  /** Null for the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses that are an answer and no failure, in addition to 200, 204 and 206. */
  readonly accept?: readonly number[];
  /** Hands the body over as it comes; else it is read and looked at as a document. */
  readonly streams?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface S3Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  /** The body of a request that streams. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The body of all others; null for what is no XML. */
  readonly document: S3Document | null;
  /** How often it was sent before. */
  readonly retries: number;
}

/** The tag of the object that an answer is about; empty where it names none. */
export function etagIn(headers: S3Answer['headers']): string {
  return String(headers['etag'] ?? '');
}

export interface S3Requests {
  readonly place: string;
  send(wanted: S3Request): Promise<S3Answer>;
  /** An address that is signed for so many seconds. */
  sign(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string>;
  close(): Promise<void>;
}

export const ATTEMPTS = 5;
const FIRST_WAIT_MS = 200;
const MOST_DOCUMENT_BYTES = 8_000_000;
const OK = new Set([200, 204, 206]);
/** What the next attempt may not meet, by status and by the code in the document. */
const PASSING_STATUS = new Set([408, 429, 500, 502, 503, 504]);
const PASSING_CODES = new Set([
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'RequestTimeout',
  'OperationAborted',
]);

const REMEDIES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket; check OBJECT_STORE_URL',
  SignatureDoesNotMatch: 'check AWS_SECRET_ACCESS_KEY, and AWS_REGION',
  InvalidAccessKeyId: 'check AWS_ACCESS_KEY_ID',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  AuthorizationHeaderMalformed: 'check AWS_REGION',
  PermanentRedirect: 'check AWS_REGION and OBJECT_STORE_URL',
  ExpiredToken: 'AWS_SESSION_TOKEN has expired',
};
const STATUS_REMEDIES: Readonly<Record<number, string>> = {
  301: REMEDIES['PermanentRedirect']!,
  401: 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  403: 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they may do there',
  404: 'check OBJECT_STORE_URL',
};

/** Sends signed requests to a bucket, again where that may help. */
export function openS3Requests(place: S3Place, { now, wait, silenceMs }: S3Timing): S3Requests {
  let agent: Agent | null = null;
  const { region, accessKeyId, secretAccessKey, sessionToken } = place;
  const keys = { accessKeyId, secretAccessKey, region, service: 's3', ...(sessionToken !== null && { sessionToken }) };
  const cache = new Map<string, ArrayBuffer>();
  const where = `${place.bucketUrl.replace(/^https?:\/\//, '')}/${place.prefix}`.replace(/\/$/, '');

  const signer = (
    method: string,
    { key, query = {} }: Pick<S3Request, 'key' | 'query'>,
    headers: Record<string, string>,
    signQuery = false,
  ) => {
    const url = new URL(key === null ? place.bucketUrl : `${place.bucketUrl}/${place.prefix}${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const datetime = new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, '');
    return new AwsV4Signer({ ...keys, method, url: url.href, headers, datetime, cache, signQuery });
  };

  const attempt = async (wanted: S3Request, retries: number): Promise<S3Answer> => {
    const { method, body = null, headers = {}, streams = false, signal } = wanted;
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signed = await signer(method, wanted, { ...headers, 'x-amz-content-sha256': hash }).sign();
    // Imported by the first request: this file is loaded by every service, and most have no bucket.
    const { Agent, request } = await import('undici');
    agent ??= new Agent({ headersTimeout: silenceMs, bodyTimeout: silenceMs, connect: { timeout: silenceMs } });
    const answer = await request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      body,
      dispatcher: agent,
      ...(signal && { signal }),
    });
    const { statusCode: status } = answer;
    if (streams && OK.has(status))
      return { status, headers: answer.headers, body: answer.body, document: null, retries };
    const document = readS3Document(await readAll(answer.body));
    return { status, headers: answer.headers, body: nothing(), document, retries };
  };

  return {
    place: where,
    async send(wanted) {
      if (wanted.key !== null) checkKey(wanted.key);
      for (let retries = 0; ; retries++) {
        const isLast = retries + 1 >= ATTEMPTS;
        let answer: S3Answer;
        try {
          answer = await attempt(wanted, retries);
        } catch (error) {
          wanted.signal?.throwIfAborted();
          if (isLast) throw objectStoreProblem(`The bucket ${where} cannot be reached: ${wordsOf(error)}`, error);
          await wait(pauseMs(retries), wanted.signal);
          continue;
        }
        // Some answers are begun with 200 before it is known how they end.
        const isError = answer.document?.root === 'Error';
        if (!isError && OK.has(answer.status)) return answer;
        const code = (isError && answer.document?.fields['Code']) || '';
        if (wanted.accept?.includes(answer.status) && code !== 'NoSuchBucket') return answer;
        const isPassing = PASSING_CODES.has(code) || PASSING_STATUS.has(answer.status);
        if (!isPassing || isLast) throw objectStoreProblem(refusal(where, wanted.method, answer.status, code));
        await wait(pauseMs(retries), wanted.signal);
      }
    },
    async sign(key, query, seconds) {
      const expiring = { ...query, 'X-Amz-Expires': String(seconds) };
      return (await signer('GET', { key, query: expiring }, {}, true).sign()).url.href;
    },
    close: async () => agent?.destroy(),
  };
}

function refusal(where: string, method: string, status: number, code: string): string {
  const remedy = REMEDIES[code] ?? STATUS_REMEDIES[status] ?? 'it was tried again as often as makes sense';
  return `The bucket ${where} answers ${method} with ${status}${code === '' ? '' : ` ${code}`}: ${remedy}.`;
}

/** Twice as long each time, with chance in it so that processes do not come back together. */
function pauseMs(retries: number): number {
  return FIRST_WAIT_MS * 2 ** retries * (0.5 + Math.random() / 2);
}

function wordsOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' ? (code ?? 'no answer') : message;
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MOST_DOCUMENT_BYTES) throw new Error(`a document of more than ${MOST_DOCUMENT_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/** Keys are made by this service; one that servers may read in different ways is a mistake of it. */
function checkKey(key: string): void {
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(key) || key.split('/').some((part) => part === '.' || part === '..'))
    throw new Error(`wanted a key of letters, digits, ".", "_", "-" and "/", got "${key}"`);
}
