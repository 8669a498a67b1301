import { MAX_RUNS } from '../../collections/collection.ts';
import { collectionConfidence, reasonSentences } from '../../collections/collection-confidence.ts';
import { GROUP_WORDS, PLOT_GROUPS } from '../../collections/plot-group.ts';
import { MAX_ATTACHMENT_BYTES } from '../../email/email.ts';
import { mailWords } from '../../email/mail-words.ts';
import { batchStoppedEmail } from '../../email/notice-emails.ts';
import { prepareEmail } from '../../email/prepare-email.ts';
import { reportEmail } from '../../email/report-email.ts';
import { Problem } from '../../errors.ts';
import {
  markProcessing,
  recordBatch,
  recordCheck,
  recordEnd,
  resultsAsBlob,
  type ConfidenceOutcome,
} from '../../db/collections/record-outcome.ts';
import { addressOfUser, queueEmail } from '../../db/email/queue-email.ts';
import type { OnFinished } from '../../db/tasks/finish-task.ts';
import type { OnSubmitted } from '../../db/tasks/submit-task.ts';
import type { Task } from '../../jobs/task.ts';
import { batchCompleteData, batchFailedData, fetchUrls } from '../../webhooks/webhook-event.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionTaskParams, type CollectionTaskSummary } from './collection-task.ts';
import type { RecordCompletion } from '../webhooks/completion.ts';

export interface CollectionHooks {
  readonly onSubmitted: OnSubmitted;
  readonly onFinished: OnFinished;
}

type Trx = Parameters<OnFinished>[0];

/** Who hears of an end, and where clients reach the service. */
interface Announced {
  readonly address: () => string;
  readonly recordCompletion: RecordCompletion;
}

/**
 * What happens to collections with their tasks, in the transactions that begin and end them: a collection is `processing`
 * exactly while a task of it is, and the event and the report of a batch are there exactly when its results are, or the notice that there are none. `address`
 * is where clients reach the service, without a slash at its end.
 */
export function collectionHooks(address: () => string, recordCompletion: RecordCompletion): CollectionHooks {
  const announced: Announced = { address, recordCompletion };
  return {
    async onSubmitted(trx, task, params) {
      if (!isOurs(task)) return;
      const { collectionId: id, options } = params as CollectionTaskParams;
      if (await markProcessing(trx, { id, userId: task.userId, taskId: task.id, options })) return;
      throw new Problem('collection_busy', 'A task works on the collection already; wanted it finished or cancelled.');
    },

    async onFinished(trx, task, { params, summary }) {
      if (!isOurs(task)) return;
      if (task.status !== 'completed') return stopWork(trx, task, params as CollectionTaskParams, announced);
      const done = summary as CollectionTaskSummary;
      if (task.kind === CHECK_TASK) return recordCheck(trx, task.id, confidenceOf(done));
      await completeBatch(trx, task, params as CollectionTaskParams, done, announced);
    },
  };
}

async function completeBatch(
  trx: Trx,
  task: Task,
  params: CollectionTaskParams,
  done: CollectionTaskSummary,
  { address, recordCompletion }: Announced,
): Promise<void> {
  const { collection, options, email, watchRun } = params;
  if (options === null) throw new Error(`the batch ${task.id} has no options`);
  const { report } = done;
  const to = report === null ? null : (email ?? (await addressOfUser(trx, task.userId)));
  const isSent = report !== null && to !== null && report.size <= MAX_ATTACHMENT_BYTES;
  const reportBlob = isSent ? await resultsAsBlob(trx, task, report.size) : null;
  const confidence = options.validateLocations ? confidenceOf(done) : null;
  const recorded = await recordBatch(trx, task.id, {
    options,
    counts: done.counts,
    mapping: done.mapping,
    confidence,
    runs: MAX_RUNS,
    parts: done.parts,
    reportBlob,
  });
  if (recorded === null) return;
  const { id: collectionId, name: collectionName, description } = collection;
  // Without plots, or without being requested, nothing was measured: there are no statistics to announce.
  // A run of a watch reports what changed, and nothing else.
  if (options.statistics && done.counts.plots > 0 && watchRun === undefined)
    await recordCompletion(trx, {
      userId: task.userId,
      type: 'batch_zonal_stats_complete',
      data: batchCompleteData(
        { collectionId, collectionName, description, ...options, counts: done.counts, ...recorded },
        address(),
      ),
      uniqueKey: `batch ${task.id}`,
    });
  if (report !== null && to !== null)
    await queueReport(trx, task, params, { report, to, reportBlob, options, address: address() });
}

/** What the email with a report is made of. */
interface ReportParts {
  readonly report: NonNullable<CollectionTaskSummary['report']>;
  readonly to: string;
  /** Null: it is too large to be attached. */
  readonly reportBlob: string | null;
  readonly options: NonNullable<CollectionTaskParams['options']>;
  readonly address: string;
}

async function queueReport(
  trx: Trx,
  task: Task,
  { collection, language = 'en' }: CollectionTaskParams,
  { report, to, reportBlob, options, address }: ReportParts,
): Promise<void> {
  const { id: collectionId, name: collectionName } = collection;
  const words = await mailWords(language);
  const emailed = {
    collectionName,
    file: {
      filename: `due-diligence-${collectionId}.zip`,
      contentType: 'application/zip',
      blobId: reportBlob ?? '',
      size: report.size,
      sha256: report.sha256,
    },
    digest: report.digest && {
      ...report.digest,
      groups: PLOT_GROUPS.map(
        (group) => [words.word(`group.${group}`, GROUP_WORDS[group]), report.digest!.groups[group]] as const,
      ),
    },
    fetchUrl: fetchUrls({ collectionId, ...options }, address).export_eudr_dds,
  };
  const content = reportEmail(emailed, words);
  await queueEmail(trx, prepareEmail({ key: `report/${task.id}`, userId: task.userId, to, content }));
}

/** A check that was cancelled leaves the collection as it was: staged, with nothing known of its locations. */
async function stopWork(
  trx: Trx,
  task: Task,
  { collection, email, language = 'en', watchRun }: CollectionTaskParams,
  { address, recordCompletion }: Announced,
): Promise<void> {
  const { id, kind, userId } = task;
  if (kind === CHECK_TASK) {
    const failed = task.status === 'failed';
    return void (await recordEnd(trx, id, failed ? 'failed' : 'staged', failed ? task.error : null));
  }
  const status = task.status === 'failed' ? 'failed' : 'cancelled';
  const reason = task.error ?? CANCELLED;
  const stopped = await recordEnd(trx, id, status, reason);
  if (stopped === null || watchRun !== undefined) return;
  const { id: collectionId, name: collectionName, description } = collection;
  const { code, detail } = reason;
  await recordCompletion(trx, {
    userId,
    type: 'batch_failed',
    data: batchFailedData({ collectionId, collectionName, description, ...stopped }, { status, code, detail }),
    uniqueKey: `batch failed ${id}`,
  });
  const to = email ?? (await addressOfUser(trx, userId));
  if (to === null) return;
  const ended = {
    collectionId,
    collectionName,
    status,
    reason: detail,
    processed: stopped.counts.locations,
    endedAt: task.finishedAt ?? new Date(),
    serviceUrl: address(),
  } as const;
  const content = batchStoppedEmail(ended, await mailWords(language));
  await queueEmail(trx, prepareEmail({ key: `batch_stopped/${id}`, userId, to, content }));
}

const CANCELLED = { code: 'task_cancelled', detail: 'The batch was cancelled before it was done.' } as const;

function isOurs({ kind }: Task): boolean {
  return kind === BATCH_TASK || kind === CHECK_TASK;
}

function confidenceOf({ confidence, reasons }: CollectionTaskSummary): ConfidenceOutcome {
  return {
    confidence: collectionConfidence(confidence),
    confidenceCounts: confidence,
    confidenceReasons: reasonSentences(reasons),
  };
}
