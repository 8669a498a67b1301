import { BATCH_WARNINGS, type BatchWarningCode } from '../../../collections/batch-warnings.ts';
import type { BatchRun, Collection } from '../../../collections/collection.ts';
import { codesOf, eachWithCodes } from '../../../messages/recognised/codes-of.ts';
import type { ReportEmail } from '../../../collections/report-email.ts';
import type { Task } from '../../../jobs/task.ts';
import type { Submission } from '../../../traces/filing/submission.ts';
import { fetchUrls } from '../../../webhooks/webhook-event.ts';
import type { CollectionDetailView, CollectionView, RunView, WorkView } from './schemas.ts';
import { taskView } from '../tasks/task-view.ts';

/** A collection as clients see it. */
export function collectionView(collection: Collection): CollectionView {
  const { id, file, options, counts, error } = collection;
  return {
    collection_id: id,
    filename: id,
    collection_name: collection.name,
    description: collection.description,
    status: collection.status,
    file: { ...file },
    crop_type: options?.cropType ?? null,
    stats: options?.statistics ?? null,
    validate_locations: options?.validateLocations ?? null,
    eudr_dds: options?.eudrDds ?? null,
    monitoring_start: options?.monitoringStart ?? null,
    monitoring_end: options?.monitoringEnd ?? null,
    counts: counts === null ? null : { ...counts, groups: counts.groups ?? null },
    locations_confidence: collection.locationsConfidence,
    confidence_counts: collection.confidenceCounts,
    confidence_reasons: collection.confidenceReasons === null ? null : [...collection.confidenceReasons],
    ...codesOf({ confidence_reasons: collection.confidenceReasons }),
    error: error === null ? null : { ...error, ...codesOf({ detail: error.detail }) },
    runs: collection.runs.map(runView),
    task_id: collection.taskId,
    created_at: collection.createdAt.toISOString(),
    completed_at: collection.completedAt?.toISOString() ?? null,
    collection_url: `/collections/${id}`,
    progress_url: `/batch_progress?tracking_id=${id}`,
    urls: counts === null || options === null ? null : fetchUrls({ collectionId: id, ...options }, ''),
  };
}

/** A batch whose locations are kept. */
export function runView({ id, options, counts, completedAt }: BatchRun): RunView {
  return {
    run_id: id,
    completed_at: completedAt.toISOString(),
    stats: options.statistics,
    monitoring_start: options.monitoringStart,
    monitoring_end: options.monitoringEnd,
    locations: counts.locations,
    groups: counts.groups ?? null,
  };
}

/** A collection with its last task; `task` is null when there was none or its time is over. */
export function workView(
  collection: Collection,
  task: Task | null,
  warnings: readonly BatchWarningCode[] = [],
): WorkView {
  return {
    ...collectionView(collection),
    warnings: warnings.map((code) => ({ code, params: {}, message: BATCH_WARNINGS[code].message })),
    mapping:
      collection.mapping === null
        ? null
        : collection.mapping.map((table) => ({
            ...table,
            ...codesOf({ skipped: table.skipped }),
            columns: eachWithCodes(table.columns, 'why'),
          })),
    poll_url: task === null ? null : `/batch_progress?tracking_id=${task.id}`,
    events_url: task === null ? null : `/tasks/${task.id}/events`,
    task: task === null ? null : taskView(task),
  };
}

/** A collection with its last task and the email of its report. */
export function collectionDetailView(
  collection: Collection,
  task: Task | null,
  email: ReportEmail | null,
  submissions: readonly Submission[],
): CollectionDetailView {
  return {
    ...workView(collection, task),
    report_email:
      email === null
        ? null
        : {
            state: email.state,
            reason: email.reason,
            ...codesOf({ reason: email.reason }),
            to: email.to,
            next_attempt_at: email.nextAttemptAt?.toISOString() ?? null,
            finished_at: email.finishedAt?.toISOString() ?? null,
          },
    submissions: submissions.map(({ id, environment, state, referenceNumber, verificationNumber }) => ({
      id,
      environment,
      state,
      reference_number: referenceNumber,
      verification_number: verificationNumber,
    })),
  };
}
