import { Problem, type ErrorCode } from '../errors.ts';

/** What the multipart parser and the disk throw, by `code`, and what the client is told. */
const KNOWN = {
  FST_MP_PREMATURE_CLOSE: ['client_closed_request', 'the client left before its file had arrived'],
  ECONNRESET: ['client_closed_request', 'the client left before its file had arrived'],
  ABORT_ERR: ['client_closed_request', 'the client left before its file had arrived'],
  ERR_STREAM_PREMATURE_CLOSE: ['client_closed_request', 'the client left before its file had arrived'],
  FST_PROTO_VIOLATION: ['invalid_body', 'wanted the name of a known field, got the name of a built-in property'],
  FST_INVALID_JSON_FIELD_ERROR: [
    'invalid_body',
    'wanted JSON in the part that declares application/json, got something else',
  ],
  FST_PARTS_LIMIT: ['invalid_body', 'wanted a file and the known fields, got far more parts'],
  FST_FILES_LIMIT: ['invalid_body', 'wanted one file, got more'],
  FST_FIELDS_LIMIT: ['invalid_body', 'wanted the known fields, got far more'],
  ENOSPC: ['dependency_unavailable', 'there is no room for uploads on the disk of the service'],
  EDQUOT: ['dependency_unavailable', 'there is no room for uploads on the disk of the service'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>;

const RETRY_AFTER_S = 60;

/** Turns a failure met while an upload arrives into what the client may see; faults of our own stay as they are. */
export function asUploadProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code, syscall } = error as NodeJS.ErrnoException;
  const known = code !== undefined && code in KNOWN ? KNOWN[code as keyof typeof KNOWN] : undefined;
  if (known !== undefined) {
    const wait = known[0] === 'dependency_unavailable' ? { retryAfterS: RETRY_AFTER_S } : {};
    return new Problem(known[0], known[1], { cause: error, ...wait });
  }
  if (syscall !== undefined || code !== undefined) return error;
  return new Problem('malformed_body', `wanted a multipart form (RFC 7578), got a broken one: ${error.message}`, {
    cause: error,
  });
}
