import { followBatch, type Task } from './follow-task.ts';
import { TaskFailed } from './problems.ts';
import { readLines } from './read-lines.ts';
import { resumed } from './resumed.ts';
import type { Operations } from './schema.ts';
import { readJson, sendRequest, unread, type Transport } from './send-request.ts';
import type { OnSent } from './send-form.ts';
import { fileOf, parse, type Feature } from './stream-features.ts';
import { formOf } from './typed-calls.ts';

export type Collection = Operations['getCollection']['answer'];
type Work = Extract<Operations['processBatch']['answer'], { collection_id: string }>;
type BatchFields = Omit<Operations['processBatch']['form'] & object, 'file' | 'filename' | 'dry_run' | 'mapping'>;

interface Following {
  /** Hears every state of the batch. */
  readonly onTask?: (task: Task) => void;
  readonly signal?: AbortSignal;
}

export type RunOptions = Omit<BatchFields, 'collection_name'> &
  Following & {
    /** What you call it. */
    readonly collection_name: string;
    /** Their column to our field, or to null to leave it alone. */
    readonly mapping?: Readonly<Record<string, string | null>>;
    /** Hears how much of the file has left. */
    readonly onSent?: OnSent;
    /** Hears the ids as soon as the batch is accepted: `resume` takes the first. */
    readonly onAccepted?: (collectionId: string, taskId: string | null) => void;
    readonly idempotencyKey?: string;
  };

/** What can be fetched, one feature for each location or facility. */
const FETCHED = {
  plots: '/fetch_plots',
  deforestation_check: '/fetch_deforestation_check',
  biomass_emissions: '/fetch_biomass_emissions',
  biodiversity: '/fetch_biodiversity',
  supply_shed: '/fetch_supply_shed',
} as const;

interface Answers {
  readonly plots: Operations['fetchPlots'];
  readonly deforestation_check: Operations['fetchDeforestationCheck'];
  readonly biomass_emissions: Operations['fetchBiomassEmissions'];
  readonly biodiversity: Operations['fetchBiodiversity'];
  readonly supply_shed: Operations['fetchSupplyShed'];
}
type Fetched = keyof typeof FETCHED;
type FetchedFeature<W extends Fetched> = Extract<Answers[W]['answer'], { features: unknown }>['features'][number];

export type FetchOptions<W extends Fetched> = Partial<
  Omit<Answers[W]['query'], 'filename' | 'limit' | 'after' | 'aggregate'>
> & {
  /** Only where columns have these values. */
  readonly where?: Readonly<Record<string, string | number | boolean>>;
  readonly signal?: AbortSignal;
};

export interface Collections {
  /**
   * Sends a file (or takes a staged collection by its id), has it processed, follows the batch to its end and gives the collection.
   * Throws `TaskFailed` where the batch failed or was cancelled. A signal ends the following; the batch goes on.
   */
  readonly run: (source: Blob | readonly Feature[] | string, options: RunOptions) => Promise<Collection>;
  /** Follows a batch that was begun before, by the id of its collection. */
  readonly resume: (collectionId: string, options?: Following) => Promise<Collection>;
  /** The states of the last batch of a collection as they change, until it has ended. */
  readonly follow: (collectionId: string, options?: { readonly signal?: AbortSignal }) => AsyncGenerator<Task, void>;
  /** What was found, in the order of the file, page by page. */
  readonly features: <W extends Fetched>(
    collectionId: string,
    what: W,
    options?: FetchOptions<W>,
  ) => AsyncGenerator<FetchedFeature<W>, void>;
}

const PAGE = 1_000;

export function collectionCalls(transport: Transport): Collections {
  const follow: Collections['follow'] = (id, { signal } = {}) => followBatch(transport, id, signal);

  /** Follows a task of a collection, or its last one by the id of the collection. */
  const finish = async (id: string, trackingId: string, { onTask, signal }: Following): Promise<Collection> => {
    for await (const task of followBatch(transport, trackingId, signal)) {
      onTask?.(task);
      if (task.status === 'failed' || task.status === 'cancelled') throw failureOf(task, `Task ${task.task_id}`);
    }
    const request = { method: 'GET', template: '/collections/{collection_id}', path: { collection_id: id }, signal };
    const collection = await sendRequest(transport, request, readJson<Collection>);
    // Its task may not be kept any more.
    const { status } = collection;
    if (status === 'failed' || status === 'cancelled') throw failureOf(collection, `Collection ${id}`);
    return collection;
  };

  return {
    follow,
    resume: (id, options = {}) => finish(id, id, options),
    async run(source, { onTask, onSent, onAccepted, signal, idempotencyKey, ...fields }) {
      const what = typeof source === 'string' ? { filename: source } : { file: asFile(source) };
      const form = formOf({ ...fields, ...what });
      const request = { method: 'POST', template: '/batch_process', form, onSent, idempotencyKey, signal };
      const { collection_id: id, task_id: taskId } = await sendRequest(transport, request, readJson<Work>);
      onAccepted?.(id, taskId);
      return await finish(id, taskId ?? id, { ...(onTask && { onTask }), ...(signal && { signal }) });
    },
    async *features(id, what, { where, signal, ...query } = {}) {
      let after: string | null = null;
      do {
        let next: string | null = null;
        const request = {
          method: 'GET',
          template: FETCHED[what],
          query: { ...query, ...where, filename: id, limit: PAGE, after },
          accept: 'application/x-ndjson',
          signal,
        };
        yield* resumed(transport, signal, async function* () {
          const response = await sendRequest(transport, request, unread);
          next = nextPage(response.headers.get('link'));
          for await (const line of readLines(response, transport.silenceMs, signal))
            yield parse(line) as FetchedFeature<typeof what>;
        });
        after = next;
      } while (after !== null);
    },
  };
}

function asFile(source: Blob | readonly Feature[]): Blob {
  return source instanceof Blob ? source : fileOf(source);
}

function failureOf({ status, error }: Pick<Task, 'status' | 'error'> | Collection, what: string): TaskFailed {
  const isCancelled = status === 'cancelled';
  const why = error?.detail ?? (isCancelled ? 'it was cancelled' : 'no reason is known');
  return new TaskFailed({ code: isCancelled ? 'task_cancelled' : 'task_failed', detail: `${what}: ${why}` });
}

/** The `after` of the next page, out of a `Link` header. */
function nextPage(link: string | null): string | null {
  const address = /<([^>]*)>;\s*rel="?next"?/.exec(link ?? '')?.[1];
  return address === undefined ? null : new URL(address, 'http://localhost').searchParams.get('after');
}
