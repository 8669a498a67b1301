/** A client of Firstmile for Node, browsers, Deno and Bun: imported as `firstmile/client`. */
import { collectionCalls, type Collections } from './collections.ts';
import { followTask, type Task } from './follow-task.ts';
import { type Retries, USUAL_RETRIES } from './retries.ts';
import type { Transport } from './send-request.ts';
import { type RunOf, type Source, streamFeatures, type StreamOptions } from './stream-features.ts';
import { typedCalls, type TypedCalls } from './typed-calls.ts';
import { pause } from './pause.ts';

export type { Collection, Collections, FetchOptions, RunOptions } from './collections.ts';
export type { Task } from './follow-task.ts';
export * from './problems.ts';
export type { Retries } from './retries.ts';
export type { Operations } from './schema.ts';
export type { OnSent } from './send-form.ts';
export type { Feature, FeatureRun, Source, StreamOptions } from './stream-features.ts';
export type { CallOptions, TypedCalls } from './typed-calls.ts';

export interface ClientOptions {
  /** Address of the service; default `FIRSTMILE_URL` of the environment, else that of the page in a browser, else http://127.0.0.1:8080. */
  readonly url?: string;
  /** A token, or what gives the present one; default `FIRSTMILE_TOKEN` of the environment. null: none is sent. */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /** What sentences are wanted in, as `Accept-Language` has it, such as `de` or `pt-BR`; default English. */
  readonly language?: string;
  /** How requests are sent again; default 4 times, with waits of up to 60 s. */
  readonly retries?: Partial<Retries>;
  /** How long an answer may be silent, in seconds: before it begins, and between two pieces of it. Default 300. */
  readonly silenceS?: number;
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
  /** Waits between attempts, and rejects with what the signal is aborted with. Default: a timer. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface Client extends TypedCalls {
  readonly facilities: {
    /** Rates places from a file or features: one result for each, in order, while they arrive. */
    readonly validate: (source: Source, options?: StreamOptions<'validateFacilities'>) => RunOf<'validateFacilities'>;
  };
  readonly locations: {
    /** Reads a file of any format and checks each location. */
    readonly validate: (source: Source, options?: StreamOptions<'validateLocations'>) => RunOf<'validateLocations'>;
    /** Reads a file of any format: clean locations out of messy ones. */
    readonly normalize: (source: Source, options?: StreamOptions<'normalizeLocations'>) => RunOf<'normalizeLocations'>;
  };
  readonly collections: Collections;
  readonly tasks: {
    /** The states of a task as they change, until it has ended. */
    readonly follow: (taskId: string, options?: { readonly signal?: AbortSignal }) => AsyncGenerator<Task, void>;
  };
}

const SILENCE_S = 300;

/** A client of the service at an address, with a token; both default to the environment. Nothing is sent before the first call. */
export function createClient(options: ClientOptions = {}): Client {
  const transport = transportOf(options);
  return {
    ...typedCalls(transport),
    facilities: { validate: (source, given = {}) => streamFeatures(transport, '/validate_facilities', source, given) },
    locations: {
      validate: (source, given = {}) => streamFeatures(transport, '/validate_locations', source, given),
      normalize: (source, given = {}) => streamFeatures(transport, '/normalize_locations', source, given),
    },
    collections: collectionCalls(transport),
    tasks: { follow: (taskId, { signal } = {}) => followTask(transport, taskId, signal) },
  };
}

function transportOf(options: ClientOptions): Transport {
  const { url, token, language, retries, silenceS = SILENCE_S, fetch, wait = pause } = options;
  const given = token === undefined ? (environment('FIRSTMILE_TOKEN') ?? null) : token;
  return {
    url: (url ?? environment('FIRSTMILE_URL') ?? usualAddress()).replace(/\/+$/, ''),
    token: typeof given === 'function' ? given : () => given,
    ...(language === undefined ? {} : { language }),
    retries: { ...USUAL_RETRIES, ...retries },
    silenceMs: silenceS * 1000,
    fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    wait,
  };
}

function usualAddress(): string {
  const { location } = globalThis as { location?: { readonly origin?: string } };
  return location?.origin?.startsWith('http') === true ? location.origin : 'http://127.0.0.1:8080';
}

/** A variable of the environment. Browsers have none, and Deno may not be allowed to read it. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { readonly env?: Readonly<Record<string, string | undefined>> } };
  try {
    return process?.env?.[name];
  } catch {
    return undefined;
  }
}
