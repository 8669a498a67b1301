import { Type } from 'typebox';
import type { TracesService } from '../../../service/traces/traces.ts';
import { actorOf } from '../../guards/audit.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { done, DoneSchema } from '../messages-schema.ts';
import { abortedByClose } from '../fetch/collections-fetch.ts';
import { CredentialsBody, EnvironmentSchema, KindSchema, StatusSchema, VerificationSchema } from './schemas.ts';

const MAX_CREDENTIALS_BYTES = 16_384;
const Params = Type.Object({ environment: EnvironmentSchema });
const Message = DoneSchema('It is done.');
const Numbers = {
  reference_number: Type.String({ minLength: 1, maxLength: 14, examples: ['26BEABCDEFGHI'] }),
  verification_number: Type.String({ minLength: 5, maxLength: 35, examples: ['ABCD1234'] }),
  environment: Type.Optional(EnvironmentSchema),
};
const Where = Type.Object({ environment: Type.Optional(EnvironmentSchema) }, { additionalProperties: false });
const FAILURES = problemResponses(['filing_credentials_missing', 'information_system_refused', 'conflict']);

/** Credentials of the caller, and the calls that need nothing but them. */
export function credentialRoutes(app: App, traces: TracesService): void {
  statusRoute(app, traces);
  setCredentialsRoute(app, traces);
  removeCredentialsRoute(app, traces);
  echoRoute(app, traces);
  verifyRoute(app, traces);
  retrieveRoute(app, traces);
}

function statusRoute(app: App, traces: TracesService): void {
  app.get(
    '/traces',
    {
      config: { access: 'traces' },
      schema: {
        operationId: 'getFilingStatus',
        summary: 'Where you can file',
        description:
          'The environments that this service files in, and where you have credentials. Credentials are never shown.',
        tags: ['traces'],
        response: { 200: StatusSchema },
      },
    },
    async (request) => {
      const { environments, credentials } = await traces.status(principalOf(request).userId);
      return {
        environments: [...environments],
        credentials: credentials.map(({ environment, updatedAt }) => ({
          environment,
          updated_at: updatedAt.toISOString(),
        })),
      };
    },
  );
}

function setCredentialsRoute(app: App, traces: TracesService): void {
  app.put(
    '/traces/credentials/:environment',
    {
      bodyLimit: MAX_CREDENTIALS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'setFilingCredentials',
        summary: 'Set your credentials for the information system',
        description: 'They are sealed with the keys of the operator, and neither shown nor logged.',
        tags: ['traces'],
        params: Params,
        body: CredentialsBody,
        response: { 200: Message, ...problemResponses(['invalid_body', 'conflict']) },
      },
    },
    async (request) => {
      const {
        username,
        authentication_key: authenticationKey,
        client_id: clientId,
        body_identity: identity,
      } = request.body;
      const credentials = { username, authenticationKey, clientId, bodyIdentity: identity ?? null };
      const { environment } = request.params;
      await traces.setCredentials(principalOf(request).userId, environment, credentials, actorOf(request));
      return done(`Your credentials for ${environment} are kept sealed.`);
    },
  );
}

function removeCredentialsRoute(app: App, traces: TracesService): void {
  app.delete(
    '/traces/credentials/:environment',
    {
      config: { access: 'traces' },
      schema: {
        operationId: 'removeFilingCredentials',
        summary: 'Remove your credentials',
        description: 'Submissions that wait stay waiting until there are credentials again.',
        tags: ['traces'],
        params: Params,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { environment } = request.params;
      const removed = await traces.removeCredentials(principalOf(request).userId, environment, actorOf(request));
      return done(
        removed ? `Your credentials for ${environment} are removed.` : `You had no credentials for ${environment}.`,
      );
    },
  );
}

function echoRoute(app: App, traces: TracesService): void {
  app.post(
    '/traces/echo',
    {
      bodyLimit: MAX_CREDENTIALS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'echoFiling',
        summary: 'Try your credentials',
        description:
          'Calls the echo of the information system, which is meant for the acceptance environment; it files nothing.',
        tags: ['traces'],
        body: Where,
        response: { 200: Type.Object({ status: Type.String({ examples: ['OK'] }) }), ...FAILURES },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      return { status: await traces.echo(principalOf(request).userId, request.body.environment ?? null, signal) };
    },
  );
}

function verifyRoute(app: App, traces: TracesService): void {
  app.post(
    '/traces/verify',
    {
      bodyLimit: MAX_CREDENTIALS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'verifyDeclaration',
        summary: 'Verify a reference and verification number',
        description: 'Of any statement or declaration, such as one of a supplier.',
        tags: ['traces'],
        body: Type.Object(Numbers, { additionalProperties: false }),
        response: { 200: VerificationSchema, ...FAILURES },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      const {
        reference_number: referenceNumber,
        verification_number: verificationNumber,
        environment = null,
      } = request.body;
      const numbers = { referenceNumber, verificationNumber };
      const { result, status, dateTime } = await traces.verify(
        principalOf(request).userId,
        environment,
        numbers,
        signal,
      );
      return { result, status, date_time: dateTime };
    },
  );
}

function retrieveRoute(app: App, traces: TracesService): void {
  app.post(
    '/traces/retrieve',
    {
      bodyLimit: MAX_CREDENTIALS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'retrieveStatement',
        summary: 'Retrieve a statement by its numbers',
        description:
          'Your own, or one that yours groups, with the names of the V3 interface; null where there is none, or you may not see it. Small and medium downstream operators can verify alone.',
        tags: ['traces'],
        body: Type.Object({ ...Numbers, kind: Type.Optional(KindSchema) }, { additionalProperties: false }),
        response: { 200: Type.Object({ statement: Type.Unknown() }), ...FAILURES },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      const {
        reference_number: referenceNumber,
        verification_number: verificationNumber,
        environment = null,
        kind = 'dds',
      } = request.body;
      const numbers = { referenceNumber, verificationNumber };
      return { statement: await traces.retrieve(principalOf(request).userId, environment, kind, numbers, signal) };
    },
  );
}
