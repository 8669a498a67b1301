import type { Language } from '../../messages/languages.ts';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { BatchOptions, Collection } from '../../collections/collection.ts';
import type { ReportEmail } from '../../collections/report-email.ts';
import { Problem } from '../../errors.ts';
import type { CollectionStore } from '../../db/collections/create-collections.ts';
import type { Task, Tasks } from '../../jobs/task.ts';
import { BATCH_TASK, CHECK_TASK, type CollectionReading, collectionTaskParams } from './collection-task.ts';
import type { LocationOptions } from '../../locations/options.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { FileWork } from '../files/file-work.ts';
import type { LocationPreview } from '../locations/preview-locations.ts';
import { spoolInput } from '../locations/spool-input.ts';

/** A request that is made once however often it is sent: the client's key and what makes the request what it is. */
export interface RepeatKey {
  readonly key: string;
  readonly request: unknown;
}

interface StageRequest {
  readonly userId: string;
  /** See `NewCollection`. */
  readonly isLocalUser?: boolean;
  readonly name: string;
  readonly description: string;
  /** Where the uploaded file lies until the request is answered, and its name. */
  readonly file: { readonly path: string; readonly name: string; readonly size: number };
  readonly reading: CollectionReading;
  /** Begin to validate the locations at once. */
  readonly validate: boolean;
  readonly repeat: RepeatKey | null;
}

/** What a batch says of how its file is read; what it does not give is as it was staged. */
export interface ReadingChange {
  readonly reading: CollectionReading;
  readonly given: readonly (keyof LocationOptions)[];
}

/** A file that is on disk until the request is answered, or a collection. */
type PreviewedFile =
  | { readonly path: string; readonly size: number; readonly filename: string | null }
  | { readonly id: string };

/** What a preview is held to. */
interface PreviewTerms {
  readonly mostBytes: number;
  readonly mostLocations: number;
  /** Fetch map data that is missing around the locations, and wait for it. */
  readonly fetchData: boolean;
}

export interface BatchRequest {
  readonly options: BatchOptions;
  /** Null: as it was staged. */
  readonly reading: ReadingChange | null;
  readonly name?: string;
  readonly description?: string;
  /** Where the report goes in place of the address of the local user; null: only there. */
  readonly email: string | null;
  /** What emails about it are written in; default English. */
  readonly language?: Language;
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
  /** What the file would become; keeps nothing. Throws `Problem` for one that cannot be read as locations. */
  preview(
    userId: string,
    file: PreviewedFile,
    change: ReadingChange,
    terms: PreviewTerms,
    signal: AbortSignal,
  ): Promise<LocationPreview>;
  /** The last task of the collection; null when there was none or its time is over. */
  lastTask(collection: Collection): Promise<Task | null>;
  /** The email with its due diligence report; null where none was requested, or the batch is not completed. */
  reportEmail(collection: Collection): Promise<ReportEmail | null>;
  /** Where the email of a batch would go that the user requests with this address; null: nowhere. */
  reportAddress(userId: string, email: string | null): Promise<string | null>;
  /** Stops what works on the collection and deletes it with everything of it. */
  delete(userId: string, id: string): Promise<void>;
}

interface CollectionServiceParts {
  readonly store: CollectionStore;
  readonly tasks: Tasks;
  readonly files: Pick<FileWork, 'run'>;
  /** The address of one of our users, or null. */
  readonly addressOf: (userId: string) => Promise<string | null>;
  /** Whether a mail server is set; default true. */
  readonly sendsEmails?: boolean;
  /** Called with the id of a collection that was deleted; default nothing. */
  readonly onDeleted?: (id: string) => Promise<void>;
}

/** A task may begin between the cancellation of one and the deletion; nobody begins tasks faster than this many. */
const DELETE_TRIES = 5;

/** The file lies here already, and its sender may leave. */
const FOR_AS_LONG_AS_IT_TAKES = new AbortController().signal;

export function createCollectionService(parts: CollectionServiceParts): CollectionService {
  const { store, tasks, addressOf, sendsEmails = true, onDeleted = () => Promise.resolve() } = parts;
  const find = async (userId: string, id: string): Promise<Collection> =>
    (await store.get(userId, id)) ?? unknownCollection();
  return {
    find,
    findByTask: async (userId, taskId) => (await store.byTask(userId, taskId)) ?? unknownCollection(),
    lastTask: (collection) => lastTask(tasks, collection),
    list: (userId, page) => store.list(userId, page),
    count: () => store.count(),

    async reportEmail(collection) {
      const email = await store.reportEmail(collection);
      if (email?.state !== 'queued' || sendsEmails) return email;
      return { ...email, reason: 'No mail server is set (SMTP_URL); the email waits until one is.' };
    },

    async stage(request) {
      const collection = await keepFile(parts, request);
      // A repeated request finds the task it began.
      if (!request.validate || collection.taskId !== null)
        return { collection, task: await lastTask(tasks, collection) };
      const source = await sourceOf(store, collection);
      const { repeat } = request;
      const task = await submit(tasks, collection, { kind: CHECK_TASK, source, options: null, email: null, repeat });
      return { collection: await find(request.userId, collection.id), task };
    },

    async process(userId, id, request) {
      const { mapping, task } = await submitBatch(parts, await find(userId, id), request);
      const { name, description } = request;
      await store.describe(userId, id, {
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
      });
      return { collection: { ...(await find(userId, id)), mapping }, task };
    },

    async preview(userId, file, change, terms, signal) {
      const look = { files: parts.files, userId, terms, signal };
      if ('path' in file) return await previewFile(file, file.filename, change.reading.locations, look);
      const collection = await find(userId, file.id);
      const { reading } = await sourceOf(store, collection);
      await using kept = await storedFile(store, collection, signal);
      const { name, size } = collection.file;
      return await previewFile({ path: kept.path, size }, name, changedReading(reading, change).locations, look);
    },

    reportAddress: async (userId, email) => email ?? (await addressOf(userId)),

    async delete(userId, id) {
      for (let tries = 0; tries < DELETE_TRIES; tries++) {
        const { status, taskId } = await find(userId, id);
        if (status === 'processing' && taskId !== null) await tasks.cancel(userId, taskId);
        const outcome = await store.delete(userId, id);
        if (outcome === 'deleted') return await onDeleted(id);
        if (outcome === 'unknown') unknownCollection();
      }
      throw new Problem('collection_busy', 'Tasks keep beginning to work on the collection; wanted none.');
    },
  };
}

type Parts = Pick<CollectionServiceParts, 'store' | 'tasks' | 'files'>;

/** Stores an uploaded file as a collection. What cannot be read is refused now, while its sender is there to hear it. */
async function keepFile(
  { store, files }: Parts,
  { userId, isLocalUser = false, name, description, file, reading, repeat }: StageRequest,
): Promise<Collection> {
  const mapping = await openFile(files, userId, file, reading.locations);
  const sha256 = await digestOf(file.path);
  return await store.add(
    {
      id: randomUUID(),
      userId,
      isLocalUser,
      name,
      description,
      file: { name: file.name, size: file.size, sha256 },
      reading,
      mapping,
      idempotency: repeat === null ? null : { key: repeat.key, fingerprint: fingerprint([sha256, repeat.request]) },
    },
    () => createReadStream(file.path, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>,
  );
}

/** Begins a batch in place of a check that may be running. */
async function submitBatch(
  parts: Parts,
  before: Collection,
  { options, reading, name, description, email, language, repeat }: BatchRequest,
): Promise<{ readonly mapping: readonly TableMapping[] | null; readonly task: Task }> {
  const { store, tasks } = parts;
  const source = await sourceOf(store, before);
  const read = changedReading(source.reading, reading);
  const mapping = await mappingWith(parts, before, source.reading, read);
  const running = before.status === 'processing' ? await lastTask(tasks, before) : null;
  const isChecked = running?.kind === CHECK_TASK && running.status === 'processing';
  // The batch does what the check was about to do.
  if (isChecked) await tasks.cancel(before.userId, running.id);
  const named = { ...before, name: name ?? before.name, description: description ?? before.description };
  const task = await submit(tasks, named, {
    kind: BATCH_TASK,
    source: { ...source, reading: read },
    options: { ...options, validateLocations: options.validateLocations || isChecked },
    email,
    language,
    repeat,
  });
  return { mapping, task };
}

async function lastTask(tasks: Tasks, { userId, taskId }: Collection): Promise<Task | null> {
  return taskId === null ? null : tasks.get(userId, taskId);
}

/** A stored file, and how it is read. */
interface Source {
  readonly blobId: string;
  readonly reading: CollectionReading;
}

/** A task that works on a collection. */
interface Order {
  readonly kind: typeof BATCH_TASK | typeof CHECK_TASK;
  readonly source: Source;
  /** Null: a check has none. */
  readonly options: BatchOptions | null;
  readonly email: string | null;
  readonly language?: Language | undefined;
  readonly repeat: RepeatKey | null;
}

function submit(
  tasks: Tasks,
  collection: Collection,
  { kind, source, options, email, language, repeat }: Order,
): Promise<Task> {
  const { id, userId } = collection;
  const params = collectionTaskParams(collection, {
    reading: source.reading,
    email,
    ...(language === undefined ? {} : { language }),
    options,
  });
  return tasks.submit({
    kind,
    userId,
    params,
    input: { blobId: source.blobId },
    idempotency: repeat === null ? null : { key: repeat.key, fingerprint: fingerprint([id, repeat.request]) },
  });
}

async function sourceOf(store: CollectionStore, { userId, id }: Collection): Promise<Source> {
  const source = (await store.source(userId, id)) ?? unknownCollection();
  return { blobId: source.blobId, reading: source.reading as CollectionReading };
}

async function storedFile(
  store: CollectionStore,
  { userId, id }: Collection,
  signal: AbortSignal,
): ReturnType<typeof spoolInput> {
  return spoolInput((await store.file(userId, id)) ?? unknownCollection(), signal);
}

/** What the columns are taken for; a mapping that names no column of the file is refused while its sender is there to hear it. */
async function mappingWith(
  { store, files }: Parts,
  collection: Collection,
  { locations: before }: CollectionReading,
  { locations: now }: CollectionReading,
): Promise<readonly TableMapping[] | null> {
  if (JSON.stringify({ ...now, commodity: null }) === JSON.stringify({ ...before, commodity: null }))
    return collection.mapping;
  await using kept = await storedFile(store, collection, FOR_AS_LONG_AS_IT_TAKES);
  // Awaited here: the file goes when this function ends.
  return await openFile(files, collection.userId, { path: kept.path, size: collection.file.size }, now);
}

/** A file on this disk; its size in bytes. */
interface LocalFile {
  readonly path: string;
  readonly size: number;
}

/** What the columns of a file are taken for; refuses one that cannot be read while its sender is there to hear it. */
async function openFile(
  files: Parts['files'],
  userId: string,
  { path, size }: LocalFile,
  options: LocationOptions,
): Promise<readonly TableMapping[]> {
  const request = { userId, size, signal: FOR_AS_LONG_AS_IT_TAKES };
  return (await files.run({ kind: 'open_locations', params: { path, options } }, request)) as readonly TableMapping[];
}

interface Look {
  readonly files: Parts['files'];
  readonly userId: string;
  readonly terms: PreviewTerms;
  readonly signal: AbortSignal;
}

async function previewFile(
  { path, size: bytes }: LocalFile,
  fileName: string | null,
  options: LocationOptions,
  { files, userId, terms: { mostBytes, mostLocations, fetchData }, signal }: Look,
): Promise<LocationPreview> {
  const size = { bytes, most_bytes: mostBytes, most_locations: mostLocations };
  const params = { path, options, preview: { fileName, size, fetchData } };
  return (await files.run({ kind: 'preview_locations', params }, { userId, size: bytes, signal })) as LocationPreview;
}

/** A reading with what a request gives in place of what it had. */
function changedReading(before: CollectionReading, change: ReadingChange | null): CollectionReading {
  if (change === null || change.given.length === 0) return before;
  const { reading, given } = change;
  const locations = {
    ...before.locations,
    ...Object.fromEntries(given.map((name) => [name, reading.locations[name]])),
  };
  return { locations, facility: given.includes('commodity') ? reading.facility : before.facility };
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
