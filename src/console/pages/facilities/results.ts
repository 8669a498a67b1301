import { signal, type ReadonlySignal } from '@preact/signals';
import { send } from '../../api/client.ts';
import type { ResultRow } from './result-row.ts';
import type { FromResults, ToResults } from './results-worker.ts';

/** The results of one task, as they are read. */
export interface Results {
  readonly rows: ReadonlySignal<readonly ResultRow[]>;
  /** What is said of all of them; null until they have been read. */
  readonly summary: ReadonlySignal<Readonly<Record<string, unknown>> | null>;
  readonly isComplete: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<Error | null>;
  /** The whole feature of a row, or null when there is none. */
  detail(index: number): Promise<unknown>;
  export(format: 'geojson' | 'csv', rows: readonly ResultRow[]): Promise<Blob>;
  close(): void;
}

/** Reads the results of a completed task. They stay as bytes in a worker, which gives a short row of each to the page. */
export function openResults(taskId: string): Results {
  const worker = new Worker(new URL('./results-worker.ts', import.meta.url), { type: 'module' });
  const abort = new AbortController();
  const rows = signal<readonly ResultRow[]>([]);
  const summary = signal<Readonly<Record<string, unknown>> | null>(null);
  const isComplete = signal(false);
  const error = signal<Error | null>(null);
  const gathered: ResultRow[] = [];
  const waiting = new Map<number, (value: unknown) => void>();
  let lastQuestion = 0;
  let shownNext = 1;

  // Shown when there are half as many again as before: what is drawn for them grows with their number.
  const show = (): void => {
    if (gathered.length < shownNext) return;
    shownNext = gathered.length * 1.5;
    rows.value = [...gathered];
  };
  const post = (message: ToResults, transfer: Transferable[] = []): void => worker.postMessage(message, transfer);
  const ask = (question: (number: number) => ToResults): Promise<unknown> =>
    new Promise((resolve) => {
      const number = ++lastQuestion;
      waiting.set(number, resolve);
      post(question(number));
    });

  worker.addEventListener('error', (event) => (error.value = new Error(event.message)));
  worker.addEventListener('message', ({ data }: MessageEvent<FromResults>) => {
    if (data.type === 'rows') {
      for (const row of data.rows) gathered.push(row);
      show();
    } else if (data.type === 'summary') summary.value = data.summary;
    else if (data.type === 'ended') {
      rows.value = [...gathered];
      isComplete.value = true;
    } else {
      waiting.get(data.question)?.(data.value);
      waiting.delete(data.question);
    }
  });

  void read(taskId, abort.signal, post).catch((reason: unknown) => {
    if (!abort.signal.aborted) error.value = reason as Error;
  });

  return {
    rows,
    summary,
    isComplete,
    error,
    detail: (index) => ask((question) => ({ type: 'detail', question, index })),
    export: async (format, chosen) => {
      const indices = Uint32Array.from(chosen, ({ index }) => index);
      return (await ask((question) => ({ type: 'export', question, format, indices }))) as Blob;
    },
    close() {
      abort.abort(new Error('the results are no longer shown'));
      worker.terminate();
    },
  };
}

async function read(
  taskId: string,
  signal: AbortSignal,
  post: (message: ToResults, transfer?: Transferable[]) => void,
) {
  const { body } = await send('getTaskResults', { path: { task_id: taskId }, accept: '*/*', signal });
  const reader = body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read())
    post({ type: 'bytes', bytes: part.value }, [part.value.buffer]);
  post({ type: 'end' });
}
