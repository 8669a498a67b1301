import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

import { FILE_PART } from './upload-fields.ts';

/** Media types of a body that is the file itself. */
export const RAW_MEDIA_TYPES = [
  'application/geo+json',
  'application/json',
  'application/geo+json-seq',
  'application/x-ndjson',
  'application/octet-stream',
] as const;

/**
 * Lets the routes of a scope take uploads as streams: multipart forms, and bodies that are the file itself. Call it
 * inside `app.register(async (scope) => ...)`, because JSON is no longer parsed in that scope.
 */
export async function acceptUploads(scope: FastifyInstance): Promise<void> {
  // Sizes are counted while spooling: the parser would swallow the rest of a too long file before it says so.
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    isPartAFile: (name, type, filename) =>
      name === FILE_PART || filename !== undefined || type === 'application/octet-stream',
    limits: {
      fileSize: Number.MAX_SAFE_INTEGER,
      files: 4,
      fields: 64,
      parts: 68,
      fieldNameSize: 100,
      fieldSize: 1_048_576,
      headerPairs: 32,
    },
  });
  scope.removeContentTypeParser(['application/json', 'text/plain']);
  scope.addContentTypeParser([...RAW_MEDIA_TYPES], (_request, payload, done) => done(null, payload));
}
