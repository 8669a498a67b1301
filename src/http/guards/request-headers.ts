import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { Problem } from '../../errors.ts';
import type { AnyRequest } from '../server/app.ts';

/** Every value of every header by lower-case name, from Node's raw list of names and values. Node's own object joins or drops duplicates. */
export function distinctHeaders(rawHeaders: readonly string[]): Record<string, string[] | undefined> {
  const headers: Record<string, string[] | undefined> = Object.create(null) as Record<string, string[] | undefined>;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    (headers[name] ??= []).push(rawHeaders[i + 1]!);
  }
  return headers;
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** A string of RFC 8941: printable ASCII in quotation marks, `\"` and `\\` escaped. */
const QUOTED = /^"((?:[\u0020-\u0021\u0023-\u005b\u005d-\u007e]|\\["\\])*)"$/;
const BARE = /^[\u0021\u0023-\u002b\u002d-\u007e]+$/;

/** For the reference; `idempotencyKey` reads and checks it. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'Text of your choice, new for each request and the same when it is sent again: the first one is answered for once more, and nothing is begun twice.',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    }),
  ),
});

/** The idempotency key of a request; see `idempotencyKey`. */
export function idempotencyKeyOf({ raw }: AnyRequest): string | null {
  return idempotencyKey(distinctHeaders(raw.rawHeaders)['idempotency-key']);
}

/**
 * The key of an `Idempotency-Key` header, which the IETF draft writes as a quoted string and most clients without quotes;
 * null when there is none. `values` are all values of the header. Throws `Problem('malformed_header')` for an empty, too
 * long, doubled or unreadable one.
 */
export function idempotencyKey(values: readonly string[] | undefined): string | null {
  if (values === undefined || values.length === 0) return null;
  if (values.length > 1)
    throw new Problem('malformed_header', `Idempotency-Key was sent ${values.length} times; wanted once.`);
  const text = values[0]!.trim();
  const quoted = QUOTED.exec(text);
  const key = quoted !== null ? quoted[1]!.replaceAll(/\\(["\\])/g, '$1') : BARE.test(text) ? text : '';
  if (key === '' || key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    throw new Problem(
      'malformed_header',
      `Idempotency-Key: wanted 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters, in quotation marks or without spaces, commas and quotation marks.`,
    );
  return key;
}

const SANE = /^[\w.:+/=-]{8,128}$/;

/** The client's `X-Request-Id` when it is 8 to 128 harmless characters, so that a request can be followed through several services; a new one otherwise. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID();
}
