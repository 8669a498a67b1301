import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem, type ErrorCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { problemHeaders, problemJson } from './send-problem.ts';

/** Errors of Node's HTTP parser in our words; what is not listed is a malformed request. */
const PARSER_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too_large', 'The chunk extensions of the body are larger than the service reads.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
  HPE_INVALID_CONTENT_LENGTH: ['malformed_header', 'Content-Length is not a number the service can use.'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [
    'malformed_header',
    'Content-Length was sent twice or together with Transfer-Encoding.',
  ],
  HPE_INVALID_METHOD: ['malformed_header', 'The request line does not begin with a method of HTTP.'],
  HPE_INVALID_CHUNK_SIZE: ['malformed_body', 'The body is not in valid chunks.'],
};

/**
 * Answers what never becomes a request (broken syntax, too large headers, headers that come too slowly) with a problem as well,
 * then closes the connection. Returns the handler for the server's `clientError`; `watch` lets it know which answer a
 * connection is busy with, because a second answer must not be written into it.
 */
export function clientErrors(log: Log, maxHeaderBytes: number) {
  const tooLarge = [
    'headers_too_large',
    `The request line and headers are larger than the ${maxHeaderBytes} bytes that the service reads. Send a large geometry in a file: POST it to /validate_facilities.`,
  ] as const;
  const current = new WeakMap<Duplex, { readonly request: IncomingMessage; readonly response: ServerResponse }>();

  return {
    watch(server: Server): void {
      server.prependListener('request', (request, response) => {
        current.set(request.socket, { request, response });
        response.once('close', () => current.delete(request.socket));
      });
      // Node itself would answer both without a body.
      server.on('checkExpectation', (_request, response) =>
        refuse(response, 'Expect: wanted 100-continue or no such header.'),
      );
      server.on('connect', (_request, socket) =>
        writeProblem(socket, new Problem('method_not_allowed', 'CONNECT is not possible here.'), log),
      );
    },
    handle(error: Error & { code?: string }, socket: Duplex): void {
      const busy = current.get(socket);
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
      } else if (busy !== undefined && busy.request.complete) {
        // What follows a complete request on the connection is junk: the answer under way still arrives.
        busy.response.once('close', () => socket.destroy());
      } else if (busy?.response.headersSent === true) {
        socket.destroy();
      } else {
        const malformed = ['malformed_header', 'The request is not valid HTTP.'] as const;
        const known = error.code === 'HPE_HEADER_OVERFLOW' ? tooLarge : PARSER_ERRORS[error.code ?? ''];
        const [code, detail] = known ?? malformed;
        writeProblem(socket, new Problem(code, detail, { cause: error }), log);
      }
    },
  };
}

function refuse(response: ServerResponse, detail: string): void {
  const problem = new Problem('malformed_header', detail);
  const id = randomUUID();
  const body = problemJson(problem, id);
  response.writeHead(problem.status, {
    ...problemHeaders(problem),
    'x-request-id': id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

function writeProblem(socket: Duplex, problem: Problem, log: Log): void {
  const id = randomUUID();
  const body = problemJson(problem, id);
  const headers = {
    ...problemHeaders(problem),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  log.info({ request_id: id, status: problem.status, code: problem.code }, 'refused before it was a request');
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`, () =>
    socket.destroy(),
  );
}
