import { AsyncLocalStorage } from 'node:async_hooks';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The headers of W3C Trace Context, by which what is caused knows its cause. */
export interface TraceHeaders {
  readonly traceparent: string;
  /** What others have written to go along with the trace; it is passed on unchanged. */
  readonly tracestate?: string;
}

interface SpanStart {
  readonly kind: 'server' | 'client' | 'consumer';
  /** What caused it; null or no valid `traceparent`: it begins a trace. */
  readonly parent: TraceHeaders | null;
  readonly attributes?: Attributes;
}

/** Something whose time is measured as part of a trace. */
export interface Span {
  /** For what it causes. */
  readonly headers: TraceHeaders;
  /** `error` says in words why it failed; without it all is well. A second call does nothing. */
  end(outcome?: { readonly error?: string; readonly attributes?: Attributes }): void;
}

/** Where spans go; there is none of it while tracing is off. */
export interface Tracing {
  begin(name: string, start: SpanStart): Span;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}

/** The ids of a `traceparent`. */
interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const active = new AsyncLocalStorage<Span>();

/** Runs work, and all that it starts, as part of a span. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work);
}

/** The headers of the span that runs; null outside of all. */
export function activeHeaders(): TraceHeaders | null {
  return active.getStore()?.headers ?? null;
}

/** Reads a `traceparent` by W3C Trace Context, level 1: later versions may have more at their end. Null for anything else. */
export function parseTraceparent(text: string): TraceContext | null {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text);
  if (found === null) return null;
  const [, version, traceId, spanId, flags, more] = found;
  const isValid = version !== 'ff' && (version !== '00' || more === undefined);
  if (!isValid || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}
