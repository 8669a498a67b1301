import type { Config } from '../../config/settings.ts';
import type { App } from '../server/app.ts';
import { addVary } from './vary.ts';

/** Headers that a page of another origin may send. Those of trusted services are not for browsers. */
const SENT = [
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'mcp-protocol-version',
  'range',
  'traceparent',
  'tracestate',
  'x-request-id',
];
/** Headers of answers that such a page may read, next to those that every page may. */
const READ = [
  'accept-ranges',
  'allow',
  'content-crs',
  'content-disposition',
  'content-range',
  'etag',
  'link',
  'location',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-kept',
  'x-max-zoom',
  'x-request-id',
];
/** A method that an address does not know is answered by 405, which the page then reads. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Seconds a browser remembers what it was allowed: the longest that Chromium does. */
const REMEMBERED_S = 7_200;

/**
 * Lets pages of the origins that the operator names call the service (CORS): exactly those, and without cookies, which the
 * service does not know. Call it before the guards, so that a page reads why it was refused. Without origins nothing changes.
 */
export function allowOrigins(app: App, { corsOrigins }: Pick<Config, 'corsOrigins'>): void {
  if (corsOrigins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || !corsOrigins.includes(origin)) return;
    const wanted = request.headers['access-control-request-method'];
    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || wanted === undefined) {
      reply.header('access-control-expose-headers', READ.join(', '));
      return;
    }
    reply.header('access-control-allow-methods', METHODS.join(', '));
    reply.header('access-control-allow-headers', SENT.join(', '));
    reply.header('access-control-max-age', String(REMEMBERED_S));
    return reply.code(204).send();
  });
  // Caches between must not give one origin's answer, or that of a request without one, to another.
  app.addHook('onSend', async (_request, reply) => addVary(reply, 'origin'));
}
