import { effect, signal, type ReadonlySignal } from '@preact/signals';
import { send } from '../../api/client.ts';
import { openLines } from '../../api/open-lines.ts';
import type { ResultRow } from './result-row.ts';
import type { ResultsQuestion } from './results-worker.ts';

/** The results of one task, as they are read. */
export interface Results {
  readonly rows: ReadonlySignal<readonly ResultRow[]>;
  /** What is said of all of them; null until they have been read. */
  readonly summary: ReadonlySignal<Readonly<Record<string, unknown>> | null>;
  readonly isComplete: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<unknown>;
  /** The whole feature of a row, or null when there is none. */
  detail(index: number): Promise<unknown>;
  export(format: 'geojson' | 'csv', rows: readonly ResultRow[]): Promise<Blob>;
  close(): void;
}

/** Reads the results of a completed task. They stay as bytes in a worker, which gives a short row of each to the page. */
export function openResults(taskId: string): Results {
  const worker = new Worker(new URL('./results-worker.ts', import.meta.url), { type: 'module' });
  const { query, close, ...lines } = openLines<ResultRow, ResultsQuestion>(worker, (abort) =>
    send('getTaskResults', { path: { task_id: taskId }, accept: '*/*', signal: abort }),
  );
  const summary = signal<Readonly<Record<string, unknown>> | null>(null);
  const stop = effect(() => {
    if (!lines.isComplete.value) return;
    void query({ type: 'summary' }).then((answer) => (summary.value = answer as Record<string, unknown> | null));
  });
  return {
    ...lines,
    summary,
    detail: (index) => query({ type: 'detail', index }),
    async export(format, chosen) {
      const indices = Uint32Array.from(chosen, ({ index }) => index);
      return (await query({ type: 'export', format, indices })) as Blob;
    },
    close() {
      stop();
      close();
    },
  };
}
