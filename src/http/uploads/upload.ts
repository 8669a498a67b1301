import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ErrorCode } from '../../errors.ts';
import { wrongMediaType } from '../problems/to-problem.ts';
import type { UploadFolder } from './upload-folder.ts';
import {
  createUploadFields,
  FILE_PART,
  formPointer,
  RAW_MEDIA_TYPES,
  refused,
  unknownField,
} from './upload-parsing.ts';

/** What the multipart parser and the disk throw, by `code`, and what the client gets. */
const KNOWN = {
  FST_MP_PREMATURE_CLOSE: ['client_closed_request', 'The client left before its file had arrived.'],
  ECONNRESET: ['client_closed_request', 'The client left before its file had arrived.'],
  ABORT_ERR: ['client_closed_request', 'The client left before its file had arrived.'],
  ERR_STREAM_PREMATURE_CLOSE: ['client_closed_request', 'The client left before its file had arrived.'],
  FST_PROTO_VIOLATION: [
    'invalid_body',
    'A field has the name of a built-in property; wanted the name of a known field.',
  ],
  FST_INVALID_JSON_FIELD_ERROR: [
    'invalid_body',
    'A part that declares application/json does not hold JSON; wanted JSON.',
  ],
  FST_PARTS_LIMIT: ['invalid_body', 'The form has far too many parts; wanted a file and the known fields.'],
  FST_FILES_LIMIT: ['invalid_body', 'The form holds more than one file; wanted one file.'],
  FST_FIELDS_LIMIT: ['invalid_body', 'The form has far too many fields; wanted the known ones.'],
  ENOSPC: ['dependency_unavailable', 'There is no room for uploads on the disk of the service.'],
  EDQUOT: ['dependency_unavailable', 'There is no room for uploads on the disk of the service.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>;

const RETRY_AFTER_S = 60;

interface UploadOptions {
  readonly folder: UploadFolder;
  /** Largest file, in bytes. */
  readonly maxBytes: number;
  /** Names of the form fields the endpoint knows in addition to `file`. */
  readonly fields: readonly string[];
  /** Longest field, in bytes; default 65,536, at most 1,048,576. */
  readonly maxFieldBytes?: number;
}

/** A file that has arrived whole. It lies in the upload folder until the response is closed or the upload is disposed of. */
export interface Upload extends AsyncDisposable {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** As the client named it, for messages only; null when it did not. */
  readonly filename: string | null;
  readonly mediaType: string;
  /** The form fields that came; empty when the body is the file itself. */
  readonly fields: Readonly<Record<string, string>>;
  /** Reads the file from its beginning; may be called more than once. */
  read(): AsyncIterable<Uint8Array>;
}

interface SpooledFile {
  readonly path: string;
  readonly size: number;
  readonly filename: string | null;
  readonly mediaType: string;
}

type Arrived = SpooledFile & { readonly fields: Readonly<Record<string, string>> };

interface SpooledForm {
  readonly file: SpooledFile | null;
  readonly fields: Readonly<Record<string, string>>;
}

/** A form that has arrived whole, with its file where it had one. */
export interface UploadForm extends AsyncDisposable {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: Upload | null;
}

const MAX_FIELD_BYTES = 65_536;
const READ_CHUNK_BYTES = 131_072;
/** How much longer than the file a form may be: boundaries, part headers and fields. */
const FORM_OVERHEAD_BYTES = 1_048_576;
/** How long a refused upload may go on arriving, so that a client that sends before it reads still gets its answer. */
const LINGER_MS = 10_000;

/**
 * Takes the one file of a request to disk before any answer begins, because a client that sends everything before it
 * reads would wait for us while we wait for it. The scope must have called `acceptUploads`. Whatever happens, the file
 * is gone when the response is closed.
 */
export async function receiveUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  options: UploadOptions,
): Promise<Upload> {
  try {
    countUpload(request, reply, options.folder);
    refuseDeclaredLength(request, options.maxBytes);
    const arrived = request.isMultipart()
      ? wantFile(await spoolForm(request, options))
      : await spoolBody(request, options);
    return await asUpload(arrived, reply);
  } catch (error) {
    discardRest(request);
    throw asUploadProblem(error);
  }
}

/** The same for a form whose file may be left out. */
export async function receiveForm(
  request: FastifyRequest,
  reply: FastifyReply,
  options: UploadOptions,
): Promise<UploadForm> {
  try {
    countUpload(request, reply, options.folder);
    refuseDeclaredLength(request, options.maxBytes);
    if (!request.isMultipart()) throw wrongMediaType(request.headers['content-type'], ['multipart/form-data']);
    const { file, fields } = await spoolForm(request, options);
    const upload = file === null ? null : await asUpload({ ...file, fields }, reply);
    return { fields, file: upload, [Symbol.asyncDispose]: async () => upload?.[Symbol.asyncDispose]() };
  } catch (error) {
    discardRest(request);
    throw asUploadProblem(error);
  }
}

/** An upload counts until its answer is complete or its client has left. */
function countUpload({ principal }: FastifyRequest, reply: FastifyReply, folder: UploadFolder): void {
  if (principal == null || reply.raw.destroyed) return;
  reply.raw.once('close', folder.begin(principal.userId));
}

function wantFile({ file, fields }: SpooledForm): Arrived {
  if (file !== null) return { ...file, fields };
  throw refused(FILE_PART, 'missing_file', `The form holds no file; wanted one in the part "${FILE_PART}", got none.`);
}

function refuseDeclaredLength(request: FastifyRequest, maxBytes: number): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes + (request.isMultipart() ? FORM_OVERHEAD_BYTES : 0))
    throw tooLarge(maxBytes, `${declared} bytes`);
}

async function spoolForm(request: FastifyRequest, options: UploadOptions): Promise<SpooledForm> {
  const fields = createUploadFields(options.fields, options.maxFieldBytes ?? MAX_FIELD_BYTES);
  let file: SpooledFile | null = null;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        fields.add(part.fieldname, part.value);
      } else {
        if (part.fieldname !== FILE_PART) throw unknownField(part.fieldname, options.fields);
        if (file !== null)
          throw refused(
            FILE_PART,
            'duplicate_file',
            'The form holds more than one file; wanted one file, got two. Send one request a file.',
          );
        const named = part.filename as string | undefined;
        file = await spool(part.file, options, { filename: named ?? null, mediaType: part.mimetype });
      }
    }
    return { file, fields: fields.values };
  } catch (error) {
    if (file !== null) await rm(file.path, { force: true });
    throw error;
  }
}

async function spoolBody(request: FastifyRequest, options: UploadOptions): Promise<Arrived> {
  const mediaType = request.headers['content-type'] ?? '';
  if (!(request.body instanceof Readable)) throw wrongMediaType(mediaType, ['multipart/form-data', ...RAW_MEDIA_TYPES]);
  // Destroying the request would close the socket before a refusal can be sent.
  const chunks = request.body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return { ...(await spool(chunks, options, { filename: null, mediaType })), fields: {} };
}

async function spool(
  chunks: AsyncIterable<Uint8Array>,
  { folder, maxBytes }: UploadOptions,
  origin: { readonly filename: string | null; readonly mediaType: string },
): Promise<SpooledFile> {
  const path = folder.newPath();
  try {
    await using handle = await open(path, 'wx', 0o600);
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes, 'more');
      await handle.writeFile(chunk);
    }
    if (size === 0) throw emptyFile();
    return { path, size, ...origin };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function asUpload(arrived: Arrived, reply: FastifyReply): Promise<Upload> {
  const remove = async (): Promise<void> => rm(arrived.path, { force: true });
  if (reply.raw.destroyed) {
    await remove();
    throw new Problem('client_closed_request', 'The client left before its file had arrived.');
  }
  reply.raw.once(
    'close',
    () => void remove().catch((error: unknown) => reply.log.error({ err: error }, 'an upload was not removed')),
  );
  return { ...arrived, read: () => contentOf(arrived.path), [Symbol.asyncDispose]: remove };
}

/** SHA-256 of the file and of what is to be done with it: a request that is sent again has the same. */
export async function fingerprintOf(upload: Upload, params: unknown): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of upload.read()) hash.update(chunk);
  return hash.update(JSON.stringify(params)).digest();
}

/** Opens the file when the first chunk is read, so that a reader that never starts holds nothing open. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array, void> {
  yield* createReadStream(path, { highWaterMark: READ_CHUNK_BYTES }) as AsyncIterable<Uint8Array>;
}

/** Reads on without keeping anything, for a while: an answer sent into a socket that is still being filled may be lost. */
function discardRest(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  raw.unpipe();
  raw.on('error', () => {});
  raw.resume();
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
  const stop = (): void => {
    clearTimeout(timer);
    raw.socket.off('close', stop);
  };
  raw.once('end', stop);
  // Once answered, the request no longer hears that its socket closed.
  raw.socket.once('close', stop);
}

function tooLarge(maxBytes: number, got: string): Problem {
  return new Problem('too_large', `The file is too large; wanted at most ${maxBytes} bytes, got ${got}.`);
}

function emptyFile(): Problem {
  const detail = 'The file is empty; wanted one with content.';
  return new Problem('malformed_file', detail, {
    errors: [{ pointer: formPointer(FILE_PART), code: 'empty', detail }],
  });
}

/** Turns a failure met while an upload arrives into what the client may see; faults of our own stay as they are. */
function asUploadProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const known = code !== undefined && code in KNOWN ? KNOWN[code as keyof typeof KNOWN] : undefined;
  if (known !== undefined) {
    const wait = known[0] === 'dependency_unavailable' ? { retryAfterS: RETRY_AFTER_S } : {};
    return new Problem(known[0], known[1], { cause: error, ...wait });
  }
  if (syscall !== undefined || code !== undefined) return error;
  const reason = error.message.replace(/\.$/, '');
  return new Problem(
    'malformed_body',
    `The form cannot be read; wanted a multipart form (RFC 7578), got a broken one: ${reason}.`,
    { cause: error },
  );
}
