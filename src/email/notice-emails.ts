import { counted } from '../counted.ts';
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
  return notice({
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
  });
}

function dayBefore(time: Date): string {
  return new Date(time.getTime() - DAY_MS).toISOString();
}

/** Scheme, host and port of an address. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'the registered address';
}

interface PausedDeliveries {
  /** The registered address; only its scheme and host are shown. */
  readonly url: string;
  /** Events in a row that failed for good. */
  readonly failures: number;
  /** Minutes between two trials. */
  readonly probeEveryMinutes: number;
  readonly serviceUrl: string | null;
}

/** Informs a user that deliveries wait until the receiver answers a trial. */
export function deliveriesPausedEmail(paused: PausedDeliveries): EmailContent {
  const base = paused.serviceUrl ?? '';
  return notice({
    kind: 'deliveries_paused',
    subject: 'Webhook deliveries are paused',
    text: `${paused.failures} events in a row could not be delivered to ${originOf(paused.url)}, so deliveries to it are paused.

New events are kept and wait. Every ${paused.probeEveryMinutes} minutes one of them is tried; as soon as the receiver answers 200,
everything that waits is sent and deliveries go on.

To try at once, after the receiver was repaired:
  POST ${base}/webhooks/test
Events that failed before the pause are not sent by themselves:
  GET  ${base}/webhooks/deliveries?status=failed
  POST ${base}/webhooks/deliveries/redeliver
`,
  });
}

/** A batch that ended without a result. */
interface StoppedBatch {
  readonly collectionId: string;
  /** As the user named it. */
  readonly collectionName: string;
  readonly status: 'failed' | 'cancelled';
  /** A sentence. */
  readonly reason: string;
  /** Locations that had been processed when it ended. */
  readonly processed: number;
  readonly endedAt: Date;
  /** Where the service is reached, without a trailing slash. */
  readonly serviceUrl: string;
}

const ENDED = { failed: 'failed', cancelled: 'was cancelled' } as const;
const NEXT = {
  failed: 'Correct what the reason names, then process it again',
  cancelled: 'To process it after all',
} as const;

/** Reports that a batch failed or was cancelled, why, and what can be done. */
export function batchStoppedEmail(batch: StoppedBatch): EmailContent {
  const { collectionId, collectionName, status, serviceUrl } = batch;
  return notice({
    kind: 'batch_stopped',
    subject: `Batch ${status}: ${collectionName}`,
    text: `The batch of the collection "${collectionName}" ${ENDED[status]}. It gave no results; results of an earlier batch stay as they were.

Reason:     ${batch.reason}
Processed:  ${counted(batch.processed, 'location')}
Ended at:   ${batch.endedAt.toISOString()}
Collection: ${collectionId}

The file is kept. ${NEXT[status]}, with filename=${collectionId}:
  POST ${serviceUrl}/batch_process
Its state and this reason:
  GET ${serviceUrl}/collections/${collectionId}
`,
  });
}

function notice(parts: Pick<EmailContent, 'kind' | 'subject' | 'text'>): EmailContent {
  return { ...parts, attachments: [], textWithoutAttachments: null };
}
