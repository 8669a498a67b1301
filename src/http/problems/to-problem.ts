import { ERROR_STATUS, Problem, type ErrorCode } from '../../errors.ts';

/** The framework's own errors in our words. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ['malformed_query', 'The path holds a broken percent escape.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'One part of the path is longer than 200 characters.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'too_large',
    'The body is larger than this endpoint accepts; /limits says how large it may be.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_body', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_body', 'The body is empty; wanted JSON.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_body', 'The body is not JSON; wanted JSON.'],
};

/** For errors of plugins that carry nothing but a status. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'malformed_body',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'unsupported_media_type',
  408: 'request_timeout',
  409: 'conflict',
  413: 'too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  422: 'invalid_body',
  431: 'headers_too_large',
};

/** Codes of errors that mean the client went away while its body was read. */
const GONE = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** What is said of the request that an error is about. */
interface FailedRequest {
  readonly clientIsGone: boolean;
  /** Its Content-Type. */
  readonly mediaType?: string | undefined;
  /** The media types its endpoint reads. */
  readonly reads?: readonly string[] | undefined;
}

/** What a client may know of an error. Everything that is not its own fault becomes `internal` without a word of the cause. */
export function toProblem(error: unknown, { clientIsGone, mediaType, reads }: FailedRequest): Problem {
  if (error instanceof Problem) return error;
  const {
    code = '',
    statusCode = 500,
    message = '',
  } = error as { code?: string; statusCode?: number; message?: string };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongMediaType(mediaType, reads ?? ['application/json'], error);
  const known = FRAMEWORK_ERRORS[code];
  if (known !== undefined) return new Problem(known[0], known[1], { cause: error });
  if (clientIsGone && GONE.has(code))
    return new Problem('client_closed_request', 'The client closed the connection.', { cause: error });
  const byStatus = CODE_OF_STATUS[statusCode];
  if (byStatus !== undefined) return new Problem(byStatus, sentence(message, byStatus), { cause: error });
  return new Problem('internal', 'Something failed here. The request id finds the cause in the log.', { cause: error });
}

/** The refusal of a body of a type that the endpoint does not read. */
export function wrongMediaType(got: string | undefined, reads: readonly string[], cause?: unknown): Problem {
  const shown = got === undefined || got === '' ? 'none' : got.slice(0, 100);
  return new Problem(
    'unsupported_media_type',
    `The Content-Type is not one that this endpoint reads; wanted ${reads.join(', ')}, got ${shown}.`,
    { cause },
  );
}

function sentence(message: string, code: ErrorCode): string {
  const text = message.split('\n')[0]!.trim();
  if (text === '') return `The request was refused with status ${ERROR_STATUS[code]}.`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
