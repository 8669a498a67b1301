import type { AuditLog } from '../../auth/audit-log.ts';
import type { Auth } from '../../auth/open-auth.ts';
import type { CredentialStore } from '../../auth/principal.ts';
import type { Config } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import type { Tasks, TaskStatus } from '../../jobs/task.ts';
import type { DatasetInfo } from '../../service/datasets/catalogue.ts';
import type { ListedContract } from '../../service/outside/list-contracts.ts';
import type { CollectionService } from '../../service/collections/collections.ts';
import type { ForestService } from '../../service/forest/forest.ts';
import type { ReviewService } from '../../service/reviews/reviews.ts';
import type { Signatures } from '../../service/signatures/signatures.ts';
import type { WebhookService } from '../../service/webhooks/webhooks.ts';
import type { Tracing } from '../../tracing.ts';
import type { Routes } from './app.ts';
import type { SharedRateCounts } from '../guards/rate-limiter.ts';

/** A limit in force, as `/limits` shows it. */
export interface ServiceLimit {
  /** Stable, in snake_case. */
  readonly name: string;
  /** Null: not limited. */
  readonly value: number | string | null;
  readonly unit: string;
  readonly description: string;
}

/** What `GET /limits` answers. */
export interface ServiceLimits {
  readonly limits: readonly ServiceLimit[];
  readonly thresholds: readonly ServiceLimit[];
}

/** Something the service cannot work without; `check` throws a `Problem` that says why it is not usable. */
export interface ReadinessCheck {
  readonly name: string;
  check(signal: AbortSignal): Promise<void>;
}

/** What the server is made of. */
export interface ServerDeps {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  readonly auth: Auth;
  readonly credentials: CredentialStore;
  /** Where administrative acts are recorded. */
  readonly audit: AuditLog;
  readonly tasks: Tasks;
  /** What people decided of rows of results. */
  readonly reviews: Pick<ReviewService, 'all'>;
  readonly datasets: () => Promise<readonly DatasetInfo[]>;
  /** What is known of the contracts of datasets at addresses; absent: nothing. */
  readonly contracts?: () => Promise<readonly ListedContract[]>;
  /** Limits in force in addition to those of this folder. */
  readonly limits: ServiceLimits;
  readonly readiness: readonly ReadinessCheck[];
  readonly routes: readonly Routes[];
  /** Tasks in the queue by status, for the metrics; absent: not reported. */
  readonly countTasks?: () => Promise<Readonly<Partial<Record<TaskStatus, number>>>>;
  /** How long tasks wait, how many are at work and how many are accepted, for the metrics; absent: not reported. */
  readonly measureQueue?: () => Promise<{
    readonly oldestWaitingS: number;
    readonly running: number;
    readonly limit: number;
  }>;
  /** Collections by status, for the metrics; absent: not reported. */
  readonly countCollections?: CollectionService['count'];
  /** Gives forest lookups as they end to the metrics; absent: not reported. */
  readonly observeLookups?: ForestService['onLookup'];
  /** Where spans of requests go; absent: nowhere. */
  readonly tracing?: Tracing;
  /** Deliveries and their attempts, for the metrics; absent: not reported. */
  readonly webhooks?: Pick<WebhookService, 'count' | 'onAttempt' | 'status'>;
  /** Signs answers; absent: none can be had signed. */
  readonly signatures?: Signatures;
  /** Requests of the rate limit as all processes on one database count them; absent: this process counts for itself. */
  readonly rateCounts?: SharedRateCounts;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Default: `TIMEOUTS`. */
  readonly timeouts?: Timeouts;
}

/** Milliseconds a client may take. */
interface Timeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Silence on a connection, in both directions. */
  readonly idleMs: number;
  /** How often the first two are looked at. */
  readonly checkEveryMs: number;
}

export const TIMEOUTS: Timeouts = { headersMs: 15_000, requestMs: 1_800_000, idleMs: 300_000, checkEveryMs: 5_000 };
