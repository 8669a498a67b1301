import type { FilingCode } from '../faults/filing-codes.ts';
import type { ServiceFinding } from '../faults/traces-failure.ts';
import type { ServiceStatus, TracesEnvironment } from '../interface-v3.ts';
import type { FilingKind } from '../messages/statement.ts';

/**
 * `waiting`: recorded, to be sent. `sending`: handed over, no answer recorded. `unconfirmed`: the answer was lost, and the
 * service is queried by internal reference before anything is sent again. `refused`: the service decided against it, and
 * nothing was filed. `cancelled`: stopped before it was sent. The others are those of the service.
 */
export const SUBMISSION_STATES = [
  'waiting',
  'sending',
  'unconfirmed',
  'submitted',
  'available',
  'rejected',
  'withdrawn',
  'grouped',
  'archived',
  'obsolete',
  'suspended',
  'updated',
  'refused',
  'cancelled',
] as const;
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** What the service's status makes of a submission. */
export const STATE_OF_STATUS = {
  SUBMITTED: 'submitted',
  AVAILABLE: 'available',
  REJECTED: 'rejected',
  WITHDRAWN: 'withdrawn',
  ARCHIVED: 'archived',
  GROUPED: 'grouped',
  OBSOLETE: 'obsolete',
  SUSPENDED: 'suspended',
  UPDATED: 'updated',
} as const satisfies Record<ServiceStatus, SubmissionState>;

/** States in which the statement is in the hands of the service and may still change. */
export const FOLLOWED_STATES: readonly SubmissionState[] = ['submitted', 'suspended', 'updated'];

/** What is wanted of a statement that is filed. */
export type SubmissionChange = 'amend' | 'retract';

/** Why the last call did not do what was wanted. */
export interface SubmissionFailure {
  readonly code: FilingCode;
  /** One sentence for people. */
  readonly detail: string;
  readonly advice: string;
  readonly findings: readonly ServiceFinding[];
  /** The service's name for the call. */
  readonly requestId: string | null;
}

/** What is in a submission, in numbers. */
export interface SubmissionSummary {
  readonly plots: number;
  readonly commodities: number;
  readonly producers: number;
  /** Bytes of geodata as Base64. */
  readonly geodataBytes: number;
  readonly operatorRole: string;
  readonly activityType: string;
  readonly headings: readonly string[];
}

/** One filing of one statement, with all that is known of it. */
export interface Submission {
  readonly id: string;
  readonly userId: string;
  readonly collectionId: string;
  /** Number of the draft in the collection's export, from 1. */
  readonly statementNumber: number;
  readonly kind: FilingKind;
  readonly environment: TracesEnvironment;
  /** Made by us, never used twice, recorded before anything is sent. */
  readonly internalReference: string;
  readonly state: SubmissionState;
  /** A change that is under way, or null. */
  readonly change: SubmissionChange | null;
  readonly summary: SubmissionSummary;
  /** SHA-256 in hex of the statement as JSON. */
  readonly contentSha256: string;
  readonly uuid: string | null;
  readonly referenceNumber: string | null;
  readonly verificationNumber: string | null;
  readonly rejectionReason: string | null;
  readonly communication: string | null;
  readonly failure: SubmissionFailure | null;
  /** How often the submission was handed over. */
  readonly sends: number;
  readonly createdAt: Date;
  /** When the submission, or the change, was last handed over. */
  readonly handedOverAt: Date | null;
  /** When the service was last queried about it. */
  readonly queriedAt: Date | null;
  /** When the next step is due; null when nothing more happens by itself. */
  readonly nextAt: Date | null;
  /** The last answer in which it was not available yet, and the first one in which it was. */
  readonly notYetAvailableAt: Date | null;
  readonly availableAt: Date | null;
}

/** How long a due diligence statement can be amended or retracted after its reference number was made available. */
export const AMEND_WINDOW_MS = 72 * 3_600_000;

/**
 * Until when a statement can be amended or retracted. When its number was made available lies between two answers, so the
 * end lies between `surely` and `atMost`; an authority may extend it to 8 days. Null without an end: not available yet, or a
 * declaration, which has no time limit.
 */
export function amendWindow(
  submission: Pick<Submission, 'kind' | 'availableAt' | 'notYetAvailableAt' | 'handedOverAt'>,
): { readonly surely: Date; readonly atMost: Date } | null {
  const { kind, availableAt } = submission;
  if (kind === 'sd' || availableAt === null) return null;
  const earliest = submission.notYetAvailableAt ?? submission.handedOverAt ?? availableAt;
  return {
    surely: new Date(earliest.getTime() + AMEND_WINDOW_MS),
    atMost: new Date(availableAt.getTime() + AMEND_WINDOW_MS),
  };
}

/** What can be done with a submission now: `cancel` before it is sent, `amend` and `retract` once it is filed. */
export function allowedActs(
  submission: Pick<
    Submission,
    'state' | 'change' | 'uuid' | 'kind' | 'availableAt' | 'notYetAvailableAt' | 'handedOverAt'
  >,
  now: Date,
): readonly ('cancel' | SubmissionChange)[] {
  const { state, change, uuid } = submission;
  if (state === 'waiting') return ['cancel'];
  if (change !== null || uuid === null) return [];
  const window = amendWindow(submission);
  const isOpen = window === null || now < window.atMost;
  if (state === 'available') return isOpen ? ['amend', 'retract'] : [];
  return state === 'submitted' ? ['retract'] : [];
}
