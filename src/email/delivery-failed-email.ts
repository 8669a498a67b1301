import type { EmailContent } from './email.ts';
import { DAY_MS } from '../durations.ts';

interface FailedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The registered address. Only its scheme and host are shown: a path may hold a secret. */
  readonly url: string;
  /** Of the last attempt, a sentence. */
  readonly reason: string;
  readonly failedAt: Date;
  /** Where the service is reached, without a trailing slash; null where that is not known. */
  readonly serviceUrl: string | null;
}

/** Informs a user that an event did not reach the receiver in any attempt, and how to have it sent again. */
export function deliveryFailedEmail(failed: FailedDelivery): EmailContent {
  const base = failed.serviceUrl ?? '';
  return {
    kind: 'delivery_failed',
    subject: `Webhook not delivered: ${failed.eventType}`,
    text: `An event could not be delivered to your webhook, and no further attempt is made by itself.

Event:     ${failed.eventType} ${failed.eventId}
Receiver:  ${originOf(failed.url)}
Failed at: ${failed.failedAt.toISOString()}
Reason:    ${failed.reason}
Delivery:  ${failed.deliveryId}

What happened in each attempt (status, time, the receiver's answer):
  GET ${base}/webhooks/deliveries/${failed.deliveryId}

Nothing is lost. Once the receiver answers again, have the event sent with the same id:
  POST ${base}/webhooks/deliveries/${failed.deliveryId}/redeliver
or everything that failed since a time, with {"since": "${dayBefore(failed.failedAt)}"} as the body:
  POST ${base}/webhooks/deliveries/redeliver

At most one message like this is sent in an hour, however many events fail.
`,
    attachments: [],
    textWithoutAttachments: null,
  };
}

function dayBefore(time: Date): string {
  return new Date(time.getTime() - DAY_MS).toISOString();
}

/** Scheme, host and port of an address. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'the registered address';
}
