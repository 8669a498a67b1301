import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Actor, AuditedAct, NewAct } from '../../auth/audit-log.ts';
import type { Places } from '../../collections/due-diligence/filing-choices.ts';
import { Problem } from '../../errors.ts';
import { createSubmissionStore, type FilingContent, type SubmissionPage } from '../../db/traces/submissions.ts';
import type { Store } from '../../db/open-store.ts';
import type { FilingAnswers } from '../../traces/draft/complete-draft.ts';
import { FILING_TIMES } from '../../traces/filing/filing-times.ts';
import { allowedActs, type Submission } from '../../traces/filing/submission.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import type { Verification } from '../../traces/messages/read-answers.ts';
import type { NumberPair } from '../../traces/messages/requests.ts';
import type { TracesCredentials } from '../../traces/messages/security-header.ts';
import type { DdsStatement, FilingKind, SdStatement } from '../../traces/messages/statement.ts';
import { isBlocking, issueOf, type FilingIssue } from '../../traces/rules/filing-issues.ts';
import { readDraft, type DraftParts } from './collection-drafts.ts';
import { checkCollection, type CheckedFiling } from './check-collection.ts';
import {
  confirmationFor,
  chooseEnvironment,
  environmentsOf,
  wantConfirmation,
  type TracesSettings,
} from './environments.ts';
import type { TracesClient } from '../../traces/client/open-client.ts';
import type { OpenedFiler } from './open-filer.ts';

/** Which statement of a collection is filed, as what, where, and with which answers. */
export interface FilingRequest {
  readonly userId: string;
  readonly collectionId: string;
  /** Number of the statement in the due diligence export, from 1. */
  readonly statementNumber: number;
  readonly kind: FilingKind;
  /** How a declaration says where plots are; a statement takes their geometry alone. */
  readonly places: Places;
  /** Null: the default of this service. */
  readonly environment: TracesEnvironment | null;
  /** Words of `EXCLUDABLE`. */
  readonly exclude: readonly string[];
  readonly answers: FilingAnswers;
}

/** What stands between a statement and its submission; nothing has been sent. */
export interface FilingCheck extends Pick<CheckedFiling, 'issues' | 'summary'> {
  readonly environment: TracesEnvironment;
  readonly isReady: boolean;
  readonly collectionName: string;
  /** Statements that the plots of the collection take. */
  readonly statements: number;
  /** Headings of Annex I for each commodity, as the export proposes them. */
  readonly proposals: readonly unknown[];
  /** What has to be typed as `confirm`; null outside production. */
  readonly confirmation: string | null;
}

interface Confirmed {
  /** What a person typed. */
  readonly confirm: string | null;
  readonly by: Actor;
}

/** What a person wants of one submission that is there. */
interface ChangeRequest extends Confirmed {
  readonly userId: string;
  readonly id: string;
}

export interface TracesStatus {
  readonly environments: readonly TracesEnvironment[];
  readonly credentials: readonly { readonly environment: TracesEnvironment; readonly updatedAt: Date }[];
}

/** Filing with the EU information system as HTTP, the command line and the console use it. */
export interface TracesService {
  status(userId: string): Promise<TracesStatus>;
  setCredentials(
    userId: string,
    environment: TracesEnvironment,
    credentials: TracesCredentials,
    by: Actor,
  ): Promise<void>;
  /** False when there were none. */
  removeCredentials(userId: string, environment: TracesEnvironment, by: Actor): Promise<boolean>;
  check(request: FilingRequest, signal: AbortSignal): Promise<FilingCheck>;
  /** Records a submission, which is then filed once. Throws `Problem('filing_incomplete')` and others. */
  submit(
    request: FilingRequest & Confirmed & { readonly idempotencyKey: string | null },
    signal: AbortSignal,
  ): Promise<Submission>;
  list(userId: string, page: SubmissionPage): Promise<readonly Submission[]>;
  find(userId: string, id: string): Promise<Submission>;
  /** Has the status queried now, unless it was a moment ago. */
  refresh(userId: string, id: string): Promise<Submission>;
  cancel(request: Omit<ChangeRequest, 'confirm'>): Promise<Submission>;
  retract(request: ChangeRequest): Promise<Submission>;
  amend(
    request: ChangeRequest & Pick<FilingRequest, 'places' | 'exclude' | 'answers'>,
    signal: AbortSignal,
  ): Promise<Submission>;
  /** What has to be typed for a change; null outside production. */
  confirmationOf(submission: Submission, act: 'amend' | 'retract'): string | null;
  echo(userId: string, environment: TracesEnvironment | null, signal: AbortSignal): Promise<string>;
  verify(
    userId: string,
    environment: TracesEnvironment | null,
    numbers: NumberPair,
    signal: AbortSignal,
  ): Promise<Verification>;
  /** A statement by its numbers, one that another refers to among them; null where there is none. */
  retrieve(
    userId: string,
    environment: TracesEnvironment | null,
    kind: FilingKind,
    numbers: NumberPair,
    signal: AbortSignal,
  ): Promise<DdsStatement | SdStatement | null>;
}

interface TracesOptions {
  readonly store: Store;
  readonly config: TracesSettings;
  readonly filer: OpenedFiler;
  readonly drafts: DraftParts;
  /** Default: the clock of this machine. */
  readonly clock?: () => Date;
}

/** Submissions of one user that are not answered yet. */
export const MAX_OPEN_SUBMISSIONS = 200;

/** Joins drafts, checks and records of submissions to whatever files them. */
export function createTracesService(options: TracesOptions): TracesService {
  const { store, config, filer, drafts, clock = () => new Date() } = options;
  const { credentials, vault } = filer;
  const submissions = createSubmissionStore(store);
  const parts: Parts = { config, filer, drafts, submissions, clock };
  return {
    async status(userId) {
      return { environments: environmentsOf(config), credentials: await credentials.list(userId) };
    },
    async setCredentials(userId, environment, given, by) {
      const chosen = chooseEnvironment(config, environment);
      await vault.put(userId, chosen, given, actOf(by, 'traces_credentials_set', userId, { environment: chosen }));
      filer.wake();
    },
    removeCredentials: (userId, environment, by) =>
      credentials.remove(userId, environment, actOf(by, 'traces_credentials_removed', userId, { environment })),
    check: (request, signal) => check(parts, request, signal),
    submit: (request, signal) => submit(parts, request, signal),
    list: (userId, page) => submissions.list(userId, page),
    find: (userId, id) => find(parts, userId, id),
    refresh: (userId, id) => refresh(parts, userId, id),
    async cancel({ userId, id, by }) {
      await find(parts, userId, id);
      if (!(await submissions.cancel(userId, id, actOf(by, 'statement_cancelled', id, {}))))
        throw new Problem('conflict', 'The submission is not waiting any more; retract it once it is filed.');
      return find(parts, userId, id);
    },
    async retract({ userId, id, confirm, by }) {
      const submission = await findAllowed(parts, userId, id, 'retract');
      wantConfirmation(confirmationOf(submission, 'retract'), confirm);
      return plan(parts, submission, 'retract', null, actOf(by, 'statement_retracted', id, named(submission)));
    },
    amend: (request, signal) => amend(parts, request, signal),
    confirmationOf,
    echo: (userId, environment, signal) =>
      call(parts, userId, environment, (client) => client.echo('firstmile', signal)),
    verify: (userId, environment, numbers, signal) =>
      call(parts, userId, environment, (client) => client.verify(numbers, signal)),
    retrieve: (userId, environment, kind, numbers, signal) =>
      call(parts, userId, environment, (client) => client.byNumbers(kind, numbers, signal)),
  };
}

/** What the acts below work with. */
interface Parts extends Pick<TracesOptions, 'config' | 'filer' | 'drafts'> {
  readonly submissions: ReturnType<typeof createSubmissionStore>;
  readonly clock: () => Date;
}

async function check(parts: Parts, request: FilingRequest, signal: AbortSignal): Promise<FilingCheck> {
  const environment = chooseEnvironment(parts.config, request.environment);
  const { draft, checked } = await prepare(parts, request, environment, null, signal);
  const hasCredentials = (await parts.filer.credentials.get(request.userId, environment)) !== null;
  const issues = hasCredentials
    ? checked.issues
    : [
        ...checked.issues,
        issueOf('credentials_missing', 'credentials', `wanted credentials for ${environment}, got none`),
      ];
  return {
    environment,
    issues,
    summary: checked.summary,
    isReady: !issues.some(isBlocking),
    collectionName: draft.collectionName,
    statements: draft.statements,
    proposals: draft.draft.proposals,
    confirmation: confirmationFor(environment, 'file', request.collectionId.slice(0, 8)),
  };
}

async function submit(
  parts: Parts,
  { confirm, by, idempotencyKey, ...request }: Parameters<TracesService['submit']>[0],
  signal: AbortSignal,
): Promise<Submission> {
  const { submissions, filer } = parts;
  const { userId, collectionId, statementNumber, kind } = request;
  const environment = chooseEnvironment(parts.config, request.environment);
  wantConfirmation(confirmationFor(environment, 'file', collectionId.slice(0, 8)), confirm);
  await wantCredentials(parts, userId, environment);
  if ((await submissions.countOpen(userId)) >= MAX_OPEN_SUBMISSIONS)
    throw new Problem(
      'quota_exceeded',
      `You have ${MAX_OPEN_SUBMISSIONS} submissions without an answer; wait for them.`,
    );
  const internalReference = createReference();
  const { checked } = await prepare(parts, request, environment, internalReference, signal);
  wantComplete(checked.issues);
  const submission = await submissions.add(
    {
      userId,
      collectionId,
      statementNumber,
      kind,
      environment,
      internalReference,
      content: contentOf(checked),
      idempotency:
        idempotencyKey === null
          ? null
          : { key: idempotencyKey, fingerprint: sha256(JSON.stringify([environment, request])) },
    },
    actOf(by, 'statement_submitted', collectionId, { environment, kind, internalReference }),
  );
  filer.wake();
  return submission;
}

async function refresh(parts: Parts, userId: string, id: string): Promise<Submission> {
  const submission = await find(parts, userId, id);
  const { refreshMs } = FILING_TIMES[submission.environment];
  const since = submission.queriedAt ?? submission.handedOverAt;
  const isFiled = submission.uuid !== null && submission.change === null;
  if (!isFiled || (since !== null && parts.clock().getTime() - since.getTime() < refreshMs)) return submission;
  await parts.submissions.refresh(userId, id);
  parts.filer.wake();
  return find(parts, userId, id);
}

async function amend(
  parts: Parts,
  { userId, id, confirm, by, places, exclude, answers }: Parameters<TracesService['amend']>[0],
  signal: AbortSignal,
): Promise<Submission> {
  const submission = await findAllowed(parts, userId, id, 'amend');
  wantConfirmation(confirmationOf(submission, 'amend'), confirm);
  const { environment, internalReference } = submission;
  const request = { ...submission, places, exclude, answers };
  const { checked } = await prepare(parts, request, environment, internalReference, signal);
  const activity = checked.filing.statement.activityType;
  const before = submission.summary.activityType;
  wantComplete([
    ...checked.issues,
    ...(activity && activity !== before
      ? [issueOf('activity_change', 'statement.activityType', `wanted ${before}, got ${activity}`)]
      : []),
  ]);
  const act = actOf(by, 'statement_amended', id, named(submission));
  return plan(parts, submission, 'amend', contentOf(checked), act);
}

async function find({ submissions }: Parts, userId: string, id: string): Promise<Submission> {
  return (await submissions.get(userId, id)) ?? unknownSubmission();
}

async function wantCredentials({ filer }: Parts, userId: string, environment: TracesEnvironment): Promise<void> {
  if ((await filer.credentials.get(userId, environment)) !== null) return;
  throw new Problem(
    'filing_credentials_missing',
    `You have no credentials for ${environment}; PUT /traces/credentials/${environment} sets them.`,
  );
}

async function prepare(
  { drafts, clock }: Parts,
  request: FilingRequest,
  environment: TracesEnvironment,
  reference: string | null,
  signal: AbortSignal,
) {
  const draft = await readDraft(drafts, request, signal);
  return { draft, checked: checkCollection(draft, request.answers, environment, reference, clock()) };
}

async function call<T>(
  parts: Parts,
  userId: string,
  wanted: TracesEnvironment | null,
  work: (client: TracesClient) => Promise<T>,
): Promise<T> {
  const environment = chooseEnvironment(parts.config, wanted);
  await wantCredentials(parts, userId, environment);
  return parts.filer.clients.call(userId, environment, work);
}

async function findAllowed(parts: Parts, userId: string, id: string, act: 'amend' | 'retract'): Promise<Submission> {
  const submission = await find(parts, userId, id);
  if (allowedActs(submission, parts.clock()).includes(act)) return submission;
  const { state, change } = submission;
  const why = change === null ? `it is ${state}` : `it is to ${change} already`;
  throw new Problem(
    'conflict',
    `The submission cannot be ${act === 'amend' ? 'amended' : 'retracted'}: ${why}, or its 72 hours are over.`,
  );
}

async function plan(
  parts: Parts,
  submission: Submission,
  change: 'amend' | 'retract',
  content: FilingContent | null,
  act: NewAct,
): Promise<Submission> {
  if (!(await parts.submissions.plan(submission, change, content, act)))
    throw new Problem('conflict', 'The submission has moved on meanwhile; read it again, then decide.');
  parts.filer.wake();
  return find(parts, submission.userId, submission.id);
}

function confirmationOf(
  { environment, referenceNumber, internalReference }: Submission,
  act: 'amend' | 'retract',
): string | null {
  return confirmationFor(environment, act, referenceNumber ?? internalReference);
}

/** `FM-` and 55 random bits in letters and digits that are not confused: 14 characters, which both kinds take. */
function createReference(): string {
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return `FM-${[...randomBytes(11)].map((byte) => alphabet[byte % 32]).join('')}`;
}

function contentOf({ filing, summary }: CheckedFiling): FilingContent {
  const text = JSON.stringify(filing);
  return { bytes: gzipSync(text), sha256: sha256(text), summary };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function wantComplete(issues: readonly FilingIssue[]): void {
  const blocking = issues.filter(isBlocking);
  if (blocking.length === 0) return;
  const errors = blocking.map(({ code, field, detail, advice }) => ({
    pointer: field,
    code,
    detail: `${detail}. ${advice}`,
  }));
  throw new Problem(
    'filing_incomplete',
    `Nothing was sent: ${blocking.length} things are missing or invalid, the first: ${blocking[0]!.field}: ${blocking[0]!.detail}.`,
    { errors },
  );
}

function named({ environment, kind, referenceNumber, internalReference }: Submission) {
  return { environment, kind, internalReference, referenceNumber };
}

function actOf(by: Actor, act: AuditedAct, target: string, detail: NonNullable<NewAct['detail']>): NewAct {
  return { ...by, act, target, detail };
}

function unknownSubmission(): never {
  throw new Problem('submission_not_found', 'You have no submission with this id.');
}
