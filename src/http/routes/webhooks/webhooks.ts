import { hasDuplicateKeys } from '../../../auth/has-duplicate-keys.ts';
import { Problem } from '../../../errors.ts';
import { ROTATION_OVERLAP_S, type TestResult, type WebhookService } from '../../../service/webhooks/webhooks.ts';
import { acceptedLanguage } from '../../../messages/languages.ts';
import { diagnoseSignature, type SignatureFinding } from '../../../webhooks/diagnose-signature.ts';
import { FAILURE_REASONS } from '../../../webhooks/delivery.ts';
import { principalOf, type App } from '../../server/app.ts';
import { actorOf } from '../../guards/audit.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { done } from '../messages-schema.ts';
import {
  ChangedWebhook,
  DiagnosisSchema,
  MessageSchema,
  ChangedSchema,
  NewlyRegisteredSchema,
  NewWebhook,
  RegisteredSchema,
  RotateQuery,
  TestSchema,
  VerifyBody,
  WebhookSchema,
} from './schemas.ts';
import { outcomeView, webhookView } from './view.ts';
import { deliveryRoutes } from './deliveries.ts';

/** A registration needs no more. */
const MAX_REGISTRATION_BYTES = 16_384;

/** Webhooks of the caller: registration, test, secret, diagnosis, and the log of deliveries. */
export function webhookRoutes(webhooks: WebhookService) {
  return (app: App): void => {
    refuseRepeatedNames(app);
    registerRoute(app, webhooks);
    changeRoute(app, webhooks);
    showRoute(app, webhooks);
    removeRoute(app, webhooks);
    testRoute(app, webhooks);
    secretRoutes(app, webhooks);
    deliveryRoutes(app, webhooks);
  };
}

function registerRoute(app: App, webhooks: WebhookService): void {
  app.post(
    '/webhooks/register',
    {
      bodyLimit: MAX_REGISTRATION_BYTES,
      config: { access: 'webhooks' },
      schema: {
        operationId: 'registerWebhook',
        summary: 'Register your webhook',
        description:
          'One per user. It gets `batch_zonal_stats_complete` and `test_event`, and `batch_failed` and `collection_changed` when `events` names them. The answer is the only one that shows the secret.',
        tags: ['webhooks'],
        body: NewWebhook,
        response: {
          200: NewlyRegisteredSchema,
          ...problemResponses(['webhook_exists', 'webhook_url_not_https', 'webhook_url_refused', 'invalid_body']),
        },
      },
    },
    async (request) => {
      const { userId, email } = principalOf(request);
      const { url: text, events: wanted = [] } = request.body;
      const by = actorOf(request);
      const language = acceptedLanguage(request.headers['accept-language']);
      const registered = await webhooks.register(userId, text, { email, language, events: wanted, by });
      const { url, events, clientSecret, warnings = [] } = registered;
      return { url, client_secret: clientSecret, events: [...events], warnings: [...warnings] };
    },
  );
}

function changeRoute(app: App, webhooks: WebhookService): void {
  app.patch(
    '/webhooks',
    {
      bodyLimit: MAX_REGISTRATION_BYTES,
      config: { access: 'webhooks' },
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change the address or the events of your webhook',
        description:
          'What is left out stays, the secret in any case. With another address a pause ends, and what still waits is sent there.',
        tags: ['webhooks'],
        body: ChangedWebhook,
        response: {
          200: ChangedSchema,
          ...problemResponses(['webhook_not_found', 'webhook_url_not_https', 'webhook_url_refused', 'invalid_body']),
        },
      },
    },
    async (request) => {
      const { userId, email } = principalOf(request);
      const { url, events } = request.body;
      const change = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) };
      const language = acceptedLanguage(request.headers['accept-language']);
      const changed = await webhooks.change(userId, { email, language, by: actorOf(request), ...change });
      return { ...webhookView(changed), warnings: [...(changed.warnings ?? [])] };
    },
  );
}

function showRoute(app: App, webhooks: WebhookService): void {
  app.get(
    '/webhooks',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'getWebhook',
        summary: 'Your webhook',
        description: 'Without its secret, which only registration and rotation show.',
        tags: ['webhooks'],
        response: { 200: WebhookSchema, ...problemResponses(['webhook_not_found']) },
      },
    },
    async (request) => webhookView(await webhooks.find(principalOf(request).userId)),
  );
}

function removeRoute(app: App, webhooks: WebhookService): void {
  app.delete(
    '/webhooks/remove',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'removeWebhook',
        summary: 'Remove your webhook',
        description: 'Cancels what was still to be sent. The log of deliveries stays.',
        tags: ['webhooks'],
        response: { 200: MessageSchema, ...problemResponses(['webhook_not_found']) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      await webhooks.remove(userId, actorOf(request));
      return done('Your webhook is removed and what was still to be sent is cancelled.');
    },
  );
}

function testRoute(app: App, webhooks: WebhookService): void {
  app.post(
    '/webhooks/test',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description:
          'Sends a `test_event` to your webhook at once, one attempt without retries, and answers with what came of it. While two secrets are in force, a test that is not answered with 200 is sent once more, signed with the other one. A success ends a pause.',
        tags: ['webhooks'],
        response: { 200: TestSchema, ...problemResponses(['webhook_not_found']) },
      },
    },
    async (request) => {
      const result = await webhooks.test(principalOf(request).userId);
      const { deliveryId, outcome, secret, refusedBefore } = result;
      return {
        ...done(testMessage(result)),
        delivered: outcome !== null && outcome.reason === null,
        delivery_id: deliveryId,
        signed_with: secret,
        refused_before: refusedBefore === null ? null : outcomeView(refusedBefore),
        attempt: outcome === null ? null : outcomeView(outcome),
      };
    },
  );
}

/** A mistake with the codes of its texts. */
function findingView(finding: SignatureFinding) {
  const code = `signature.${finding.code}`;
  return {
    ...finding,
    messages: { detail: [{ code, params: {} }], fix: [{ code: `${code}.fix`, params: {} }] },
  };
}

const SECRET_NAMES = { current: 'the new secret', previous: 'the secret before' } as const;

function testMessage({ outcome, secret, refusedBefore }: TestResult): string {
  if (outcome === null) return 'The test webhook was interrupted because the service is stopping.';
  const signed = secret === null ? '' : ` It was signed with ${SECRET_NAMES[secret]}`;
  const before = refusedBefore === null ? '' : `; signed with the other one, the answer was ${refusedBefore.status}`;
  const signature = signed === '' ? '' : `${signed}${before}.`;
  if (outcome.reason === null) return `The test webhook was sent and the receiver answered 200.${signature}`;
  const status = outcome.status === null ? '' : ` The status was ${outcome.status}.`;
  return `The test webhook was not delivered. ${outcome.detail ?? FAILURE_REASONS[outcome.reason]}${status}${signature}`;
}

function secretRoutes(app: App, webhooks: WebhookService): void {
  app.post(
    '/webhooks/rotate',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Get a new secret',
        description:
          'The secret before signs as well for 24 hours. Until your receiver accepts the new one the old one has the first attempt of each delivery; every attempt carries both in `webhook-signature`.',
        tags: ['webhooks'],
        querystring: RotateQuery,
        response: {
          200: { ...RegisteredSchema, description: 'The new secret; it is not shown again.' },
          ...problemResponses(['webhook_not_found']),
        },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      const { url, clientSecret } = await webhooks.rotate(
        userId,
        request.query.revoke_now === true ? 0 : ROTATION_OVERLAP_S,
        actorOf(request),
      );
      return { url, client_secret: clientSecret };
    },
  );

  app.post(
    '/webhooks/verify',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'diagnoseWebhookSignature',
        summary: 'Find out why a signature does not verify',
        description:
          'Give what your receiver has; the answer names the mistake: parsed bodies, re-encoded text, a trimmed secret, milliseconds, and others.',
        tags: ['webhooks'],
        body: VerifyBody,
        response: { 200: DiagnosisSchema, ...problemResponses(['webhook_not_found', 'invalid_body']) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      const { body, signature, computed, secret, delivery_id: deliveryId } = request.body;
      const secrets = await webhooks.secrets(userId);
      const sent = deliveryId === undefined ? null : await webhooks.get(userId, deliveryId);
      if (deliveryId !== undefined && sent === null)
        throw new Problem('delivery_not_found', 'You have no delivery with this id.');
      const diagnosis = diagnoseSignature({
        body,
        header: signature,
        secrets,
        ...(computed !== undefined && { computed }),
        ...(secret !== undefined && { heldSecret: secret }),
        ...(sent?.payload && { sentBody: sent.payload }),
      });
      return { verified: diagnosis.verified, findings: diagnosis.findings.map(findingView) };
    },
  );
}

/** A name given twice means different things to different readers, and here it may name an address to send to. */
function refuseRepeatedNames(app: App): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      const body = String(text);
      if (body.trim() === '') return done(null, undefined);
      const value: unknown = JSON.parse(body);
      if (hasDuplicateKeys(body)) throw new Problem('malformed_body', 'The body names a member twice.');
      return done(null, value);
    } catch (error) {
      if (error instanceof Problem) return done(error);
      return done(new Problem('malformed_body', 'The body is not JSON.', { cause: error }));
    }
  });
}
