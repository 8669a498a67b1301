import type { Config } from '../../config/settings.ts';
import { MAX_REDELIVERIES } from '../../db/webhooks/delivery-log.ts';
import { TESTS_PER_MINUTE } from '../../db/webhooks/test-delivery.ts';
import { LEASE_S, PAUSE_AFTER_FAILURES, PROBE_EVERY_S } from '../../db/webhooks/webhook-parts.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../webhooks/check-url.ts';
import { ANSWER_BYTES, EXCERPT_BYTES, MAX_BODY_BYTES, RETRY_DELAYS_S } from '../../webhooks/delivery.ts';
import { MAX_PER_USER } from '../../webhooks/delivery-queue.ts';
import { ANSWER_HEADER_BYTES, ATTEMPT_DEADLINE_MS } from '../../webhooks/open-poster.ts';
import { MAX_ADDRESSES, MAX_TRIED } from '../../webhooks/resolve-host.ts';
import { MAX_LOST } from '../../webhooks/send-delivery.ts';
import { HOST_MS, SLOT_LIMITS } from '../../webhooks/slots.ts';
import { ROTATION_OVERLAP_S } from './webhooks.ts';

/** The limits of webhooks, as `/limits` shows them. */
export function webhookLimits(config: Pick<Config, 'webhookRetentionDays'>) {
  const rows: readonly [name: string, value: number | string, unit: string, description: string][] = [
    ['webhooks_per_user', 1, 'webhooks', 'Registered at the same time.'],
    ['webhook_url_length', MAX_WEBHOOK_URL_LENGTH, 'characters', 'The address of a webhook.'],
    ['webhook_retries', RETRY_DELAYS_S.length, 'attempts', 'After the first attempt of a delivery.'],
    ['webhook_retry_delays_s', RETRY_DELAYS_S.join(', '), 's', 'From the end of an attempt to the next one.'],
    [
      'webhook_attempt_s',
      ATTEMPT_DEADLINE_MS / 1_000,
      's',
      'One attempt in all, from the name to the end of the answer.',
    ],
    ['webhook_lease_s', LEASE_S, 's', 'After which a delivery whose sender stopped is sent by another one.'],
    ['webhook_lost_senders', MAX_LOST, 'senders', 'That stopped while they sent one delivery, after which it fails.'],
    ['webhook_addresses', MAX_ADDRESSES, 'addresses', "Of a receiver's name; a name with more is not used."],
    ['webhook_addresses_tried', MAX_TRIED, 'addresses', 'Of a name, in one attempt.'],
    ['webhook_body_bytes', MAX_BODY_BYTES, 'bytes', 'The payload of an event.'],
    ['webhook_answer_bytes', ANSWER_BYTES, 'bytes', "Read of a receiver's answer before the connection is closed."],
    ['webhook_answer_header_bytes', ANSWER_HEADER_BYTES, 'bytes', "Headers of a receiver's answer."],
    ['webhook_excerpt_bytes', EXCERPT_BYTES, 'bytes', "Kept of a receiver's answer."],
    ['webhook_requests_per_user', MAX_PER_USER, 'requests', 'On their way to one receiver from one process.'],
    [
      'webhook_requests_per_address',
      SLOT_LIMITS.perAddress,
      'requests',
      'On their way to one address from one process, whoever registered it.',
    ],
    [
      'webhook_young_requests_per_host',
      SLOT_LIMITS.youngPerHost,
      'requests',
      `Begun within the last ${HOST_MS} ms, to one host name from one process.`,
    ],
    ['webhook_requests_at_once', SLOT_LIMITS.total, 'requests', 'On their way from one process.'],
    ['webhook_pause_failures', PAUSE_AFTER_FAILURES, 'events', 'Failed in a row, after which a webhook is paused.'],
    ['webhook_trial_s', PROBE_EVERY_S, 's', 'Between two trials of a paused webhook.'],
    ['webhook_tests_per_minute', TESTS_PER_MINUTE, 'requests', 'Test events of one user.'],
    ['webhook_redeliveries', MAX_REDELIVERIES, 'deliveries', 'Sent again by one request.'],
    ['webhook_rotation_s', ROTATION_OVERLAP_S, 's', 'During which the secret before signs as well.'],
    ['webhook_retention_days', config.webhookRetentionDays, 'days', 'How long finished deliveries are kept.'],
  ];
  return rows.map(([name, value, unit, description]) => ({ name, value, unit, description }));
}
