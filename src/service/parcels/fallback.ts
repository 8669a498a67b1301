import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import type { WrittenAnswer } from '../../forest/feature-text.ts';
import type { Crs } from '../../geo/crs/find-crs.ts';
import { parseJson } from '../../geo/parse-json.ts';
import { parcelWarning } from '../../parcels/warnings.ts';
import type { Task, Tasks } from '../../jobs/task.ts';
import { FOREST_TASK, forestTaskPaths, type ForestTaskParams } from '../forest/task.ts';

/** What the fallback looks up. */
interface FallbackRequest {
  /** Input features whose place lies outside every parcel footprint. */
  readonly features: readonly unknown[];
  /** What is said of each where there is no forest feature: the properties of a parcel feature without parcel. */
  readonly nothing: readonly { readonly warnings: readonly unknown[] }[];
  readonly crs: Crs;
  readonly userId: string;
  /** Milliseconds to wait for the task. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at a task: at first, and at most. */
const POLL_MS = { first: 20, most: 500 } as const;

/**
 * The forest features of points, by a forest task of the user like any other. A task that has not ended in time goes on,
 * and the answers say where its results will be; a task that fails, or is not accepted, is reported in each of them.
 *
 * @throws the reason of the signal, and then cancels the task.
 */
export async function forestFallback(tasks: Tasks, request: FallbackRequest): Promise<readonly WrittenAnswer[]> {
  const { features, userId, signal } = request;
  let task: Task;
  try {
    const params: ForestTaskParams = { crs: request.crs.name };
    const input = Readable.from([Buffer.from(JSON.stringify(features))]);
    task = await tasks.submit({ kind: FOREST_TASK, userId, params, input, idempotency: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return unavailable(request, error.message);
  }
  const ended = await untilEnded(tasks, task, request).catch(async (error: unknown) => {
    if (signal.aborted) await tasks.cancel(userId, task.id);
    throw error;
  });
  if (ended === null) return pending(request, task.id);
  if (ended.status !== 'completed') return unavailable(request, ended.error?.detail ?? `its task was ${ended.status}`);
  const answers = await readResults(tasks, ended);
  return answers?.length === features.length ? answers : unavailable(request, 'its results are gone');
}

/** The task as it ended, or null when it has not by then. */
async function untilEnded(
  tasks: Tasks,
  { id }: Task,
  { userId, waitMs, signal }: FallbackRequest,
): Promise<Task | null> {
  const until = performance.now() + waitMs;
  for (let pauseMs: number = POLL_MS.first; ; pauseMs = Math.min(POLL_MS.most, pauseMs * 1.5)) {
    signal.throwIfAborted();
    const task = await tasks.get(userId, id);
    if (task === null) throw new Problem('internal', 'The task of the forest fallback is gone.');
    if (task.status !== 'processing') return task;
    const leftMs = until - performance.now();
    if (leftMs <= 0) return null;
    await wait(Math.min(pauseMs, leftMs), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function readResults(tasks: Tasks, { userId, id }: Task): Promise<readonly WrittenAnswer[] | null> {
  const bytes = await tasks.results(userId, id);
  if (bytes === null) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const { features } = parseJson(Buffer.concat(chunks).toString()) as {
    readonly features: readonly { readonly geometry: object | null; readonly properties: object }[];
  };
  return features.map(({ geometry, properties }) => ({
    geometry: geometry === null ? null : JSON.stringify(geometry),
    properties,
  }));
}

function unavailable({ nothing }: FallbackRequest, reason: string): WrittenAnswer[] {
  const warning = parcelWarning('forest_unavailable', { reason: reason.replace(/\.$/, '') });
  return nothing.map((properties) => ({
    geometry: null,
    properties: { ...properties, warnings: [warning, ...properties.warnings] },
  }));
}

function pending({ nothing }: FallbackRequest, id: string): WrittenAnswer[] {
  const paths = forestTaskPaths(id);
  const warning = parcelWarning('forest_pending', { results: paths.results_url });
  return nothing.map((properties, index) => ({
    geometry: null,
    properties: {
      ...properties,
      warnings: [warning, ...properties.warnings],
      forest_task: { task_id: id, index, ...paths },
    },
  }));
}
