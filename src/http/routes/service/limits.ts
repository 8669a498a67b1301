import { Type } from 'typebox';
import { MAX_JWT_LENGTH } from '../../../auth/read-jwt.ts';
import type { App } from '../../server/app.ts';
import { MAX_FETCH_PAGE, MAX_FILTERS } from '../fetch/schemas.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../guards/idempotency-key.ts';
import { REFRESHES_PER_MINUTE, SPREAD_REFRESHES_PER_MINUTE } from '../tokens/refresh-token.ts';
import { POLLS_PER_MINUTE } from '../../guards/guard-requests.ts';
import { COMPRESS_FROM_BYTES } from '../../guards/compress-answers.ts';
import { FAILURES_PER_MINUTE, REPEATS_PER_MINUTE } from '../../guards/refused-credentials.ts';
import { TIMEOUTS, type ServerDeps } from '../../server/server-deps.ts';
import { POLL_AFTER_S } from '../../../jobs/poll-after.ts';
import type { ServiceLimit } from '../../server/server-deps.ts';
import { MAX_EVENT_STREAMS } from '../tasks/send-task-events.ts';

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
      name: 'compressed_from_bytes',
      value: COMPRESS_FROM_BYTES,
      unit: 'bytes',
      description:
        'Shorter answers are sent as they are; longer ones and streams are compressed where the client accepts it.',
    },
    {
      name: 'polls_per_minute',
      value: config.rateLimit === null ? null : POLLS_PER_MINUTE,
      unit: 'requests',
      description:
        'Looks at the state and results of own tasks, and the opening of their events; they are not counted as requests.',
    },
    {
      name: 'poll_after_least_s',
      value: POLL_AFTER_S.least,
      unit: 's',
      description: '`Retry-After` of a task that has just begun.',
    },
    { name: 'poll_after_most_s', value: POLL_AFTER_S.most, unit: 's', description: 'Retry-After of long work.' },
    {
      name: 'refused_credentials_per_minute',
      value: FAILURES_PER_MINUTE,
      unit: 'requests',
      description: 'From one address (IPv6: one /64); a valid credential from there is still accepted.',
    },
    {
      name: 'refused_repeats_per_minute',
      value: REPEATS_PER_MINUTE,
      unit: 'requests',
      description: 'With the same refused credential from one address.',
    },
    {
      name: 'refresh_token_per_minute',
      value: REFRESHES_PER_MINUTE,
      unit: 'requests',
      description: 'For one account from one address.',
    },
    {
      name: 'refresh_token_spread_per_minute',
      value: SPREAD_REFRESHES_PER_MINUTE,
      unit: 'requests',
      description:
        'From one address for any account, and for one account from any address; not where the account has signed in from the address before.',
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
      description: 'For a whole request to arrive, body included.',
    },
    {
      name: 'idle_seconds',
      value: timeouts.idleMs / 1000,
      unit: 's',
      description: 'Silence on a connection in both directions.',
    },
  ];
}
