import Fastify, { LogController, type FastifyBaseLogger } from 'fastify';
import { Problem } from '../../errors.ts';
import type { AnyReply, AnyRequest, App } from './app.ts';
import { allowOrigins } from '../guards/allow-origins.ts';
import { auditRoutes } from '../guards/audit.ts';
import { clientErrors } from '../problems/client-error.ts';
import { compressAnswers } from '../guards/compress-answers.ts';
import { compileValidator } from '../problems/check-body.ts';
import { completeRoutes } from './complete-routes.ts';
import { consoleRoutes } from '../pages/console.ts';
import { contractNote, datasetRoutes } from '../routes/service/datasets.ts';
import { siteRoutes } from '../pages/site/site-routes.ts';
import { referenceRoutes } from '../pages/reference.ts';
import { eudrRoutes } from '../routes/law/eudr.ts';
import { explainReceiptRoutes } from '../routes/facilities/explain-receipt.ts';
import { prepareDrain } from '../guards/drain.ts';
import { guardRequests } from '../guards/guard-requests.ts';
import { healthRoutes } from '../routes/service/health.ts';
import { limitRoutes } from '../routes/service/limits.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { protectedResourceRoutes } from '../mcp/protected-resource.ts';
import { createMetrics, metricsRoutes } from '../routes/service/metrics.ts';
import { observeRequests } from '../guards/observe-requests.ts';
import { describeApi, openApiRoutes } from '../pages/openapi.ts';
import { principalRoutes } from '../guards/principal.ts';
import { problemPageRoutes } from '../problems/problem-pages.ts';
import { refreshTokenRoutes } from '../routes/tokens/refresh-token.ts';
import { requestId } from '../guards/request-headers.ts';
import { RAW_MEDIA_TYPES } from '../uploads/upload-parsing.ts';
import { signAnswers } from '../guards/sign-answers.ts';
import { speakLanguages } from '../guards/speak-language.ts';
import { sendProblem } from '../problems/send-problem.ts';
import { signingKeyRoutes } from '../routes/service/signing-keys.ts';
import { taskRoutes } from '../routes/tasks/tasks.ts';
import { toProblem } from '../problems/to-problem.ts';
import { tokenRoutes } from '../routes/tokens/tokens.ts';
import { limitersOver } from '../guards/rate-limiter.ts';
import { verifyPageRoutes } from '../pages/verify-page.ts';
import { watchForProxy } from '../guards/client-address.ts';
import { answerUnknownRoutes } from '../problems/unknown-route.ts';
import { TIMEOUTS, type ServerDeps } from './server-deps.ts';

/** Request line of GET /validate_facility: the geometry is in it. */
export const MAX_URL_LENGTH = 16_384;
const MAX_HEADER_BYTES = 32_768;
/** JSON bodies; uploads have a limit of their own. */
export const MAX_JSON_BYTES = 1_048_576;

/** The HTTP service, not yet listening: the routes of this folder and `deps.routes`, all held to the same rules. */
export function buildServer(deps: ServerDeps): App {
  const app = createApp(deps);
  const metrics = createMetrics(deps);
  const limited = () => metrics.limited();
  prepareDrain(app);
  observeRequests(app, metrics, deps.tracing ?? null);
  secure(app);
  allowOrigins(app, deps.config);
  checkRequestLine(app);
  const proxyNote = watchForProxy(app, deps.config.trustProxy);
  const limiterOf = limitersOver(deps.rateCounts, (err) =>
    deps.log.warn({ err }, 'the shared rate counts failed; this process counts for itself for a while'),
  );
  guardRequests(app, deps, limiterOf, limited);
  describeApi(app, { version: deps.version, publicUrl: deps.config.publicUrl });
  // Before the signature, which is of the answer as it is read.
  speakLanguages(app);
  // What is signed is what a client gets that decompresses.
  signAnswers(app, deps.signatures);
  compressAnswers(app);
  completeRoutes(app);
  answerUnknownRoutes(app);
  const { contracts = () => Promise.resolve([]) } = deps;
  const routes = [
    consoleRoutes(deps),
    ...deps.routes,
    taskRoutes(deps.tasks, deps.reviews, deps.config),
    refreshTokenRoutes(deps, limiterOf, limited),
    tokenRoutes(deps),
    auditRoutes(deps),
    principalRoutes(deps),
    limitRoutes(deps.limits),
    datasetRoutes(deps.datasets, contracts),
    explainReceiptRoutes,
    eudrRoutes(deps.clock ?? Date.now),
    healthRoutes(deps.readiness, deps.clock ?? Date.now, async () => [proxyNote(), contractNote(await contracts())]),
    metricsRoutes(metrics),
    mcpRoutes(deps),
    protectedResourceRoutes(deps.config),
    ...(deps.signatures === undefined ? [] : [signingKeyRoutes(deps.signatures), verifyPageRoutes]),
    problemPageRoutes,
    openApiRoutes,
    referenceRoutes,
    siteRoutes(deps),
  ];
  for (const add of routes) app.register(async (scope) => add(scope as App));
  return app;
}

function createApp({ config, log, timeouts = TIMEOUTS }: ServerDeps): App {
  const errors = clientErrors(log, MAX_HEADER_BYTES);
  const app: App = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestId,
    requestIdHeader: false,
    // Only what the proxy next to us wrote: the rest of X-Forwarded-For is the client's own word.
    trustProxy: config.trustProxy ? (_address: string, hop: number) => hop === 0 : false,
    bodyLimit: MAX_JSON_BYTES,
    connectionTimeout: timeouts.idleMs,
    requestTimeout: timeouts.requestMs,
    // Answered normally while draining, with `Connection: close`.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      // Checked in `checkRequestLine`, because Node's own answer has no body.
      requireHostHeader: false,
    },
    clientErrorHandler: errors.handle,
    frameworkErrors: (error, request, reply) => {
      // No hook runs for an address that cannot be read.
      const { statusCode } = error;
      request.log.info({ method: request.method, route: 'unknown', status: statusCode }, 'request');
      answerError(error, request as AnyRequest, reply as AnyReply);
    },
  }).withTypeProvider();
  errors.watch(app.server);
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(compileValidator);
  // Answers are made by our own code from typed values; a second look at each of them would only cost time.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  return app;
}

function answerError(error: unknown, request: AnyRequest, reply: AnyReply): void {
  const problem = toProblem(error, {
    clientIsGone: request.raw.destroyed,
    mediaType: request.headers['content-type'],
    reads: readsOf(request.routeOptions),
  });
  if (problem.status === 500) request.log.error({ err: error }, 'request failed');
  else if (problem.status > 500) request.log.warn({ err: problem.cause ?? problem }, 'request refused');
  void sendProblem(reply, problem);
}

/** What a route reads: files as whole bodies are not in its schema, which describes the form. */
function readsOf({ schema, config }: AnyRequest['routeOptions']): readonly string[] | undefined {
  return config.takesWholeBody === true ? [...(schema?.consumes ?? []), ...RAW_MEDIA_TYPES] : schema?.consumes;
}

/** What the plugin helmet sets with these choices; a route may have a policy of its own. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none';style-src 'self';img-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

function secure(app: App): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
}

/** Nothing else makes an address long. */
const LONG_GEOMETRY = ' Send a large geometry in a file: POST it to /validate_facilities.';

function checkRequestLine(app: App): void {
  app.addHook('onRequest', async (request) => {
    // Some clients name a media type for the body that they do not send.
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const isEmpty = length === '0' || (length === undefined && coding === undefined);
    if (isEmpty && request.routeOptions.schema?.body === undefined) delete request.headers['content-type'];
    if (request.raw.url!.length > MAX_URL_LENGTH)
      throw new Problem(
        'uri_too_long',
        `The address has ${request.raw.url!.length} characters; wanted at most ${MAX_URL_LENGTH}.${LONG_GEOMETRY}`,
      );
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      throw new Problem('malformed_header', 'The Host header is missing.');
  });
}
