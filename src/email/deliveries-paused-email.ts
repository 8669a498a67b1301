import { originOf } from './delivery-failed-email.ts';
import type { EmailContent } from './email.ts';

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
  return {
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
    attachments: [],
    textWithoutAttachments: null,
  };
}
