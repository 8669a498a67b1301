import type { Actor } from '../auth/audit-log.ts';
import type { SubmissionPage } from '../db/traces/submissions.ts';
import type { FilingCheck, FilingRequest, TracesService, TracesStatus } from '../service/traces/traces.ts';
import type { Submission } from '../traces/filing/submission.ts';
import type { TracesEnvironment } from '../traces/interface-v3.ts';
import type { Verification } from '../traces/messages/read-answers.ts';
import type { NumberPair } from '../traces/messages/requests.ts';
import type { TracesCredentials } from '../traces/messages/security-header.ts';

interface OfUser {
  readonly userId: string;
  readonly environment: TracesEnvironment | null;
}

interface ChangeOrder {
  readonly userId: string;
  readonly id: string;
  readonly confirm: string | null;
  readonly by: Actor;
}

/** What the command line does with filing; each takes one value, so that it can be called through a socket. */
export interface TracesAdmin {
  filingStatus(userId: string): Promise<TracesStatus>;
  setFilingCredentials(order: OfUser & { readonly credentials: TracesCredentials; readonly by: Actor }): Promise<void>;
  removeFilingCredentials(order: OfUser & { readonly by: Actor }): Promise<boolean>;
  echoFiling(order: OfUser): Promise<string>;
  verifyNumbers(order: OfUser & NumberPair): Promise<Verification>;
  checkFiling(request: FilingRequest): Promise<FilingCheck>;
  submitFiling(request: Parameters<TracesService['submit']>[0]): Promise<Submission>;
  listSubmissions(page: SubmissionPage & { readonly userId: string }): Promise<readonly Submission[]>;
  /** With `isFresh` the status is queried first. */
  findSubmission(wanted: {
    readonly userId: string;
    readonly id: string;
    readonly isFresh: boolean;
  }): Promise<Submission>;
  cancelSubmission(order: Omit<ChangeOrder, 'confirm'>): Promise<Submission>;
  retractSubmission(order: ChangeOrder): Promise<Submission>;
  amendSubmission(order: Parameters<TracesService['amend']>[0]): Promise<Submission>;
  /** What has to be typed for a change; null outside production. */
  changeConfirmation(wanted: {
    readonly userId: string;
    readonly id: string;
    readonly act: 'amend' | 'retract';
  }): Promise<string | null>;
}

/** A command waits as long as it takes; Ctrl-C ends the command, not the work. */
const FOR_AS_LONG_AS_IT_TAKES = new AbortController().signal;

export function createTracesAdmin(traces: TracesService): TracesAdmin {
  const signal = FOR_AS_LONG_AS_IT_TAKES;
  const chosen = async (userId: string, environment: TracesEnvironment | null): Promise<TracesEnvironment> =>
    environment ?? (await traces.status(userId)).environments[0]!;
  return {
    filingStatus: (userId) => traces.status(userId),
    setFilingCredentials: async ({ userId, environment, credentials, by }) =>
      traces.setCredentials(userId, await chosen(userId, environment), credentials, by),
    removeFilingCredentials: async ({ userId, environment, by }) =>
      traces.removeCredentials(userId, await chosen(userId, environment), by),
    echoFiling: ({ userId, environment }) => traces.echo(userId, environment, signal),
    verifyNumbers: ({ userId, environment, referenceNumber, verificationNumber }) =>
      traces.verify(userId, environment, { referenceNumber, verificationNumber }, signal),
    checkFiling: (request) => traces.check(request, signal),
    submitFiling: (request) => traces.submit(request, signal),
    listSubmissions: ({ userId, ...page }) => traces.list(userId, page),
    findSubmission: ({ userId, id, isFresh }) => (isFresh ? traces.refresh(userId, id) : traces.find(userId, id)),
    cancelSubmission: (order) => traces.cancel(order),
    retractSubmission: (order) => traces.retract(order),
    amendSubmission: (order) => traces.amend(order, signal),
    changeConfirmation: async ({ userId, id, act }) => traces.confirmationOf(await traces.find(userId, id), act),
  };
}
