import { Problem, type ErrorCode } from '../../errors.ts';

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
  const reason = error.message.replace(/\.$/, '');
  return new Problem(
    'malformed_body',
    `The form cannot be read; wanted a multipart form (RFC 7578), got a broken one: ${reason}.`,
    { cause: error },
  );
}
