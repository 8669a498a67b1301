import { objectStoreProblem, type ListedObject, type ObjectRange, type ObjectStore } from './object-store.ts';
import { putObject } from './put-object.ts';
import {
  ATTEMPTS,
  etagIn,
  openS3Requests,
  S3_TIMING,
  type S3Place,
  type S3Requests,
  type S3Timing,
} from './s3-requests.ts';

/** A bucket that speaks S3, as AWS, Ceph, R2 and others do. Nothing is sent before the first call. */
export function openS3(place: S3Place, timing: S3Timing = S3_TIMING): ObjectStore {
  const requests = openS3Requests(place, timing);
  return {
    place: requests.place,
    put: (key, bytes, { ifAbsent = false, signal } = {}) => putObject(requests, key, bytes, { ifAbsent, signal }),
    get: (key, range, signal) => getObject(requests, key, range, signal),
    list: (prefix, signal) => listObjects(requests, place.prefix, prefix, signal),
    async delete(key) {
      await requests.send({ method: 'DELETE', key, accept: [404] });
    },
    link: (key, { seconds, fileName, mediaType }) => {
      const disposition = `attachment; filename="${fileName}"`;
      const query = { 'response-content-disposition': disposition, 'response-content-type': mediaType };
      return requests.sign(key, query, seconds);
    },
    abortUploads: (before) => abortUploads(requests, place.prefix, before),
    close: () => requests.close(),
  };
}

async function getObject(
  requests: S3Requests,
  key: string,
  range: ObjectRange | undefined,
  signal: AbortSignal | undefined,
): ReturnType<ObjectStore['get']> {
  const offset = range?.offset ?? 0;
  const first = await getFrom(
    requests,
    key,
    range === undefined ? null : { offset, length: range.length },
    null,
    signal,
  );
  if (first === null) return null;
  const { size, etag } = first;
  const end = Math.min(size, range?.length === undefined ? size : offset + range.length);
  return { size, bytes: readOn() };

  /** Goes on where a connection broke off; gives up when several in a row bring nothing. */
  async function* readOn(): AsyncGenerator<Uint8Array, void> {
    let at = offset;
    let body: AsyncIterable<Uint8Array> | null = first!.body;
    for (let failures = 0; at < end;) {
      try {
        body ??= (await getFrom(requests, key, { offset: at, length: end - at }, etag, signal))?.body ?? null;
        if (body === null) throw objectStoreProblem(`${key} was removed from ${requests.place} while it was read.`);
        for await (const piece of body) {
          const taken = piece.subarray(0, end - at);
          at += taken.length;
          if (taken.length > 0) failures = 0;
          yield taken;
          if (at >= end) break;
        }
        if (at < end) throw new Error(`the body ended ${end - at} bytes early`);
      } catch (error) {
        signal?.throwIfAborted();
        if (isProblem(error)) throw error;
        if (++failures >= ATTEMPTS)
          throw objectStoreProblem(
            `${key} cannot be read from the bucket ${requests.place}: ${(error as Error).message}`,
            error,
          );
        body = null;
      }
    }
  }
}

/** One request for bytes; null when there is no such object. With `etag` the object has to be the same as before. */
async function getFrom(
  requests: S3Requests,
  key: string,
  range: { readonly offset: number; readonly length: number | undefined } | null,
  etag: string | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly size: number; readonly etag: string; readonly body: AsyncIterable<Uint8Array> } | null> {
  const last = range?.length === undefined ? '' : range.offset + range.length - 1;
  const answer = await requests.send({
    method: 'GET',
    key,
    streams: true,
    headers: {
      ...(range !== null && { range: `bytes=${range.offset}-${last}` }),
      ...(etag !== null && { 'if-match': etag }),
    },
    accept: [404, 412, 416],
    signal,
  });
  const { status, headers } = answer;
  if (status === 404) return null;
  if (status === 412) throw objectStoreProblem(`${key} was replaced in ${requests.place} while it was read.`);
  const [, whole] = /\/(\d+)$/.exec(String(headers['content-range'] ?? '')) ?? [];
  if (status === 416) return { size: Number(whole ?? 0), etag: '', body: answer.body };
  if (range !== null && status !== 206)
    throw objectStoreProblem(`The bucket ${requests.place} gives no ranges: it answered ${status} in place of 206.`);
  const size = Number(whole ?? headers['content-length']);
  if (!Number.isSafeInteger(size))
    throw objectStoreProblem(`The bucket ${requests.place} does not say how long ${key} is.`);
  return { size, etag: etagIn(headers), body: answer.body };
}

function isProblem(error: unknown): boolean {
  return error instanceof Error && error.name === 'Problem';
}

async function* listObjects(
  requests: S3Requests,
  base: string,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ListedObject, void> {
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      prefix: base + prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { document } = await requests.send({ method: 'GET', key: null, query, signal });
    if (document?.root !== 'ListBucketResult')
      throw objectStoreProblem(`The bucket ${requests.place} answered a listing with something else.`);
    for (const { name, fields } of document.items)
      if (name === 'Contents')
        yield { key: fields['Key'].slice(base.length), size: Number(fields['Size']), etag: fields['ETag'] ?? '' };
    token = document.fields['IsTruncated'] === 'true' ? document.fields['NextContinuationToken'] : undefined;
  } while (token !== undefined);
}

async function abortUploads(requests: S3Requests, base: string, before: Date): Promise<number> {
  let aborted = 0;
  let markers: Record<string, string> = {};
  for (;;) {
    const query = { uploads: '', prefix: base, ...markers };
    const { document } = await requests.send({ method: 'GET', key: null, query, accept: [405, 501] });
    if (document === null || document.root === 'Error') return aborted;
    for (const { name, fields } of document.items) {
      if (name !== 'Upload' || !(new Date(fields['Initiated']) < before)) continue;
      const key = fields['Key'].slice(base.length);
      await requests.send({ method: 'DELETE', key, query: { uploadId: fields['UploadId'] }, accept: [404] });
      aborted++;
    }
    if (document.fields['IsTruncated'] !== 'true') return aborted;
    markers = {
      'key-marker': document.fields['NextKeyMarker'] ?? '',
      'upload-id-marker': document.fields['NextUploadIdMarker'] ?? '',
    };
  }
}
