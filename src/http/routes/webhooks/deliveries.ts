import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import type { WebhookService } from '../../../service/webhooks/webhooks.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { DeliveryPage, DeliveryQuery, DeliveryWithAttempts, RedeliverSince } from './schemas.ts';
import { attemptView, deliveryView } from './view.ts';

const Params = Type.Object({
  delivery_id: Type.String({ description: '`id` from the list.', examples: ['0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'] }),
});
const RedeliveredSchema = Type.Object(
  {
    redelivered: Type.Integer({ description: 'Deliveries that are sent again.', examples: [3] }),
    more: Type.Boolean({ description: 'True when there may be more: call again.' }),
  },
  { description: 'They are on their way.' },
);

/** The log of the caller's deliveries, and sending them again. */
export function deliveryRoutes(app: App, webhooks: WebhookService): void {
  listRoute(app, webhooks);
  deliveryRoute(app, webhooks);
  redeliverRoute(app, webhooks);
  redeliverFailedRoute(app, webhooks);
}

function listRoute(app: App, webhooks: WebhookService): void {
  app.get(
    '/webhooks/deliveries',
    {
      config: { polling: true, access: 'webhooks' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'Your deliveries, newest first',
        description: 'A page of the log; `status=failed` with `since` shows what a receiver missed.',
        tags: ['webhooks'],
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const { limit = 20, before, status, since } = request.query;
      const found = await webhooks.list(principalOf(request).userId, {
        limit: limit + 1,
        ...(before !== undefined && { before }),
        ...(status !== undefined && { state: status }),
        ...(since !== undefined && { since: new Date(since) }),
      });
      const shown = found.slice(0, limit);
      return { deliveries: shown.map(deliveryView), next: found.length > limit ? shown.at(-1)!.id : null };
    },
  );
}

function deliveryRoute(app: App, webhooks: WebhookService): void {
  app.get(
    '/webhooks/deliveries/:delivery_id',
    {
      config: { polling: true, access: 'webhooks' },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'One delivery with its attempts',
        description: 'Status, times, address and answer of every attempt, and the body exactly as it is sent.',
        tags: ['webhooks'],
        params: Params,
        response: { 200: DeliveryWithAttempts, ...problemResponses(['delivery_not_found']) },
      },
    },
    async (request) => {
      const found = await webhooks.get(principalOf(request).userId, request.params.delivery_id);
      if (found === null) throw new Problem('delivery_not_found', 'You have no delivery with this id.');
      return {
        ...deliveryView(found.delivery),
        payload: found.payload,
        attempts_log: found.attempts.map(attemptView),
      };
    },
  );
}

function redeliverRoute(app: App, webhooks: WebhookService): void {
  app.post(
    '/webhooks/deliveries/:delivery_id/redeliver',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'redeliverWebhook',
        summary: 'Send a delivery again',
        description:
          'Sends it to your present webhook with the same event id, in place of a planned attempt, with the usual retries.',
        tags: ['webhooks'],
        params: Params,
        response: {
          202: RedeliveredSchema,
          ...problemResponses(['delivery_not_found', 'webhook_not_found', 'delivery_sending']),
        },
      },
    },
    async (request, reply) => {
      await webhooks.redeliver(principalOf(request).userId, request.params.delivery_id);
      return reply.code(202).send({ redelivered: 1, more: false });
    },
  );
}

function redeliverFailedRoute(app: App, webhooks: WebhookService): void {
  app.post(
    '/webhooks/deliveries/redeliver',
    {
      config: { access: 'webhooks' },
      schema: {
        operationId: 'redeliverFailedWebhooks',
        summary: 'Send everything again that failed',
        description: 'Those of events created since the given time, the oldest first, up to 10,000 at once.',
        tags: ['webhooks'],
        body: RedeliverSince,
        response: { 202: RedeliveredSchema, ...problemResponses(['webhook_not_found', 'invalid_body']) },
      },
    },
    async (request, reply) => {
      const { count, more } = await webhooks.redeliverFailed(principalOf(request).userId, new Date(request.body.since));
      return reply.code(202).send({ redelivered: count, more });
    },
  );
}
