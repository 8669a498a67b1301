import { Type } from 'typebox';
import { DoneSchema, Messages } from '../messages-schema.ts';
import {
  DELIVERY_STATES,
  type DeliveryState,
  FAILURE_REASONS,
  type FailureReason,
} from '../../../webhooks/delivery.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../../webhooks/check-url.ts';
import { ALWAYS_SENT, EVENT_TYPES, type EventType } from '../../../webhooks/webhook-event.ts';
import { SIGNATURE_MISTAKES, type SignatureMistake } from '../../../webhooks/signature-mistakes.ts';

const MAX_DELIVERY_PAGE = 100;

const Time = Type.String({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });
const Moment = Type.Union([Time, Type.Null()]);
const Milliseconds = Type.Union([Type.Integer(), Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);

const Url = Type.String({
  minLength: 1,
  maxLength: MAX_WEBHOOK_URL_LENGTH,
  description: 'Where events are sent: https, a public host name, port 443 or from 1024 up.',
  examples: ['https://hooks.example.org/firstmile'],
});
const EventTypeSchema = Type.Unsafe<EventType>({ type: 'string', enum: EVENT_TYPES });
const Events = Type.Array(EventTypeSchema, {
  maxItems: EVENT_TYPES.length,
  description: `Types of event that are wanted. ${ALWAYS_SENT.join(' and ')} are sent in any case.`,
  examples: [['batch_failed']],
});
const EventsInForce = Type.Array(EventTypeSchema, {
  description: 'Types of event it gets.',
  examples: [['batch_zonal_stats_complete', 'test_event', 'batch_failed']],
});

/** A list without events is a mistake here; in a change it ends the other subscriptions. */
const FirstEvents = Type.Array(EventTypeSchema, { ...Events, minItems: 1 });

export const NewWebhook = Type.Object(
  { url: Url, events: Type.Optional(FirstEvents) },
  { additionalProperties: false },
);

/** What is left out stays as it is. */
export const ChangedWebhook = Type.Object(
  { url: Type.Optional(Url), events: Type.Optional(Events) },
  { additionalProperties: false, minProperties: 1 },
);

export const RegisteredSchema = Type.Object(
  {
    url: Type.String({ examples: ['https://hooks.example.org/firstmile'] }),
    client_secret: Type.String({
      description: 'Signs every webhook. Keep it: it is not shown again.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
    }),
  },
  { description: 'The webhook and its secret.' },
);

const AddressWarnings = Type.Array(
  Type.Object({ code: Type.Literal('host_not_resolved'), message: Type.String(), messages: Messages }),
  {
    description: 'A caution about an address that was accepted: its host does not resolve at this moment.',
  },
);

export const NewlyRegisteredSchema = Type.Object(
  { ...RegisteredSchema.properties, events: EventsInForce, warnings: AddressWarnings },
  { description: 'The webhook is registered.' },
);

export const WebhookSchema = Type.Object(
  {
    url: Type.String({ examples: ['https://hooks.example.org/firstmile'] }),
    events: EventsInForce,
    created_at: Time,
    rotating_until: Type.Union([Time, Type.Null()], {
      description: 'Until when the previous secret signs as well.',
    }),
    failures: Type.Integer({
      description: 'Consecutive events that did not reach the receiver in any attempt.',
      examples: [0],
    }),
    paused_at: Type.Union([Time, Type.Null()], {
      description: 'Time since which new events wait, because too many failed in a row.',
    }),
    next_trial_at: Type.Union([Time, Type.Null()], { description: 'When the next waiting event is tried.' }),
  },
  { description: 'The webhook, without its secret.' },
);

export const ChangedSchema = Type.Object(
  { ...WebhookSchema.properties, warnings: AddressWarnings },
  { description: 'The webhook as it is now.' },
);

export const MessageSchema = DoneSchema('It is done.');

const Reason = Type.Unsafe<FailureReason | null>({
  description: 'Why it did not count as delivered; null when it did.',
  anyOf: [{ type: 'string', enum: Object.keys(FAILURE_REASONS) }, { type: 'null' }],
});

export const OutcomeSchema = Type.Object({
  status_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'HTTP status of the answer.',
    examples: [200],
  }),
  reason: Reason,
  detail: Text,
  messages: Messages,
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'The address the connection led to.',
    examples: ['93.184.215.14'],
  }),
  duration_ms: Type.Integer({ examples: [118] }),
  timings: Type.Object(
    { dns_ms: Milliseconds, connect_ms: Milliseconds, tls_ms: Milliseconds, first_byte_ms: Milliseconds },
    { description: 'null where a step was not reached, or not needed on a kept connection.' },
  ),
  response_excerpt: Type.Union([Type.String(), Type.Null()], { description: 'Beginning of the answer, up to 16 KiB.' }),
});

export const TestSchema = Type.Object(
  {
    message: Type.String({ examples: ['The test webhook was sent and the receiver answered 200.'] }),
    messages: Messages,
    delivered: Type.Boolean(),
    delivery_id: Type.String(),
    signed_with: Type.Union([Type.Literal('current'), Type.Literal('previous'), Type.Null()], {
      description: 'Which of two secrets signed this attempt during a rotation; null at other times.',
    }),
    refused_before: Type.Union([OutcomeSchema, Type.Null()], {
      description: 'During a rotation: the attempt before it, signed with the other secret and not answered with 200.',
    }),
    attempt: Type.Union([OutcomeSchema, Type.Null()], { description: 'null when the service was stopped meanwhile.' }),
  },
  { description: 'The test was sent; `delivered` is the outcome.' },
);

const StateSchema = Type.Unsafe<DeliveryState>({ type: 'string', enum: DELIVERY_STATES });

export const DeliverySchema = Type.Object({
  id: Type.String({ examples: ['0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'] }),
  event_id: Type.String({ examples: ['evt_33b10c770a3241239dbfd4b0648797ed'] }),
  type: Type.String({ examples: ['batch_zonal_stats_complete'] }),
  url: Type.String({ examples: ['https://hooks.example.org/firstmile'] }),
  status: StateSchema,
  attempts: Type.Integer({ description: 'Attempts that ended.', examples: [1] }),
  sending: Type.Boolean({ description: 'True while an attempt is on its way.' }),
  next_attempt_at: Moment,
  created_at: Type.String({ format: 'date-time', description: 'When the event was created, as in its payload.' }),
  finished_at: Moment,
});

export const DeliveryPage = Type.Object(
  {
    deliveries: Type.Array(DeliverySchema),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Give it as `before` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.' },
);

export const DeliveryWithAttempts = Type.Object(
  {
    ...DeliverySchema.properties,
    payload: Type.Union([Type.String(), Type.Null()], { description: 'The body exactly as it is sent.' }),
    attempts_log: Type.Array(
      Type.Object({
        number: Type.Integer(),
        started_at: Time,
        ...OutcomeSchema.properties,
        next_attempt_at: Moment,
      }),
      { description: 'Every attempt, the first one first.' },
    ),
  },
  { description: 'The delivery.' },
);

export const DeliveryQuery = Type.Object(
  {
    status: Type.Optional(StateSchema),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Events created then or later.',
        examples: ['2026-11-21T00:00:00Z'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DELIVERY_PAGE, default: 20, description: 'Deliveries a page.' }),
    ),
    before: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the previous page.' })),
  },
  { additionalProperties: false },
);

export const RedeliverSince = Type.Object(
  {
    since: Type.String({
      format: 'date-time',
      description: 'Events created then or later.',
      examples: ['2026-11-21T00:00:00Z'],
    }),
  },
  { additionalProperties: false },
);

export const RotateQuery = Type.Object(
  {
    revoke_now: Type.Optional(
      Type.Boolean({ default: false, description: 'True ends the current secret at once instead of after 24 hours.' }),
    ),
  },
  { additionalProperties: false },
);

export const VerifyBody = Type.Object(
  {
    body: Type.String({
      maxLength: 300_000,
      description: 'The request body as your receiver has it.',
      examples: ['{"created_at":"2026-11-21T09:30:00.000Z","data":{},"id":"evt_1","type":"test_event"}'],
    }),
    signature: Type.String({
      maxLength: 1_000,
      description: 'The X-Service-Webhook-Signature header as your receiver has it.',
      examples: ['t=1732150080, v1=92fb1b6c086cde7b7d952283cf46ae0050d60f0143d536dd93c0e0e9d3faaedb'],
    }),
    computed: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'The hex digest that your receiver computed; shows what went wrong.',
      }),
    ),
    secret: Type.Optional(
      Type.String({ maxLength: 1_000, format: 'password', description: 'The secret as your receiver holds it.' }),
    ),
    delivery_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The delivery it belongs to: the body is compared with what was sent.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const DiagnosisSchema = Type.Object(
  {
    verified: Type.Boolean({ description: 'True when body, signature and secret fit together as given.' }),
    findings: Type.Array(
      Type.Object({
        code: Type.Unsafe<SignatureMistake>({ type: 'string', enum: Object.keys(SIGNATURE_MISTAKES) }),
        detail: Type.String(),
        fix: Type.String(),
        messages: Messages,
      }),
      { description: 'Every mistake found.' },
    ),
  },
  { description: 'What is wrong, or that nothing is.' },
);
