import { createHash } from 'node:crypto';
import { inChunks } from '../in-chunks.ts';
import { objectStoreProblem } from './object-store.ts';
import type { S3Request, S3Requests } from './s3-requests.ts';

/** Bytes of one part of a multipart upload, all but the last: 10,000 of them, which is what S3 takes, are 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;

interface Put {
  readonly size: number;
  readonly sha256: string;
}

interface PutOptions {
  readonly ifAbsent: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Stores bytes in one request where they fit into one part, else in parts that nobody sees before the last. Null: `ifAbsent` and there is one. */
export async function putObject(
  requests: S3Requests,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<Put | null> {
  const pieces = inChunks(source, PART_BYTES)[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    const second = first.done ? first : await pieces.next();
    if (second.done) return await putWhole(requests, key, first.done ? new Uint8Array() : first.value, options);
    return await putParts(requests, key, join(first.value as Uint8Array, second.value, pieces), options);
  } finally {
    await pieces.return?.();
  }
}

async function putWhole(
  requests: S3Requests,
  key: string,
  body: Uint8Array,
  { ifAbsent, signal }: PutOptions,
): Promise<Put | null> {
  const put = { size: body.length, sha256: hexOf(body) };
  const answer = await requests.send({ method: 'PUT', key, body, signal, ...condition(ifAbsent) });
  if (answer.status !== 412) return put;
  // An attempt whose answer was lost may have stored it.
  return answer.retries > 0 && (await hashOf(requests, key)) === put.sha256 ? put : null;
}

async function putParts(
  requests: S3Requests,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  { ifAbsent, signal }: PutOptions,
): Promise<Put | null> {
  const begun = await requests.send({ method: 'POST', key, query: { uploads: '' }, signal });
  const uploadId = begun.document?.fields['UploadId'];
  if (uploadId === undefined) throw objectStoreProblem(`The bucket ${requests.place} began an upload without an id.`);
  try {
    const hash = createHash('sha256');
    const etags: string[] = [];
    let size = 0;
    for await (const body of pieces) {
      const query = { partNumber: String(etags.length + 1), uploadId };
      const { headers } = await requests.send({ method: 'PUT', key, query, body, signal });
      etags.push(String(headers['etag'] ?? ''));
      hash.update(body);
      size += body.length;
    }
    const isStored = await complete(requests, key, { uploadId, etags, ifAbsent, signal, size });
    if (!isStored) return null;
    return { size, sha256: hash.digest('hex') };
  } catch (error) {
    // What cannot be given up now is given up by the sweep of uploads that were never finished.
    await requests.send({ method: 'DELETE', key, query: { uploadId }, accept: [404] }).catch(() => {});
    throw error;
  }
}

/** False: `ifAbsent` and there is one. */
async function complete(
  requests: S3Requests,
  key: string,
  upload: PutOptions & { readonly uploadId: string; readonly etags: readonly string[]; readonly size: number },
): Promise<boolean> {
  const { uploadId, etags, ifAbsent, signal, size } = upload;
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const { headers, accept } = condition(ifAbsent);
  try {
    const { status } = await requests.send({
      method: 'POST',
      key,
      query: { uploadId },
      body,
      signal,
      headers: { ...headers, 'content-type': 'application/xml' },
      accept,
    });
    if (status === 412) return false;
  } catch (error) {
    // An attempt whose answer was lost may have completed it; the next ones then find no upload.
    if ((await sizeOf(requests, key)) === size) return true;
    throw error;
  }
  const stored = await sizeOf(requests, key);
  if (stored === size) return true;
  throw objectStoreProblem(
    `The bucket ${requests.place} holds ${stored ?? 'no'} bytes of ${key} after an upload; wanted ${size}.`,
  );
}

async function sizeOf(requests: S3Requests, key: string): Promise<number | null> {
  const { status, headers } = await requests.send({ method: 'HEAD', key, accept: [404] });
  return status === 404 ? null : Number(headers['content-length']);
}

function condition(ifAbsent: boolean): Required<Pick<S3Request, 'headers' | 'accept'>> {
  return ifAbsent ? { headers: { 'if-none-match': '*' }, accept: [412] } : { headers: {}, accept: [] };
}

async function* join(
  first: Uint8Array,
  second: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield first;
  yield second;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function hashOf(requests: S3Requests, key: string): Promise<string | null> {
  const { status, body } = await requests.send({ method: 'GET', key, streams: true, accept: [404] });
  if (status === 404) return null;
  const hash = createHash('sha256');
  for await (const piece of body) hash.update(piece);
  return hash.digest('hex');
}

function hexOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
