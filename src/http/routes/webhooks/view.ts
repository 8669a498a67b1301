import type { Static } from 'typebox';
import { codesOf } from '../../../messages/recognised/codes-of.ts';
import type { Registration } from '../../../service/webhooks/webhooks.ts';
import type { Attempt, AttemptOutcome, Delivery } from '../../../webhooks/delivery.ts';
import type { DeliverySchema, DeliveryWithAttempts, OutcomeSchema, WebhookSchema } from './schemas.ts';

/** A webhook as its owner sees it. */
export function webhookView(webhook: Registration): Static<typeof WebhookSchema> {
  return {
    url: webhook.url,
    events: [...webhook.events],
    created_at: webhook.createdAt.toISOString(),
    rotating_until: text(webhook.rotatingUntil),
    failures: webhook.failures,
    paused_at: text(webhook.pausedAt),
    next_trial_at: text(webhook.probeAt),
  };
}

export function deliveryView(delivery: Delivery): Static<typeof DeliverySchema> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    url: delivery.url,
    status: delivery.state,
    attempts: delivery.attempts,
    sending: delivery.sending,
    next_attempt_at: text(delivery.nextAttemptAt),
    created_at: delivery.createdAt.toISOString(),
    finished_at: text(delivery.finishedAt),
  };
}

export function outcomeView(outcome: AttemptOutcome): Static<typeof OutcomeSchema> {
  const { timings } = outcome;
  return {
    status_code: outcome.status,
    reason: outcome.reason,
    detail: outcome.detail,
    ...codesOf({ detail: outcome.detail }),
    address: outcome.address,
    duration_ms: outcome.durationMs,
    timings: {
      dns_ms: timings.dnsMs,
      connect_ms: timings.connectMs,
      tls_ms: timings.tlsMs,
      first_byte_ms: timings.firstByteMs,
    },
    response_excerpt: outcome.excerpt,
  };
}

export function attemptView(attempt: Attempt): Static<typeof DeliveryWithAttempts>['attempts_log'][number] {
  return {
    number: attempt.number,
    started_at: attempt.startedAt.toISOString(),
    ...outcomeView(attempt),
    next_attempt_at: text(attempt.nextAttemptAt),
  };
}

function text(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
