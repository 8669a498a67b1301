import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { BatchOptions, Collection } from '../collections/collection.ts';
import type { ReportEmail } from '../collections/report-email.ts';
import { Problem } from '../errors.ts';
import type { CollectionStore } from '../store/collections/create-collections.ts';
import type { Task, Tasks } from '../tasks/task.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionReading, type CollectionTaskParams } from './collection-task.ts';
import type { LocationService } from './locations.ts';

/** A request that is made once however often it is sent: the client's key and what makes the request what it is. */
export interface RepeatKey {
  readonly key: string;
  readonly request: unknown;
}

export interface StageRequest {
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  /** Where the uploaded file lies until the request is answered, and its name. */
  readonly file: { readonly path: string; readonly name: string; readonly size: number };
  readonly reading: CollectionReading;
  /** Begin to validate the locations at once. */
  readonly validate: boolean;
  readonly repeat: RepeatKey | null;
}

export interface BatchRequest {
  readonly options: BatchOptions;
  /** Null: as it was staged. */
  readonly reading: CollectionReading | null;
  readonly name?: string;
  readonly description?: string;
  readonly repeat: RepeatKey | null;
}

/** A collection and the task that works on it. */
export interface CollectionWork {
  readonly collection: Collection;
  readonly task: Task | null;
}

/** Collections as HTTP and the command line use them. Methods throw `Problem('collection_not_found')`. */
export interface CollectionService extends Pick<CollectionStore, 'list' | 'count'> {
  find(userId: string, id: string): Promise<Collection>;
  /** The collection that a task of it worked on. */
  findByTask(userId: string, taskId: string): Promise<Collection>;
  /** Keeps a file. Throws `Problem` for one that cannot be read as locations. */
  stage(request: StageRequest): Promise<CollectionWork>;
  /** Begins the batch of a collection. Throws `Problem('collection_busy')` while another batch of it runs. */
  process(userId: string, id: string, request: BatchRequest): Promise<{ collection: Collection; task: Task }>;
  /** The last task of the collection; null when there was none or its time is over. */
  lastTask(collection: Collection): Promise<Task | null>;
  /** The email with its due diligence report; null where none was asked for of a completed batch. */
  reportEmail(collection: Collection): Promise<ReportEmail | null>;
  /** Stops what works on the collection and deletes it with everything of it. */
  delete(userId: string, id: string): Promise<void>;
}

export interface CollectionServiceParts {
  readonly store: CollectionStore;
  readonly tasks: Tasks;
  /** With the limits of a task. */
  readonly locations: Pick<LocationService, 'open'>;
  /** Whether a mail server is set; default true. */
  readonly sendsEmails?: boolean;
}

/** A task may begin between the cancellation of one and the deletion; nobody begins tasks faster than this many. */
const DELETE_TRIES = 5;

export function createCollectionService({
  store,
  tasks,
  locations,
  sendsEmails = true,
}: CollectionServiceParts): CollectionService {
  async function find(userId: string, id: string): Promise<Collection> {
    return (await store.get(userId, id)) ?? unknownCollection();
  }

  async function lastTask({ userId, taskId }: Collection): Promise<Task | null> {
    return taskId === null ? null : tasks.get(userId, taskId);
  }

  function submit(
    kind: typeof BATCH_TASK | typeof CHECK_TASK,
    collection: Collection,
    source: { readonly blobId: string; readonly reading: CollectionReading },
    options: BatchOptions | null,
    repeat: RepeatKey | null,
  ): Promise<Task> {
    const { id, userId, name, description, file, createdAt } = collection;
    const params: CollectionTaskParams = {
      collectionId: id,
      collection: { id, userId, name, description, file, createdAt: createdAt.toISOString() },
      reading: source.reading,
      options,
    };
    return tasks.submit({
      kind,
      userId,
      params,
      input: { blobId: source.blobId },
      idempotency: repeat === null ? null : { key: repeat.key, fingerprint: fingerprint([id, repeat.request]) },
    });
  }

  async function sourceOf({ userId, id }: Collection): Promise<{ blobId: string; reading: CollectionReading }> {
    const source = (await store.source(userId, id)) ?? unknownCollection();
    return { blobId: source.blobId, reading: source.reading as CollectionReading };
  }

  return {
    find,
    findByTask: async (userId, taskId) => (await store.byTask(userId, taskId)) ?? unknownCollection(),
    lastTask,
    list: (userId, page) => store.list(userId, page),
    count: () => store.count(),

    async reportEmail(collection) {
      const email = await store.reportEmail(collection);
      if (email?.state !== 'queued' || sendsEmails) return email;
      return { ...email, reason: 'No mail server is set (SMTP_URL); the email waits until one is.' };
    },

    async stage({ userId, name, description, file, reading, validate, repeat }) {
      // What cannot be read is refused now, while its sender is there to hear it.
      await using _ = await locations.open(file.path, reading.locations);
      const sha256 = await digestOf(file.path);
      const collection = await store.add(
        {
          id: randomUUID(),
          userId,
          name,
          description,
          file: { name: file.name, size: file.size, sha256 },
          reading,
          idempotency: repeat === null ? null : { key: repeat.key, fingerprint: fingerprint([sha256, repeat.request]) },
        },
        () => createReadStream(file.path, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>,
      );
      // A repeated request finds the task it began.
      if (!validate || collection.taskId !== null) return { collection, task: await lastTask(collection) };
      const task = await submit(CHECK_TASK, collection, await sourceOf(collection), null, repeat);
      return { collection: await find(userId, collection.id), task };
    },

    async process(userId, id, { options, reading, name, description, repeat }) {
      const before = await find(userId, id);
      const running = before.status === 'processing' ? await lastTask(before) : null;
      const isChecked = running?.kind === CHECK_TASK && running.status === 'processing';
      // The batch does what the check was about to do.
      if (isChecked) await tasks.cancel(userId, running.id);
      const source = await sourceOf(before);
      const named = { ...before, name: name ?? before.name, description: description ?? before.description };
      const task = await submit(
        BATCH_TASK,
        named,
        { ...source, reading: reading ?? source.reading },
        { ...options, validateLocations: options.validateLocations || isChecked },
        repeat,
      );
      await store.describe(userId, id, {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      });
      return { collection: await find(userId, id), task };
    },

    async delete(userId, id) {
      for (let tries = 0; tries < DELETE_TRIES; tries++) {
        const { status, taskId } = await find(userId, id);
        if (status === 'processing' && taskId !== null) await tasks.cancel(userId, taskId);
        const outcome = await store.delete(userId, id);
        if (outcome === 'deleted') return;
        if (outcome === 'unknown') unknownCollection();
      }
      throw new Problem('collection_busy', 'Tasks keep beginning to work on the collection; wanted none.');
    },
  };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 262_144 })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

function fingerprint(value: unknown): Uint8Array {
  return createHash('sha256').update(JSON.stringify(value)).digest();
}

function unknownCollection(): never {
  throw new Problem('collection_not_found', 'You have no collection with this id.');
}
