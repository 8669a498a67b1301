import type { Kysely } from 'kysely';
import { credentials } from './0001-credentials.ts';
import { tasks } from './0002-tasks.ts';
import { webhooks } from './0003-webhooks.ts';
import { email } from './0004-email.ts';
import { collections } from './0005-collections.ts';
import { batchEvents } from './0006-batch-events.ts';
import { taskTurns } from './0007-task-turns.ts';
import { collectionMapping } from './0008-collection-mapping.ts';
import { auditLog } from './0009-audit-log.ts';
import { processCrashes } from './0010-process-crashes.ts';
import { rateCounts } from './0012-rate-counts.ts';
import { suspects } from './0011-suspects.ts';
import { crashesOfSteps } from './0013-crashes-of-steps.ts';
import { traces } from './0014-traces.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (db: Kysely<unknown>) => Promise<void>;
}

/** Every step from an empty database to the tables of `database.ts`. A step that was released is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'credentials', up: credentials },
  { version: 2, name: 'tasks', up: tasks },
  { version: 3, name: 'webhooks', up: webhooks },
  { version: 4, name: 'email', up: email },
  { version: 5, name: 'collections', up: collections },
  { version: 6, name: 'batch events', up: batchEvents },
  { version: 7, name: 'task turns', up: taskTurns },
  { version: 8, name: 'collection mapping', up: collectionMapping },
  { version: 9, name: 'audit log', up: auditLog },
  { version: 10, name: 'process crashes', up: processCrashes },
  { version: 11, name: 'suspects', up: suspects },
  { version: 12, name: 'rate counts', up: rateCounts },
  { version: 13, name: 'crashes of steps', up: crashesOfSteps },
  { version: 14, name: 'traces', up: traces },
];
