import type { ColumnType, Generated } from 'kysely';
import type {
  SubmissionChange,
  SubmissionFailure,
  SubmissionState,
  SubmissionSummary,
} from '../../traces/filing/submission.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import type { FilingKind } from '../../traces/messages/statement.ts';

/** The tables of filing. */
export interface TracesTables {
  readonly traces_credentials: TracesCredentialsTable;
  readonly traces_submissions: TracesSubmissionsTable;
}

interface TracesCredentialsTable {
  user_id: string;
  environment: TracesEnvironment;
  /** User name, key, client id and body identity as JSON, sealed. */
  sealed: string;
  updated_at: ColumnType<Date, Date | undefined, Date>;
}

/** JSON that is written as text. */
type Json<T> = ColumnType<T, string, string>;

interface TracesSubmissionsTable {
  id: Generated<string>;
  user_id: string;
  collection_id: string;
  statement_number: number;
  kind: FilingKind;
  environment: TracesEnvironment;
  internal_reference: string;
  state: SubmissionState;
  change: SubmissionChange | null;
  summary: Json<SubmissionSummary>;
  content_blob: string;
  content_sha256: string;
  /** What an amendment brings, until it is answered. */
  pending_blob: string | null;
  pending_sha256: string | null;
  pending_summary: ColumnType<SubmissionSummary | null, string | null | undefined, string | null>;
  uuid: string | null;
  reference_number: string | null;
  verification_number: string | null;
  rejection_reason: string | null;
  communication: string | null;
  failure: ColumnType<SubmissionFailure | null, string | null | undefined, string | null>;
  failures: Generated<number>;
  sends: Generated<number>;
  empty_answers: Generated<number>;
  /** Goes up with every claim; together with `lease_owner` the fencing token. */
  attempt: Generated<number>;
  lease_owner: string | null;
  lease_until: Date | null;
  handed_over_at: Date | null;
  /** True from handing over until the answer, or that there is none, is settled. */
  awaits_answer: Generated<boolean>;
  queried_at: Date | null;
  next_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  not_yet_available_at: Date | null;
  available_at: Date | null;
  idempotency_key: string | null;
  fingerprint: string | null;
  created_at: ColumnType<Date, never, never>;
}
