import type { Static } from 'typebox';
import { codesOf } from '../../../messages/recognised/codes-of.ts';
import type { FilingCheck } from '../../../service/traces/traces.ts';
import {
  allowedActs,
  amendWindow,
  type Submission,
  type SubmissionSummary,
} from '../../../traces/filing/submission.ts';
import type { CheckSchema, SubmissionSchema } from './schemas.ts';

/** A submission as its owner sees it at `now`. */
export function submissionView(
  submission: Submission,
  confirmation: (act: 'amend' | 'retract') => string | null,
  now: Date,
): Static<typeof SubmissionSchema> {
  const window = amendWindow(submission);
  const { failure } = submission;
  return {
    id: submission.id,
    collection_id: submission.collectionId,
    statement: submission.statementNumber,
    kind: submission.kind,
    environment: submission.environment,
    state: submission.state,
    change: submission.change,
    internal_reference: submission.internalReference,
    uuid: submission.uuid,
    reference_number: submission.referenceNumber,
    verification_number: submission.verificationNumber,
    rejection_reason: submission.rejectionReason,
    communication: submission.communication,
    failure:
      failure === null
        ? null
        : {
            code: failure.code,
            detail: failure.detail,
            advice: failure.advice,
            messages: messagesOf(`filing_failure.${failure.code}`, failure.detail),
            findings: failure.findings.map(({ code, serviceCode, message, field }) => ({
              code,
              service_code: serviceCode,
              message,
              field,
            })),
            request_id: failure.requestId,
          },
    summary: summaryView(submission.summary),
    content_sha256: submission.contentSha256,
    sends: submission.sends,
    allowed: [...allowedActs(submission, now)],
    confirm_with: { amend: confirmation('amend'), retract: confirmation('retract') },
    changeable_until:
      window === null ? null : { surely: window.surely.toISOString(), at_most: window.atMost.toISOString() },
    created_at: submission.createdAt.toISOString(),
    handed_over_at: text(submission.handedOverAt),
    queried_at: text(submission.queriedAt),
    available_at: text(submission.availableAt),
    next_at: text(submission.nextAt),
  };
}

export function checkView(check: FilingCheck): Static<typeof CheckSchema> {
  return {
    environment: check.environment,
    ready: check.isReady,
    collection_name: check.collectionName,
    statements: check.statements,
    summary: summaryView(check.summary),
    issues: check.issues.map((issue) => ({ ...issue, messages: messagesOf(`filing.${issue.code}`, issue.detail) })),
    proposals: [...check.proposals],
    confirm_with: check.confirmation,
  };
}

function summaryView(summary: SubmissionSummary): Static<typeof SubmissionSchema>['summary'] {
  return {
    plots: summary.plots,
    commodities: summary.commodities,
    producers: summary.producers,
    geodata_bytes: summary.geodataBytes,
    operator_role: summary.operatorRole,
    activity_type: summary.activityType,
    headings: [...summary.headings],
  };
}

/** The codes of an advice, and of a detail where that is of ours. */
function messagesOf(advice: string, detail: string): NonNullable<ReturnType<typeof codesOf>['messages']> {
  return { advice: [{ code: advice, params: {} }], ...codesOf({ detail }).messages };
}

function text(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
