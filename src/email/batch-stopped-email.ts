import type { EmailContent } from './email.ts';

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
  return {
    kind: 'batch_stopped',
    subject: `Batch ${status}: ${collectionName}`,
    text: `The batch of the collection "${collectionName}" ${ENDED[status]}. It gave no results; results of an earlier batch stay as they were.

Reason:     ${batch.reason}
Processed:  ${batch.processed} locations
Ended at:   ${batch.endedAt.toISOString()}
Collection: ${collectionId}

The file is kept. ${NEXT[status]}, with filename=${collectionId}:
  POST ${serviceUrl}/batch_process
Its state and this reason:
  GET ${serviceUrl}/collections/${collectionId}
`,
    attachments: [],
    textWithoutAttachments: null,
  };
}
