import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Problem } from '../../errors.ts';
import type { FeatureRows } from '../../gis/feature-rows.ts';
import type { Task, Tasks } from '../../jobs/task.ts';
import { FEATURE_FORMATS } from '../../locations/formats/feature-text.ts';
import { FACILITY_TASK } from '../facilities/facility-task.ts';
import type { FileWork } from '../files/file-work.ts';
import { NORMALIZE_TASK, VALIDATE_TASK } from '../locations/location-task.ts';
import { TASK_KINDS } from '../task-kinds.ts';
import { keepRows } from './kept-rows.ts';
import { openRows } from './row-file.ts';
import { resultRowsPath } from './write-result-rows.ts';

/** The results of tasks that rate, validate or normalise a file of places, as rows. */
export interface ResultRows {
  /** The newest that are completed, as features. */
  list(userId: string, limit: number): Promise<readonly Task[]>;
  /** Null where there is no such task of the user, or one of another kind. */
  find(userId: string, taskId: string): Promise<Task | null>;
  open(task: Task): Promise<FeatureRows>;
  close(): Promise<void>;
}

interface ResultRowsDeps {
  readonly tasks: Pick<Tasks, 'get' | 'list' | 'results'>;
  readonly files: Pick<FileWork, 'run'>;
}

const KINDS: readonly string[] = [FACILITY_TASK, VALIDATE_TASK, NORMALIZE_TASK];
const OTHERS = TASK_KINDS.filter((kind) => !KINDS.includes(kind));

/** Whether the results of a task are features, not a table. */
export function hasFeatures({ resultType }: Task): boolean {
  return resultType === FEATURE_FORMATS.geojson || resultType === FEATURE_FORMATS.ndjson;
}

export function keepResultRows({ tasks, files }: ResultRowsDeps): ResultRows {
  const kept = keepRows<FeatureRows>();

  async function write({ userId, id }: Task, folder: string): Promise<FeatureRows> {
    const results = await tasks.results(userId, id);
    if (results === null) throw new Problem('not_found', `The results of the task ${id} were deleted.`);
    const path = join(folder, 'results');
    const { signal } = new AbortController();
    await pipeline(results, createWriteStream(path));
    const { size } = await stat(path);
    await files.run({ kind: 'map_results', params: { path, folder } }, { userId, size, signal });
    await rm(path);
    return await openRows(resultRowsPath(folder));
  }

  return {
    async list(userId, limit) {
      const found = await tasks.list(userId, { limit, status: 'completed', withoutKinds: OTHERS });
      return found.filter(hasFeatures);
    },
    async find(userId, taskId) {
      const task = await tasks.get(userId, taskId);
      return task !== null && KINDS.includes(task.kind) ? task : null;
    },
    open(task) {
      const { id, userId } = task;
      const isThere = async (): Promise<boolean> => (await tasks.get(userId, id)) !== null;
      return kept.open({ owner: id, version: id, isThere }, (folder) => write(task, folder));
    },
    close: () => kept.close(),
  };
}
