import { FILING_CODES, type FilingCode } from './filing-codes.ts';

/** One finding of the service in a refusal. */
export interface ServiceFinding {
  readonly code: FilingCode;
  /** As the service wrote it. */
  readonly serviceCode: string;
  readonly message: string;
  /** Where, in the words of the service; null where it says nothing. */
  readonly field: string | null;
}

/**
 * What a failed call leaves: `not_sent`, the service never had it; `refused`, the service has decided against it;
 * `unknown`, it may have been done or may still be.
 */
export type CallOutcome = 'not_sent' | 'refused' | 'unknown';

interface FailureOptions extends ErrorOptions {
  readonly outcome: CallOutcome;
  readonly findings?: readonly ServiceFinding[];
  /** HTTP status, or null without an answer. */
  readonly status?: number | null;
  /** The service's own name for the call, for its support. */
  readonly requestId?: string | null;
  /** True where the service answered with a SOAP fault. Default false. */
  readonly isFault?: boolean;
}

/** A call that did not get its answer. The message is a sentence for people and holds no credentials. */
export class TracesFailure extends Error {
  override readonly name = 'TracesFailure';
  readonly code: FilingCode;
  readonly outcome: CallOutcome;
  readonly findings: readonly ServiceFinding[];
  readonly status: number | null;
  readonly requestId: string | null;
  readonly isFault: boolean;

  constructor(code: FilingCode, message: string, options: FailureOptions) {
    super(message, options);
    this.code = code;
    this.outcome = options.outcome;
    this.findings = options.findings ?? [];
    this.status = options.status ?? null;
    this.requestId = options.requestId ?? null;
    this.isFault = options.isFault ?? false;
  }

  get advice(): string {
    return FILING_CODES[this.code];
  }
}
