import type { ReadinessCheck } from '../http/server/server-deps.ts';
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import type { Config } from '../config/settings.ts';
import { Problem } from '../errors.ts';
import type { Store } from '../db/open-store.ts';
import type { TaskRunner } from '../jobs/start-task-runner.ts';

interface ReadinessParts {
  readonly config: Pick<Config, 'dataDir' | 'maxUploadMb'>;
  readonly store: Pick<Store, 'ping'>;
  /** Null where tasks are left to other processes. */
  readonly runner: Pick<TaskRunner, 'status'> | null;
}

/** Free room below which the largest upload may not fit, with a little for the database. */
const SPARE_BYTES = 100_000_000;

/** Database, task runner and disk. */
export function readinessChecks({ config, store, runner }: ReadinessParts): readonly ReadinessCheck[] {
  const checks: ReadinessCheck[] = [
    { name: 'database', check: () => store.ping() },
    { name: 'disk', check: () => checkDisk(config) },
  ];
  if (runner !== null) checks.push({ name: 'task runner', check: () => checkRunner(runner) });
  return checks;
}

/** Free room, in bytes, without which the largest upload may not fit. */
export function spareBytes({ maxUploadMb }: Pick<Config, 'maxUploadMb'>): number {
  return maxUploadMb * 1e6 + SPARE_BYTES;
}

async function checkDisk({ dataDir, maxUploadMb }: ReadinessParts['config']): Promise<void> {
  await access(dataDir, constants.W_OK).catch((cause: unknown) => {
    throw new Problem('dependency_unavailable', 'The data folder cannot be written to.', { cause });
  });
  const { bavail, bsize } = await statfs(dataDir);
  const wanted = spareBytes({ maxUploadMb });
  if (bavail * bsize < wanted)
    throw new Problem(
      'dependency_unavailable',
      `The disk of the data folder has ${Math.round((bavail * bsize) / 1e6)} MB free; wanted ${Math.round(wanted / 1e6)} MB.`,
    );
}

async function checkRunner(runner: Pick<TaskRunner, 'status'>): Promise<void> {
  const { fault } = runner.status();
  if (fault !== null) throw new Problem('dependency_unavailable', 'The task runner cannot reach its queue.');
}
