import { setImmediate } from 'node:timers/promises';
import { asFeature, brokenResult, inputOf, invalidResult, type ValidatedFacility } from './result.ts';
import { type FacilityOptions, readInputProperties, withOwnCommodity } from './options.ts';
import type { FacilitySources } from './sources.ts';
import { validateFacility } from './validate-facility.ts';
import { isRecord } from '../is-record.ts';
import type { MaybePromise } from '../maybe-promise.ts';

/** A feature, or the value in a feature's place and what its reader found wrong with it. */
export type FacilityInput =
  | { readonly feature: unknown }
  | { readonly fault: { readonly detail: string }; readonly value: unknown };

interface BatchOptions {
  readonly facility: FacilityOptions;
  /** Facilities checked at the same time; also how many results wait in memory at most. */
  readonly inFlight: number;
  /** Milliseconds of work after which other events get their turn. Default 5. */
  readonly sliceMs?: number;
  /** Milliseconds on a clock that only goes forward. Default `performance.now`. */
  readonly now?: () => number;
}

/**
 * One result for each input, in their order, as soon as it and those before it are ready. At most `inFlight` of them
 * are held. A facility whose check breaks gets a result that says so; the others are not affected. Stopping to read
 * stops the checks in flight.
 *
 * @throws the reason of `signal` when it aborts, and whatever `inputs` throws.
 */
export async function* validateBatch(
  inputs: AsyncIterable<FacilityInput>,
  options: BatchOptions,
  sources: FacilitySources,
  signal: AbortSignal,
): AsyncGenerator<ValidatedFacility, void> {
  const stop = new AbortController();
  const running = AbortSignal.any([signal, stop.signal]);
  const yieldToEventLoop = createEventLoopYield(options.sliceMs ?? 5, options.now ?? (() => performance.now()));
  const input = inputs[Symbol.asyncIterator]();
  const waiting: MaybePromise<ValidatedFacility>[] = [];
  let incoming: Promise<IteratorResult<FacilityInput>> | null = null;
  let isOpen = true;
  try {
    while (isOpen || waiting.length > 0) {
      signal.throwIfAborted();
      if (isOpen && waiting.length < options.inFlight && (waiting.length === 0 || waiting[0] instanceof Promise)) {
        incoming ??= input.next();
        const next = await firstOf(incoming, waiting[0]);
        if (next !== HEAD_IS_READY) {
          incoming = null;
          if (next.done === true) isOpen = false;
          else waiting.push(validateInput(next.value, options.facility, sources, running));
          continue;
        }
      }
      const result = await waiting.shift();
      signal.throwIfAborted();
      if (result !== undefined) yield result;
      await yieldToEventLoop();
    }
  } finally {
    // The reason of an abort is an error with a stack, which takes time to make: only where something is in flight.
    if (isOpen || waiting.length > 0) stop.abort();
    if (isOpen) await close(input, incoming);
  }
}

const HEAD_IS_READY = Symbol('the oldest result is ready');

/** The next feature, or word that the oldest result is ready: a slow input must not hold it back. */
function firstOf(incoming: Promise<IteratorResult<FacilityInput>>, head: MaybePromise<ValidatedFacility> | undefined) {
  return head === undefined
    ? incoming
    : Promise.race([incoming, Promise.resolve(head).then((): typeof HEAD_IS_READY => HEAD_IS_READY)]);
}

/** Ends an input that was not read to its end; one that is still busy with its next feature is not waited for. */
async function close(input: AsyncIterator<FacilityInput>, incoming: Promise<unknown> | null): Promise<void> {
  incoming?.catch(() => undefined);
  const closing = input.return?.();
  if (incoming === null) await closing;
  else closing?.catch(() => undefined);
}

/**
 * The result of one input, there at once where every source answers at once. Never throws and never rejects: a facility whose
 * check breaks gets a result that says so, and a result that nobody has come to fetch yet cannot bring the process down.
 */
export function validateInput(
  input: FacilityInput,
  options: FacilityOptions,
  sources: FacilitySources,
  signal: AbortSignal,
): MaybePromise<ValidatedFacility> {
  if ('fault' in input) return rejectFacility(input.value, input.fault.detail, options);
  const broken = (error: unknown): ValidatedFacility => {
    if (!signal.aborted) sources.reportFailure?.('facility', error);
    return asFeature(inputOf(input.feature), brokenResult(options));
  };
  try {
    const result = validateFacility(input.feature, options, sources, signal);
    return result instanceof Promise ? result.catch(broken) : result;
  } catch (error) {
    return broken(error);
  }
}

/** Lets timers and sockets have their turn once a slice of work is used up. Promises alone never would. */
function createEventLoopYield(sliceMs: number, now: () => number): () => Promise<void> | undefined {
  let since = now();
  return () => {
    if (now() - since < sliceMs) return undefined;
    return setImmediate().then(() => {
      since = now();
    });
  };
}

/**
 * The result, of level `invalid`, of something that its reader already found no usable feature. What it has of id,
 * geometry and properties is kept; a bare geometry in a feature's place becomes the geometry.
 *
 * @param fault what was wanted and what came, without a full stop.
 */
function rejectFacility(value: unknown, fault: string, options: FacilityOptions): ValidatedFacility {
  const input = inputOf(value);
  const geometry = isRecord(value) && 'coordinates' in value ? value : input.geometry;
  const message = `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
  const reason = { code: 'not_an_object', message, params: { where: 'geometry' } } as const;
  const known = readInputProperties(input.properties);
  return asFeature({ ...input, geometry }, invalidResult(reason, known, withOwnCommodity(options, known)));
}
