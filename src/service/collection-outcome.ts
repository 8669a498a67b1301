import { collectionConfidence, reasonSentences } from '../collections/collection-confidence.ts';
import { MAX_ATTACHMENT_BYTES } from '../email/email.ts';
import { prepareEmail } from '../email/prepare-email.ts';
import { reportEmail } from '../email/report-email.ts';
import { Problem } from '../errors.ts';
import {
  markProcessing,
  recordBatch,
  recordCheck,
  recordEnd,
  resultsAsBlob,
  type ConfidenceOutcome,
} from '../store/collections/record-outcome.ts';
import { addressOfUser, queueEmail } from '../store/email/queue-email.ts';
import type { OnFinished } from '../store/tasks/finish-task.ts';
import type { OnSubmitted } from '../store/tasks/submit-task.ts';
import type { Task } from '../tasks/task.ts';
import { batchCompleteData } from '../webhooks/batch-complete-data.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionTaskParams, type CollectionTaskSummary } from './collection-task.ts';
import type { RecordCompletion } from './webhooks-completion.ts';

export interface CollectionHooks {
  readonly onSubmitted: OnSubmitted;
  readonly onFinished: OnFinished;
}

type Trx = Parameters<OnFinished>[0];

/**
 * What happens to collections with their tasks, in the transactions that begin and end them: a collection is `processing`
 * exactly while a task of it is, and the event and the report of a batch are there exactly when its results are. `address`
 * is where clients reach the service, without a slash at its end.
 */
export function collectionHooks(address: () => string, recordCompletion: RecordCompletion): CollectionHooks {
  return {
    async onSubmitted(trx, task, params) {
      if (!isOurs(task)) return;
      const { collectionId: id, options } = params as CollectionTaskParams;
      if (await markProcessing(trx, { id, userId: task.userId, taskId: task.id, options })) return;
      throw new Problem('collection_busy', 'A task works on the collection already; wanted it finished or cancelled.');
    },

    async onFinished(trx, task, { params, summary }) {
      if (!isOurs(task)) return;
      if (task.status !== 'completed') return recordStop(trx, task);
      const done = summary as CollectionTaskSummary;
      if (task.kind === CHECK_TASK) return recordCheck(trx, task.id, confidenceOf(done));
      await completeBatch(trx, task, params as CollectionTaskParams, done);
    },
  };

  async function completeBatch(
    trx: Trx,
    task: Task,
    { collection, options }: CollectionTaskParams,
    done: CollectionTaskSummary,
  ): Promise<void> {
    if (options === null) throw new Error(`the batch ${task.id} has no options`);
    const { report } = done;
    const to = report === null ? null : await addressOfUser(trx, task.userId);
    const isSent = report !== null && to !== null && report.size <= MAX_ATTACHMENT_BYTES;
    const reportBlob = isSent ? await resultsAsBlob(trx, task, report.size) : null;
    const confidence = options.validateLocations ? confidenceOf(done) : null;
    const recorded = await recordBatch(trx, task.id, {
      options,
      counts: done.counts,
      confidence,
      parts: done.parts,
      reportBlob,
    });
    if (!recorded) return;
    const { id: collectionId, name: collectionName, description } = collection;
    const { monitoringStart, monitoringEnd } = options;
    const data = batchCompleteData(
      { collectionId, collectionName, description, monitoringStart, monitoringEnd },
      address(),
    );
    await recordCompletion(trx, {
      userId: task.userId,
      type: 'batch_zonal_stats_complete',
      data,
      uniqueKey: `batch ${task.id}`,
    });
    if (report === null || to === null) return;
    const content = reportEmail({
      collectionName,
      file: {
        filename: `due-diligence-${collectionId}.zip`,
        contentType: 'application/zip',
        blobId: reportBlob ?? '',
        size: report.size,
        sha256: report.sha256,
      },
      fetchUrl: (data['urls'] as Readonly<Record<string, string>>)['export_eudr_dds'] ?? '',
    });
    await queueEmail(trx, prepareEmail({ key: `report/${task.id}`, userId: task.userId, to, content }));
  }
}

function isOurs({ kind }: Task): boolean {
  return kind === BATCH_TASK || kind === CHECK_TASK;
}

/** A check that was cancelled leaves the collection as it was: staged, with nothing known of its locations. */
async function recordStop(trx: Trx, { id, kind, status, error }: Task): Promise<void> {
  const end = status === 'failed' ? 'failed' : kind === CHECK_TASK ? 'staged' : 'cancelled';
  await recordEnd(trx, id, end, error);
}

function confidenceOf({ confidence, reasons }: CollectionTaskSummary): ConfidenceOutcome {
  return {
    confidence: collectionConfidence(confidence),
    confidenceCounts: confidence,
    confidenceReasons: reasonSentences(reasons),
  };
}
