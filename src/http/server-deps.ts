import type { Auth } from '../auth/open-auth.ts';
import type { CredentialStore } from '../auth/principal.ts';
import type { Config } from '../config.ts';
import type { Geometry } from '../geo/geometry.ts';
import type { Log } from '../log.ts';
import type { Tasks, TaskStatus } from '../tasks/task.ts';
import type { Routes } from './app.ts';

/** What the server is made of. */
export interface ServerDeps {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  readonly auth: Auth;
  readonly credentials: CredentialStore;
  readonly tasks: Tasks;
  readonly datasets: () => readonly DatasetInfo[];
  /** Limits in force beside those of this folder. */
  readonly limits: readonly Limit[];
  readonly readiness: readonly ReadinessCheck[];
  readonly routes: readonly Routes[];
  /** Tasks in the queue by status, for the metrics; absent: not reported. */
  readonly countTasks?: () => Promise<Readonly<Partial<Record<TaskStatus, number>>>>;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Default: `TIMEOUTS`. */
  readonly timeouts?: Timeouts;
}

/** Milliseconds a client may take. */
export interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Silence on a connection, in both directions. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
}

export const TIMEOUTS: Timeouts = { headersMs: 15_000, requestMs: 1_800_000, idleMs: 300_000, checkEveryMs: 5_000 };

/** A limit in force, as `/limits` shows it. */
export interface Limit {
  /** Stable, in snake_case. */
  readonly name: string;
  /** Null: not limited. */
  readonly value: number | string | null;
  readonly unit: string;
  readonly description: string;
}

/** A dataset as `/datasets` shows it. */
export interface DatasetInfo {
  readonly id: string;
  readonly role: string;
  readonly kind: string;
  readonly version: string;
  /** Of the data, YYYY-MM-DD or a part of it; null when unknown. */
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  /** West, south, east, north in degrees, or a polygon on WGS84. */
  readonly coverage: readonly number[] | Geometry;
  /** True for generated data that describes no real place. */
  readonly synthetic: boolean;
}

/** Something the service cannot work without. */
export interface ReadinessCheck {
  /** One word or two: `database`, `task runner`, `disk`. */
  readonly name: string;
  /** Throws when it is not usable; a `Problem` says why to the client, any other error only to the log. */
  check(signal: AbortSignal): Promise<void>;
}
