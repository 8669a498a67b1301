import { createHash } from 'node:crypto';
import { inChunks } from '../in-chunks.ts';
import { objectStoreProblem, type StoredObject } from './object-store.ts';
import { etagIn, type S3Request, type S3Requests } from './s3-requests.ts';

/** Bytes of one part of a multipart upload, all but the last: 10,000 of them, which is what S3 takes, are 80 GB. */
export const PART_BYTES = 8 * 1024 * 1024;

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
): Promise<StoredObject | null> {
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
): Promise<StoredObject | null> {
  const put = { size: body.length, sha256: hexOf(body) };
  const answer = await requests.send({ method: 'PUT', key, body, signal, ...condition(ifAbsent) });
  if (answer.status !== 412) return { ...put, etag: etagIn(answer.headers) };
  if (answer.retries === 0) return null;
  // An attempt whose answer was lost may have stored it.
  const there = await fingerprintsOf(requests, key);
  return there?.sha256 === put.sha256 ? { ...put, etag: there.etag } : null;
}

async function putParts(
  requests: S3Requests,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  { ifAbsent, signal }: PutOptions,
): Promise<StoredObject | null> {
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
      etags.push(etagIn(headers));
      hash.update(body);
      size += body.length;
    }
    const etag = await complete(requests, key, { uploadId, etags, ifAbsent, signal, size });
    return etag === null ? null : { size, sha256: hash.digest('hex'), etag };
  } catch (error) {
    // What cannot be given up now is given up by the sweep of uploads that were never finished.
    await requests.send({ method: 'DELETE', key, query: { uploadId }, accept: [404] }).catch(() => {});
    throw error;
  }
}

/** The ETag of the object. Null: `ifAbsent` and there is one. */
async function complete(
  requests: S3Requests,
  key: string,
  upload: PutOptions & { readonly uploadId: string; readonly etags: readonly string[]; readonly size: number },
): Promise<string | null> {
  const { uploadId, etags, ifAbsent, signal, size } = upload;
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const { headers, accept } = condition(ifAbsent);
  let etag: string | undefined;
  try {
    const { status, document } = await requests.send({
      method: 'POST',
      key,
      query: { uploadId },
      body,
      signal,
      headers: { ...headers, 'content-type': 'application/xml' },
      accept,
    });
    if (status === 412) return null;
    etag = document?.fields['ETag'];
  } catch (error) {
    // An attempt whose answer was lost may have completed it; the next ones then find no upload.
    const there = await headOf(requests, key);
    if (there?.size === size) return there.etag;
    throw error;
  }
  const stored = await headOf(requests, key);
  if (stored?.size === size) return etag ?? stored.etag;
  throw objectStoreProblem(
    `The bucket ${requests.place} holds ${stored?.size ?? 'no'} bytes of ${key} after an upload; wanted ${size}.`,
  );
}

async function headOf(requests: S3Requests, key: string): Promise<Pick<StoredObject, 'size' | 'etag'> | null> {
  const { status, headers } = await requests.send({ method: 'HEAD', key, accept: [404] });
  return status === 404 ? null : { size: Number(headers['content-length']), etag: etagIn(headers) };
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

async function fingerprintsOf(
  requests: S3Requests,
  key: string,
): Promise<Pick<StoredObject, 'sha256' | 'etag'> | null> {
  const { status, body, headers } = await requests.send({ method: 'GET', key, streams: true, accept: [404] });
  if (status === 404) return null;
  const hash = createHash('sha256');
  for await (const piece of body) hash.update(piece);
  return { sha256: hash.digest('hex'), etag: etagIn(headers) };
}

function hexOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
