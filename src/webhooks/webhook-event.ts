import { randomUUID } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import { MAX_BODY_BYTES } from './delivery.ts';

export const EVENT_TYPES = ['batch_zonal_stats_complete', 'test_event', 'batch_failed'] as const;
export type EventType = (typeof EVENT_TYPES)[number];
/** What every webhook gets. */
export const ALWAYS_SENT = ['batch_zonal_stats_complete', 'test_event'] as const satisfies readonly EventType[];

/** An event as it is sent, the same bytes in every attempt. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType;
  /** Canonical JSON, ASCII. */
  readonly body: string;
  readonly createdAt: Date;
}

/**
 * Makes the event that reports `data`. Throws a `TypeError` or `RangeError` for data that has no canonical form
 * (fractions, unpaired surrogates) or is larger than {@link MAX_BODY_BYTES} when written.
 */
export function createEvent(type: EventType, data: Readonly<Record<string, unknown>>, createdAt: Date): WebhookEvent {
  const id = `evt_${randomUUID().replaceAll('-', '')}`;
  const body = canonicalJson({ id, type, data, created_at: createdAt.toISOString() });
  if (body.length > MAX_BODY_BYTES)
    throw new RangeError(`an event has at most ${MAX_BODY_BYTES} bytes, this one has ${body.length}`);
  return { id, type, body, createdAt };
}
