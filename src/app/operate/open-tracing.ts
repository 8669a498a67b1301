import type { Config } from '../../config/settings.ts';
import { packageVersion } from '../../config/package-version.ts';
import type { Log } from '../../log.ts';
import { formatTraceparent, parseTraceparent, type Tracing } from '../../tracing.ts';

/** What is left when the process ends is sent for this long. */
const CLOSE_MS = 3_000;

/** Opens tracing where a collector is configured, else null: then nothing of OpenTelemetry is loaded. */
export async function openTracing(config: Config, log: Log): Promise<Tracing | null> {
  const { otlpEndpoint, otlpTracesEndpoint, otelDisabled } = config;
  const url = otlpTracesEndpoint ?? (otlpEndpoint === null ? null : `${otlpEndpoint.replace(/\/+$/, '')}/v1/traces`);
  if (url === null || otelDisabled) return null;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const warn = (message: string): void => log.warn({ otlp: message }, 'traces cannot be sent');
  const ignore = (): void => {};
  api.diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new sdk.TracerProvider({
    sampler: samplerOf(config, sdk),
    resource: resourceFromAttributes({
      'service.name': config.otelServiceName,
      'service.version': packageVersion(),
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer('firstmile', packageVersion());
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, consumer: api.SpanKind.CONSUMER };
  return {
    begin(name, { kind, parent, attributes = {} }) {
      const from = parent === null ? null : parseTraceparent(parent.traceparent);
      const context =
        from === null
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, {
              traceId: from.traceId,
              spanId: from.spanId,
              traceFlags: from.sampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
              isRemote: true,
              ...(parent?.tracestate !== undefined && { traceState: api.createTraceState(parent.tracestate) }),
            });
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, context);
      const { traceId, spanId, traceFlags, traceState } = span.spanContext();
      // Empty where what came breaks the rules of the header.
      const tracestate = traceState?.serialize() || null;
      const sampled = (traceFlags & api.TraceFlags.SAMPLED) !== 0;
      let ended = false;
      return {
        headers: {
          traceparent: formatTraceparent({ traceId, spanId, sampled }),
          ...(tracestate !== null && { tracestate }),
        },
        end({ error, attributes: more = {} } = {}) {
          if (ended) return;
          ended = true;
          span.setAttributes({ ...more });
          if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR, message: error });
          span.end();
        },
      };
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => {}), promise]);
      clearTimeout(timer);
    },
  };
}

function samplerOf({ otelSampler, otelSamplerRatio }: Config, sdk: typeof import('@opentelemetry/sdk-trace')) {
  const root =
    otelSampler === 'parentbased_traceidratio'
      ? new sdk.TraceIdRatioBasedSampler(otelSamplerRatio)
      : otelSampler === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.AlwaysOnSampler();
  return otelSampler.startsWith('parentbased') ? new sdk.ParentBasedSampler({ root }) : root;
}
