import { signal, type ReadonlySignal } from '@preact/signals';
import type { FromLines, ToLines } from './serve-lines.ts';

/** The lines of an answer, as they are read. */
export interface Lines<Row, Question> {
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly isComplete: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<unknown>;
  query(what: Question): Promise<unknown>;
  close(): void;
}

/** Reads an answer into a worker that serves its lines (`serveLines`), which gives a short row of each to the page. */
export function openLines<Row, Question>(
  worker: Worker,
  request: (signal: AbortSignal) => Promise<Pick<Response, 'body'>>,
): Lines<Row, Question> {
  const abort = new AbortController();
  const rows = signal<readonly Row[]>([]);
  const isComplete = signal(false);
  const error = signal<unknown>(null);
  const gathered: Row[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastQuestion = 0;
  let shownNext = 1;

  // Shown when there are twice as many as before: what is drawn for them grows with their number.
  const show = (): void => {
    if (gathered.length < shownNext) return;
    shownNext = gathered.length * 2;
    rows.value = [...gathered];
  };
  const post = (message: ToLines, transfer: Transferable[] = []): void => worker.postMessage(message, transfer);

  worker.addEventListener('error', (event) => (error.value = new Error(event.message)));
  worker.addEventListener('message', ({ data }: MessageEvent<FromLines<Row>>) => {
    if (data.type === 'rows') {
      for (const row of data.rows) gathered.push(row);
      show();
    } else if (data.type === 'ended') {
      rows.value = [...gathered];
      // In a task of its own: what is made of all rows, such as what the map fits to, takes as long as the rows themselves.
      setTimeout(() => (isComplete.value = true));
    } else {
      const pending = waiting.get(data.question);
      if (data.type === 'answer') pending?.resolve(data.value);
      else pending?.reject(new Error(data.message));
      waiting.delete(data.question);
    }
  });

  const read = async (): Promise<void> => {
    const reader = (await request(abort.signal)).body?.getReader();
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read())
      post({ type: 'bytes', bytes: part.value }, [part.value.buffer]);
    post({ type: 'end' });
  };
  read().catch((reason: unknown) => {
    if (!abort.signal.aborted) error.value = reason;
  });

  return {
    rows,
    isComplete,
    error,
    query(what) {
      const question = ++lastQuestion;
      const pending = Promise.withResolvers<unknown>();
      waiting.set(question, pending);
      post({ type: 'query', question, what });
      return pending.promise;
    },
    close() {
      abort.abort(new Error('the answer is no longer shown'));
      worker.terminate();
    },
  };
}
