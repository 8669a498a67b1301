import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Task } from '../../../clients/typescript/follow-task.ts';
import { send } from '../../api/client.ts';
import { openLines } from '../../api/open-lines.ts';
import type { RowsQuestion } from '../../parts/files/chosen-rows.ts';
import type { OwnQuestion } from '../../parts/files/own-columns.ts';
import { fileOf } from '../../state/file-names.ts';
import { t } from '../../text/translate.ts';
import type { ResultRow } from './result-row.ts';
import type { ResultsQuestion } from './results-worker.ts';
import { orderOf, type Order } from './submit.ts';

/** The results of one task, as they are read. */
export interface Results {
  readonly rows: ReadonlySignal<readonly ResultRow[]>;
  /** What is said of all of them; null until they have been read. */
  readonly summary: ReadonlySignal<Readonly<Record<string, unknown>> | null>;
  readonly isComplete: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<unknown>;
  /** Name of the file that they came from, and how it was checked. */
  readonly file: string;
  readonly order: Order;
  /** The whole feature of a row, or null when there is none. */
  detail(index: number): Promise<unknown>;
  own(question: OwnQuestion): Promise<unknown>;
  export(format: RowsQuestion['format'], rows: readonly ResultRow[], reviews: RowsQuestion['reviews']): Promise<Blob>;
  close(): void;
}

/** Reads the results of a completed task. They stay as bytes in a worker, which gives a short row of each to the page. */
export function openResults({ task_id: taskId, file: sent }: Task): Results {
  // A task that was begun elsewhere is not known to this browser.
  const file = fileOf(taskId) ?? sent;
  const worker = new Worker(new URL('./results-worker.ts', import.meta.url), { type: 'module' });
  const { query, close, ...lines } = openLines<ResultRow, ResultsQuestion>(worker, (abort) =>
    readable(send('getTaskResults', { path: { task_id: taskId }, accept: '*/*', signal: abort })),
  );
  const summary = signal<Readonly<Record<string, unknown>> | null>(null);
  const stop = effect(() => {
    if (!lines.isComplete.value) return;
    void query({ type: 'summary' }).then((answer) => (summary.value = answer as Record<string, unknown> | null));
  });
  return {
    ...lines,
    summary,
    file: file ?? 'places',
    order: orderOf(taskId),
    detail: (index) => query({ type: 'detail', index }),
    own: query,
    async export(format, chosen, reviews) {
      const indices = Uint32Array.from(chosen, ({ index }) => index);
      return (await query({ type: 'export', format, indices, reviews, file })) as Blob;
    },
    close() {
      stop();
      close();
    },
  };
}

/** An answer that has a feature on each line; a task that was begun elsewhere may have made a table. */
async function readable(answer: Promise<Response>): Promise<Response> {
  const { headers } = await answer;
  const type = headers.get('content-type') ?? '';
  if (!/json/.test(type)) throw new Error(t('facilities.otherFormat', { type: type.split(';')[0] ?? '' }));
  return await answer;
}
