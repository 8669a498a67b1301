import { ERROR_STATUS } from '../../errors.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { hasBrokenOff } from '../server/send-features.ts';
import type { Metrics } from '../routes/service/metrics.ts';
import { type Span, type Tracing, withinSpan } from '../../tracing.ts';
import { round } from '../../geo/round.ts';

/**
 * One log line and one measurement a request, when its answer is complete, has broken off here (status 500) or its client has left (499). The line has the
 * path without the query, which may hold geometries and names, and never a header. With `tracing` a request is a span, below
 * that of a caller who sends a `traceparent`; what it causes is below it.
 */
export function observeRequests(app: App, metrics: Metrics, tracing: Tracing | null): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // An upload, the framework and a streamed answer each listen for its end: eleven, where Node suspects a leak.
    reply.raw.setMaxListeners(20);
    metrics.begin();
    const span = tracing === null ? null : beginSpan(tracing, request);
    let ended = false;
    const end = (status: number): void => {
      if (ended) return;
      ended = true;
      record(request, reply, status, metrics);
      span?.end({
        attributes: { 'http.response.status_code': status },
        ...(status >= 500 && { error: `status ${status}` }),
      });
    };
    reply.raw.once('finish', () => end(reply.statusCode));
    // An answer that finished has ended by now.
    reply.raw.once('close', () => end(hasBrokenOff(reply.raw) ? 500 : ERROR_STATUS.client_closed_request));
    if (span === null) done();
    else withinSpan(span, done);
  });
}

function beginSpan(tracing: Tracing, request: AnyRequest): Span {
  const route = request.routeOptions.url ?? 'unknown';
  const { traceparent, tracestate } = request.headers;
  return tracing.begin(`${request.method} ${route}`, {
    kind: 'server',
    parent:
      typeof traceparent === 'string' ? { traceparent, ...(typeof tracestate === 'string' && { tracestate }) } : null,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'url.path': request.url.split('?', 1)[0],
      'firstmile.request_id': request.id,
    },
  });
}

function record(request: AnyRequest, reply: AnyReply, status: number, metrics: Metrics): void {
  const route = request.routeOptions.url ?? 'unknown';
  metrics.end(request.method, route, status, reply.elapsedTime / 1000);
  request.log[status >= 500 ? 'warn' : 'info'](
    {
      method: request.method,
      path: request.url.split('?', 1)[0],
      route,
      status,
      ms: round(reply.elapsedTime, 1),
      principal: request.principal?.key,
    },
    'request',
  );
}
