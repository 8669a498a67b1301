import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { batchedText } from '../../locations/formats/batched-text.ts';
import {
  FEATURE_FORMATS,
  type FeatureFormat,
  type FeatureResults,
  featureText,
} from '../../locations/formats/feature-text.ts';
import type { AnyRequest } from './app.ts';

/** Media types of streamed features, the preferred one first. */
export const FEATURE_MEDIA_TYPES: readonly string[] = [...Object.values(FEATURE_FORMATS), 'application/json'];

/** The format of the media type a client is answered with: plain JSON is GeoJSON. */
export function formatOf({ accepted }: Pick<AnyRequest, 'accepted'>): FeatureFormat {
  return FORMATS.find((format) => FEATURE_FORMATS[format] === accepted) ?? 'geojson';
}

const FORMATS = Object.keys(FEATURE_FORMATS) as FeatureFormat[];

interface WriteOptions {
  /** Aborted when the client leaves before the last byte, so that the work that makes `features` can stop. */
  readonly abort?: AbortController;
  /** Media type of the answer; default that of the format. */
  readonly mediaType?: string;
}

/**
 * Streams features as they finish, no faster than the client reads. GeoJSON ends with the collection's `properties`,
 * NDJSON with one line `{"type":"FeatureCollection","properties":...}`, CSV has rows only. A failure before the first
 * byte is an ordinary error answer; a later one resets the connection, so that nobody takes half an answer for a whole.
 */
export function sendFeatures<F extends object>(
  reply: FastifyReply,
  format: FeatureFormat,
  results: FeatureResults<F>,
  options: WriteOptions = {},
): FastifyReply {
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) options.abort?.abort(new Error('the client left before the answer was complete'));
  });
  return sendBytes(reply, batchedText(featureText(format, results)), options.mediaType ?? FEATURE_FORMATS[format]);
}

/** Streams an answer that is made elsewhere, no faster than the client reads; failures are met as by `sendFeatures`. */
export function sendBytes(reply: FastifyReply, bytes: AsyncIterable<Uint8Array>, mediaType: string): FastifyReply {
  return reply.type(mediaType).send(streamed(reply, bytes));
}

/** The body of an answer that is made while it is sent, for routes that have set its media type. */
export function streamed(reply: FastifyReply, bytes: AsyncIterable<Uint8Array | string>): Readable {
  return Readable.from(resetOnFailure(reply, bytes), { objectMode: false });
}

/** Answers that failed here after their first byte, by their raw response. */
const broken = new WeakSet<object>();

/** Whether an answer ended before its end because of this service, and not because its client left. */
export function hasBrokenOff(response: object): boolean {
  return broken.has(response);
}

/** A plain close would look like the end of the body to a client of HTTP/1.0, which knows no other end. */
async function* resetOnFailure(
  reply: FastifyReply,
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string, void> {
  try {
    yield* chunks;
  } catch (error) {
    if (reply.raw.headersSent) {
      // A client that left is nobody's failure.
      if (reply.raw.destroyed) reply.log.debug({ err: error }, 'the client left before the end of the answer');
      else {
        broken.add(reply.raw);
        reply.log.error({ err: error }, 'an answer broke off after its first byte');
      }
      reply.raw.socket?.resetAndDestroy();
    }
    throw error;
  }
}
