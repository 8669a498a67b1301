import swagger from '@fastify/swagger';
import { Type } from 'typebox';
import { webhookOperations } from '../routes/webhooks/event-schemas.ts';
import type { App } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';

const DESCRIPTION = `Rates how likely a place is a first-mile aggregation point of a commodity, from indicators that each come with
a receipt: what was looked for, in which dataset, what was found and what it took from the score.

**Access.** Send \`Authorization: Bearer\` with an API token (\`fm_...\`) or a JWT. A trusted service may send \`x-internal-api-key\` with \`x-user-id\` in its place.

**Errors.** Every error is \`application/problem+json\` (RFC 9457) with a stable \`code\`, a \`detail\` that names what was wanted and what came, and a \`request_id\`.

**Limits.** \`/limits\` lists all of them. Answers carry \`RateLimit-*\` headers; a refusal carries \`Retry-After\`.`;

const TAGS = [
  { name: 'facilities', description: 'Is this place a real first-mile aggregation point?' },
  { name: 'locations', description: 'Messy files in, clean and checked locations out.' },
  { name: 'forest', description: 'Which patch of forest holds this point?' },
  { name: 'plots', description: 'Is this one plot, or clearly two things?' },
  { name: 'parcels', description: 'Which parcel of land holds this point?' },
  { name: 'collections', description: 'Files of plots: staged, processed, followed, fetched, deleted.' },
  { name: 'reviews', description: 'What people decided about locations and rated places, next to what was found.' },
  { name: 'maps', description: 'OGC API - Features and vector tiles, for QGIS, GDAL and maps in browsers.' },
  { name: 'law', description: 'The EU deforestation regulation as dated tables.' },
  {
    name: 'traces',
    description: 'Statements filed with the EU information system: checked, submitted, followed, amended.',
  },
  { name: 'tasks', description: 'Work that outlives its request: state, results, events.' },
  { name: 'webhooks', description: 'Signed notices of finished work, and the log of their deliveries.' },
  { name: 'access', description: 'Tokens and sign-in.' },
  { name: 'service', description: 'The service itself: health, limits, datasets, metrics.' },
];

interface OpenApiOptions {
  readonly version: string;
  /** Address clients reach the service at; null: the one the document was read from. */
  readonly publicUrl: string | null;
}

/** Describes every route, from the schemas that check its requests, as OpenAPI 3.1 at `/openapi.json`. Register before the routes. */
export function describeApi(app: App, { version, publicUrl }: OpenApiOptions): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Firstmile',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl ?? '/', description: 'This installation' }],
      tags: TAGS,
      webhooks: webhookOperations(),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API token (fm_...) or a JWT.' },
          internalKey: {
            type: 'apiKey',
            in: 'header',
            name: 'x-internal-api-key',
            description: 'For trusted services, together with x-user-id.',
          },
          userId: {
            type: 'apiKey',
            in: 'header',
            name: 'x-user-id',
            description: 'The user a trusted service acts for.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, i) =>
        typeof schema['$id'] === 'string' ? schema['$id'] : `def-${i}`,
    },
  });
}

export function openApiRoutes(app: App): void {
  let document: { readonly json: string; readonly etag: string } | null = null;
  app.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getOpenApi',
        summary: 'This description',
        description: 'OpenAPI 3.1, made from the schemas that check the requests.',
        tags: ['service'],
        response: {
          200: Type.Object({}, { description: 'The description.', additionalProperties: true }),
          304: Type.Null({ description: 'You have it already.' }),
        },
      },
    },
    async (request, reply) => {
      if (document === null) {
        const json = JSON.stringify(app.swagger());
        document = { json, etag: etagOf(json) };
      }
      reply.headers({ etag: document.etag, 'cache-control': 'public, max-age=60' });
      if (etagMatches(request.headers['if-none-match'], document.etag)) return reply.code(304).send(null);
      return reply.type('application/json').send(document.json as never);
    },
  );
}
