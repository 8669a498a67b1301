import { httpUrl, nonEmpty, oneOf, optional, setting } from './parsers.ts';

const SAMPLERS = ['parentbased_always_on', 'parentbased_traceidratio', 'always_on', 'always_off'] as const;

/** The settings of traces, by the standard names of OpenTelemetry. */
export const TRACING_SETTINGS = {
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    optional(httpUrl),
    'Collector of OpenTelemetry that traces are sent to as OTLP over HTTP in JSON, as `http://collector:4318`; `/v1/traces` is added. Empty: no traces, and nothing of it is loaded. `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION` and `_CERTIFICATE` count too.',
  ),
  otlpTracesEndpoint: setting(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    '',
    optional(httpUrl),
    'The same as a whole address, which is used as it is.',
  ),
  otlpProtocol: setting(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    'http/json',
    oneOf(['http/json']),
    'Only `http/json`, which collectors take at the same port as `http/protobuf`.',
  ),
  otelServiceName: setting('OTEL_SERVICE_NAME', 'firstmile', nonEmpty, 'Name of the service in traces.'),
  otelSampler: setting(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    oneOf(SAMPLERS),
    `Which traces are sent: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}. \`parentbased\` follows the caller that sends a \`traceparent\`.`,
  ),
  otelSamplerRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    ratio,
    'Share of traces that `parentbased_traceidratio` keeps, 0 to 1.',
  ),
  otelDisabled: setting(
    'OTEL_SDK_DISABLED',
    'false',
    (text) => oneOf(['true', 'false'])(text.toLowerCase()) === 'true',
    '`true` sends no traces, whatever the other settings say.',
  ),
} as const;

function ratio(text: string): number {
  const value = Number(text);
  if (text !== '' && value >= 0 && value <= 1) return value;
  throw new Error('wanted a number from 0 to 1');
}
