/** Where the process of the crash matrix is killed, and what its death may leave behind. */
export const CRASH_POINTS = [
  { name: 'before the commit', committed: 'no', sent: 'no' },
  { name: 'commit on its way', committed: 'perhaps', sent: 'no' },
  { name: 'committed', committed: 'yes', sent: 'no' },
  { name: 'claim on its way', committed: 'yes', sent: 'no' },
  { name: 'claimed', committed: 'yes', sent: 'no' },
  { name: 'name being resolved', committed: 'yes', sent: 'no' },
  { name: 'connected, before TLS', committed: 'yes', sent: 'no' },
  { name: 'request received, not answered', committed: 'yes', sent: 'not recorded' },
  { name: 'answered, not recorded', committed: 'yes', sent: 'not recorded' },
  { name: 'record on its way', committed: 'yes', sent: 'perhaps recorded' },
  { name: 'failure recorded, next attempt to come', committed: 'yes', sent: 'recorded' },
  { name: 'stopping, request on its way', committed: 'yes', sent: 'not recorded' },
] as const satisfies readonly CrashPointShape[];

interface CrashPointShape {
  readonly name: string;
  /** Whether the work, its event and its email are in the database at the kill. */
  readonly committed: 'no' | 'perhaps' | 'yes';
  /** Whether the receiver has the request at the kill, and the database the attempt. */
  readonly sent: 'no' | 'not recorded' | 'perhaps recorded' | 'recorded';
}

export type CrashPoint = (typeof CRASH_POINTS)[number];
export type CrashPointName = CrashPoint['name'];

/** Duplicates of one event that a kill at the point may cause. */
export const DUPLICATES_ALLOWED = {
  no: 0,
  'not recorded': 1,
  'perhaps recorded': 1,
  recorded: 0,
} as const satisfies Record<CrashPointShape['sent'], number>;

/** What the parent tells the process: first of all where it is to be killed, or null to end in peace. */
export interface CrashOrder {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Seconds its clock is ahead, so that the leases of those killed before have ended. */
  readonly aheadS: number;
  readonly port: number;
  /** The work of the process before, to be reported again and waited for; null for the first. */
  readonly previous: string | null;
  /** The work to complete and where to be killed meanwhile; null to end in peace. */
  readonly next: { readonly key: string; readonly point: CrashPointName } | null;
}

/** What the process found of the work before. */
export interface CrashFindings {
  /** True when reporting the completion again wrote the event: it was not there. */
  readonly writtenAgain: boolean;
  readonly events: number;
  readonly emails: number;
  readonly state: string;
  /** Attempts in the log. */
  readonly attempts: number;
  readonly eventId: string;
}

/** What the process tells; after the first message it waits for any other one before it goes to its end. */
export type CrashMessage = { readonly secret: string } | { readonly found: CrashFindings } | 'stopping';
