import type { Dispatcher } from 'undici';

import { ByteSourceError } from '../byte-error.ts';
import { retryAfterMs } from './retry-after.ts';

type Answer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>;

/** Lets only 206 without a content coding through. */
export function refuseStatus(place: string, answer: Answer): void {
  const { statusCode: status, headers } = answer;
  if (status === 206) {
    refuseEncoded(place, answer);
    return;
  }
  const wait = retryAfterMs(one(headers['retry-after']), Date.now());
  throw new ByteSourceError('status', place, `wanted status 206, got ${status}`, {
    status,
    ...(wait === null ? {} : { retryAfterMs: wait }),
  });
}

export function refuseEncoded(place: string, { headers, statusCode: status }: Answer): void {
  const encoding = one(headers['content-encoding'])?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    throw new ByteSourceError('encoded', place, `wanted the bytes as they are, got them encoded with ${encoding}`, {
      status,
    });
}

/** A web page in place of a file: a login, an error page, or a house that has moved. */
export function refusePage(place: string, { headers, statusCode: status }: Answer): void {
  if (one(headers['content-type'])?.toLowerCase().startsWith('text/html') === true)
    throw new ByteSourceError('refused', place, 'wanted a file, got a web page', { status });
}

/** `Content-Range` of a 206 as offsets, `end` exclusive; `size` is null where the server does not say. */
export function contentRange(place: string, { headers }: Answer): { start: number; end: number; size: number | null } {
  const text = one(headers['content-range']);
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(text ?? '');
  if (match === null || Number(match[2]) < Number(match[1]))
    throw new ByteSourceError(
      'bad_range',
      place,
      `wanted a Content-Range such as bytes 0-9/100, got ${text ?? 'none'}`,
      { status: 206 },
    );
  return { start: Number(match[1]), end: Number(match[2]) + 1, size: match[3] === '*' ? null : Number(match[3]) };
}

/** The ETag, else Last-Modified, else null. */
export function versionOf({ headers }: Answer): string | null {
  return one(headers.etag) ?? one(headers['last-modified']) ?? null;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
