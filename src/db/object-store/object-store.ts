import { Problem } from '../../errors.ts';

/** An object of the store, as a listing says it. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** Changes whenever the object is replaced. */
  readonly etag: string;
}

/** What a `put` stored. */
export interface StoredObject {
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly sha256: string;
  /** As listings give it while nobody replaces the object. */
  readonly etag: string;
}

/** Bytes wanted of an object: `length` of them from `offset`, or all from there. */
export interface ObjectRange {
  readonly offset: number;
  readonly length?: number;
}

/**
 * Files under keys, shared by every process of an installation. A key holds a whole object or nothing: whoever reads sees what was
 * there before a `put`, or what is there after it. What cannot be done throws `Problem('dependency_unavailable')`, whose cause is a
 * sentence for the operator.
 */
export interface ObjectStore {
  /** Where it is, for the operator. */
  readonly place: string;
  /**
   * Stores the bytes as they come; a source that fails leaves nothing. With `ifAbsent` an object that is there already stays, and
   * the answer is null.
   */
  put(
    key: string,
    bytes: AsyncIterable<Uint8Array>,
    options?: { readonly ifAbsent?: boolean; readonly signal?: AbortSignal },
  ): Promise<StoredObject | null>;
  /** The bytes, and the size of the whole object; null when there is none. Reading one that is replaced meanwhile throws. */
  get(
    key: string,
    range?: ObjectRange,
    signal?: AbortSignal,
  ): Promise<{ readonly size: number; readonly bytes: AsyncIterable<Uint8Array> } | null>;
  /** The objects whose key begins with `prefix`, in order of their keys. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedObject>;
  /** Removes the object, if there is one. */
  delete(key: string): Promise<void>;
  /** An address that gives the object to anybody who has it, for so many seconds. */
  link(
    key: string,
    options: { readonly seconds: number; readonly fileName: string; readonly mediaType: string },
  ): Promise<string>;
  /** Gives up uploads that were begun before `before` and never finished. Returns how many. */
  abortUploads(before: Date): Promise<number>;
  close(): Promise<void>;
}

/** What a client gets to read; the operator reads the cause in the log. */
export function objectStoreProblem(sentence: string, cause?: unknown): Problem {
  return new Problem('dependency_unavailable', 'The files of this service cannot be reached at the moment.', {
    retryAfterS: 10,
    cause: new Error(sentence, { cause }),
  });
}

/** The bucket that a row names. */
export function wantObjects(objects: ObjectStore | null): ObjectStore {
  if (objects !== null) return objects;
  throw objectStoreProblem('A file lies in a bucket and this process has none: set OBJECT_STORE_URL.');
}

/** The whole object as text; null when there is none. For small ones. */
export async function readText(objects: ObjectStore, key: string, signal?: AbortSignal): Promise<string | null> {
  const found = await objects.get(key, undefined, signal);
  if (found === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of found.bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Stores a text under a key; null: `ifAbsent` and there is an object already. */
export function putText(
  objects: ObjectStore,
  key: string,
  text: string,
  options: Parameters<ObjectStore['put']>[2] = {},
): ReturnType<ObjectStore['put']> {
  const bytes = async function* () {
    yield Buffer.from(text);
  };
  return objects.put(key, bytes(), options);
}
