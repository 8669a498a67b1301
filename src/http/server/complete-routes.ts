import { Type, type TSchema } from 'typebox';
import { ERROR_DOCS, ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import type { App, KnownRoute } from './app.ts';
import { Messages } from '../routes/messages-schema.ts';
import { PROBLEM_TITLES, PROBLEM_TYPE } from '../problems/send-problem.ts';

const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);

const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'Page that describes the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'One sentence that names what was wanted and what came.' }),
    code: Type.Unsafe<ErrorCode>({
      type: 'string',
      enum: Object.keys(ERROR_STATUS),
      description: 'Stable; out of a closed list.',
    }),
    request_id: Type.String({ description: 'Finds the request in the logs.' }),
    messages: Messages,
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.Optional(
            Type.String({ description: 'JSON pointer into the body, or /query/name, /path/name, /header/name.' }),
          ),
          index: Type.Optional(Type.Integer({ description: 'Position of the feature, from 0.' })),
          code: Type.String(),
          detail: Type.String(),
          messages: Messages,
        }),
      ),
    ),
  },
  { $id: 'Problem', title: 'Problem', description: 'An error as RFC 9457 writes it.' },
);

/**
 * Completes every route as it is registered: a query schema that refuses unknown parameters, the errors any route can answer
 * with, and its security for the reference. A route that does not say who may call it stops the start. `app.knownRoutes`
 * lists them.
 */
export function completeRoutes(app: App): void {
  const routes: KnownRoute[] = [];
  app.decorate('knownRoutes', routes);
  app.addSchema(ProblemSchema);
  app.addHook('onRoute', (route) => {
    const access = route.config?.access;
    if (access === undefined)
      throw new Error(`${String(route.method)} ${route.url}: config.access is missing; wanted who may call this route`);
    for (const method of [route.method].flat()) routes.push({ method, url: route.url, access });
    const schema = (route.schema ??= {});
    schema.querystring ??= Type.Object({}, { additionalProperties: false });
    const hasBody = [route.method].flat().some((method) => BODY_METHODS.has(method));
    const codes: ErrorCode[] = ['invalid_parameter', 'not_acceptable'];
    if (hasBody) codes.push('malformed_body', 'too_large', 'unsupported_media_type');
    if (schema.params !== undefined) codes.push('not_found');
    if (access !== 'public') codes.push('invalid_token', 'rate_limited', 'dependency_unavailable');
    if (access !== 'public' && access !== 'authenticated') codes.push('forbidden');
    schema.response = { ...problemResponses(codes), ...(schema.response as Record<string, unknown> | undefined) };
    schema.security ??= access === 'public' ? [] : [{ bearer: [] }, { internalKey: [], userId: [] }];
  });
}

/** Response schemas of error codes, for routes with errors of their own. Codes that share a status share an entry; the first one is the example. */
export function problemResponses(codes: readonly ErrorCode[]): Record<string, TSchema> {
  const responses: Record<string, unknown> = {};
  for (const code of codes) {
    const status = ERROR_STATUS[code];
    const title = PROBLEM_TITLES[code];
    const { when, remedy } = ERROR_DOCS[code];
    responses[status] ??= {
      description: `${when} ${remedy}`,
      content: {
        [PROBLEM_TYPE]: {
          schema: { $ref: 'Problem#' },
          example: {
            type: `/problems/${code}`,
            title,
            status,
            detail: when,
            code,
            request_id: '0d3f0a52-6f0f-4e0f-8a53-1c5b2f1f8f0e',
          },
        },
      },
    };
  }
  return responses as Record<string, TSchema>;
}
