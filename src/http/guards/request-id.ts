import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SANE = /^[\w.:+/=-]{8,128}$/;

/** The client's `X-Request-Id` when it is 8 to 128 harmless characters, so that a request can be followed through several services; a new one otherwise. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && SANE.test(sent) ? sent : randomUUID();
}
