import { Type } from 'typebox';
import { MAX_JWT_LENGTH } from '../auth/read-jwt.ts';
import type { App } from './app.ts';
import { MAX_FETCH_PAGE, MAX_FILTERS } from './collections-fetch-schemas.ts';
import { FAILURES_PER_MINUTE } from './guard-requests.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from './idempotency-key.ts';
import { REFRESHES_PER_MINUTE } from './refresh-token.ts';
import { TIMEOUTS, type ServerDeps } from './server-deps.ts';
import type { ServiceLimit } from '../service/limits.ts';
import { MAX_EVENT_STREAMS } from './send-task-events.ts';

/** Request line of GET /validate_facility: the geometry is in it. */
export const MAX_URL_LENGTH = 16_384;
export const MAX_HEADER_BYTES = 32_768;
/** JSON bodies; uploads have a limit of their own. */
export const MAX_JSON_BYTES = 1_048_576;

const LimitSchema = Type.Object({
  name: Type.String(),
  value: Type.Union([Type.Number(), Type.String(), Type.Null()], { description: 'null: not limited.' }),
  unit: Type.String(),
  description: Type.String(),
});

export function limitRoutes(deps: ServerDeps) {
  const limits = [...httpLimits(deps), ...deps.limits];
  return (app: App): void => {
    app.get(
      '/limits',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getLimits',
          summary: 'Every limit in force',
          description: 'Sizes, rates, deadlines and thresholds this installation works with.',
          tags: ['service'],
          response: { 200: Type.Object({ limits: Type.Array(LimitSchema) }, { description: 'The limits.' }) },
        },
      },
      async (_request, reply) => reply.header('cache-control', 'public, max-age=60').send({ limits }),
    );
  };
}

function httpLimits({ config, timeouts = TIMEOUTS }: ServerDeps): readonly ServiceLimit[] {
  const perPrincipal = 'A principal, counted by each process for itself; the internal key has no such limit.';
  return [
    {
      name: 'requests_per_minute',
      value: config.rateLimit?.perMinute ?? null,
      unit: 'requests',
      description: perPrincipal,
    },
    {
      name: 'requests_per_hour',
      value: config.rateLimit?.perHour ?? null,
      unit: 'requests',
      description: perPrincipal,
    },
    {
      name: 'refused_credentials_per_minute',
      value: FAILURES_PER_MINUTE,
      unit: 'requests',
      description: 'From one address (IPv6: one /64).',
    },
    {
      name: 'refresh_token_per_minute',
      value: REFRESHES_PER_MINUTE,
      unit: 'requests',
      description: 'From one address, and for one account.',
    },
    { name: 'url_length', value: MAX_URL_LENGTH, unit: 'characters', description: 'Path and query of a request.' },
    { name: 'header_bytes', value: MAX_HEADER_BYTES, unit: 'bytes', description: 'Request line and headers together.' },
    {
      name: 'json_body_bytes',
      value: MAX_JSON_BYTES,
      unit: 'bytes',
      description: 'A JSON body; uploads of files have a limit of their own.',
    },
    {
      name: 'jwt_length',
      value: MAX_JWT_LENGTH,
      unit: 'characters',
      description: 'A JWT in the Authorization header.',
    },
    { name: 'fetch_page', value: MAX_FETCH_PAGE, unit: 'features', description: '`limit` of the fetch endpoints.' },
    {
      name: 'fetch_filters',
      value: MAX_FILTERS,
      unit: 'columns',
      description: 'Columns one fetch request may filter by.',
    },
    {
      name: 'idempotency_key_length',
      value: MAX_IDEMPOTENCY_KEY_LENGTH,
      unit: 'characters',
      description: 'Idempotency-Key, without quotation marks.',
    },
    {
      name: 'event_streams',
      value: MAX_EVENT_STREAMS,
      unit: 'connections',
      description: 'Open at the same time by one principal.',
    },
    {
      name: 'header_seconds',
      value: timeouts.headersMs / 1000,
      unit: 's',
      description: 'For the headers of a request to arrive.',
    },
    {
      name: 'request_seconds',
      value: timeouts.requestMs / 1000,
      unit: 's',
      description: 'For a whole request, body included, to arrive.',
    },
    {
      name: 'idle_seconds',
      value: timeouts.idleMs / 1000,
      unit: 's',
      description: 'Silence on a connection in both directions.',
    },
  ];
}
