/** Administrative acts that are recorded. */
export const AUDITED_ACTS = [
  'user_added',
  'password_changed',
  'user_removed',
  'user_data_given',
  'token_created',
  'token_revoked',
  'webhook_registered',
  'webhook_changed',
  'webhook_removed',
  'webhook_secret_rotated',
  'secrets_resealed',
  'signing_key_rotated',
  'traces_credentials_set',
  'traces_credentials_removed',
  'statement_submitted',
  'statement_cancelled',
  'statement_amended',
  'statement_retracted',
  'review_recorded',
  'dataset_imported',
  'dataset_removed',
  'model_installed',
  'model_removed',
  'backup_made',
  'backup_restored',
] as const;
export type AuditedAct = (typeof AUDITED_ACTS)[number];

/** Who does something, and from where. */
export interface Actor {
  /** A user id, or `name@machine` of whoever ran a command. */
  readonly actor: string;
  /** What proved it, such as `token:<id>`; `command` for the command line. Never a secret. */
  readonly credential: string;
  /** The client's address, or the command. */
  readonly source: string;
}

export interface NewAct extends Actor {
  readonly act: AuditedAct;
  /** What was changed: an email, an id, a file. */
  readonly target: string;
  /** What else is worth knowing, as small JSON; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** When it was done; default now. */
  readonly at?: Date;
}

/** An act on something that gets its id while it is done: without `target` that id is the target. */
export type ActOnNew = Omit<NewAct, 'target'> & { readonly target?: string };

export interface RecordedAct extends Required<NewAct> {
  readonly id: string;
}

interface AuditPage {
  readonly limit: number;
  /** Id of the last act of the page before. */
  readonly before?: string;
  readonly act?: AuditedAct;
}

/** The log of administrative acts. */
export interface AuditLog {
  recordAct(act: NewAct): Promise<void>;
  /** The newest first. @throws Problem when `before` is gone. */
  listActs(page: AuditPage): Promise<readonly RecordedAct[]>;
}
