import type { EmailContent } from './email.ts';
import { DAY_MS } from '../durations.ts';
import { ENGLISH_MAIL, labelled, type MailWords } from './mail-words.ts';

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
export function deliveryFailedEmail(failed: FailedDelivery, words: MailWords = ENGLISH_MAIL): EmailContent {
  const { say } = words;
  const base = failed.serviceUrl ?? '';
  const lines = labelled(words, [
    ['event', `${failed.eventType} ${failed.eventId}`],
    ['receiver', originOf(failed.url, words)],
    ['failed_at', failed.failedAt.toISOString()],
    ['reason', words.sentences(failed.reason)],
    ['delivery', failed.deliveryId],
  ]);
  return notice({
    kind: 'delivery_failed',
    subject: say('failed.subject', { type: failed.eventType }),
    text: `${say('failed.intro')}

${lines}

${say('failed.attempts')}
  GET ${base}/webhooks/deliveries/${failed.deliveryId}

${say('failed.again')}
  POST ${base}/webhooks/deliveries/${failed.deliveryId}/redeliver
${say('failed.since', { since: `{"since": "${dayBefore(failed.failedAt)}"}` })}
  POST ${base}/webhooks/deliveries/redeliver

${say('failed.hourly')}
`,
  });
}

function dayBefore(time: Date): string {
  return new Date(time.getTime() - DAY_MS).toISOString();
}

/** Scheme, host and port of an address. */
function originOf(url: string, { say }: MailWords): string {
  return URL.parse(url)?.origin ?? say('registered_address');
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
export function deliveriesPausedEmail(paused: PausedDeliveries, words: MailWords = ENGLISH_MAIL): EmailContent {
  const { say } = words;
  const base = paused.serviceUrl ?? '';
  return notice({
    kind: 'deliveries_paused',
    subject: say('paused.subject'),
    text: `${say('paused.intro', { failures: paused.failures, receiver: originOf(paused.url, words) })}

${say('paused.waiting', { minutes: paused.probeEveryMinutes })}

${say('paused.try')}
  POST ${base}/webhooks/test
${say('paused.earlier')}
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

/** Reports that a batch failed or was cancelled, why, and what can be done. */
export function batchStoppedEmail(batch: StoppedBatch, words: MailWords = ENGLISH_MAIL): EmailContent {
  const { say } = words;
  const { collectionId, collectionName: name, status, serviceUrl } = batch;
  const lines = labelled(words, [
    ['reason', words.sentences(batch.reason)],
    ['processed', say('stopped.locations', { count: batch.processed })],
    ['ended_at', batch.endedAt.toISOString()],
    ['collection', collectionId],
  ]);
  return notice({
    kind: 'batch_stopped',
    subject: say('stopped.subject', { status, name }),
    text: `${say('stopped.ended', { status, name })}

${lines}

${say('stopped.kept', { status, collection: collectionId })}
  POST ${serviceUrl}/batch_process
${say('stopped.state')}
  GET ${serviceUrl}/collections/${collectionId}
`,
  });
}

function notice(parts: Pick<EmailContent, 'kind' | 'subject' | 'text'>): EmailContent {
  return { ...parts, attachments: [], textWithoutAttachments: null };
}
