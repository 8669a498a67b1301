import { cutOff, readLines } from './read-lines.ts';
import { resumed } from './resumed.ts';
import type { Operations } from './schema.ts';
import { sendRequest, unread, type Transport } from './send-request.ts';
import type { OnSent } from './send-form.ts';
import { formOf } from './typed-calls.ts';

/** A feature as it is sent. */
export interface Feature {
  readonly type: 'Feature';
  readonly id?: string | number;
  readonly geometry: object | null;
  readonly properties?: object | null;
}

/** What is sent: a file, features that are all there, or features as they come. */
export type Source =
  | Blob
  | { readonly type: 'FeatureCollection'; readonly features: readonly Feature[] }
  | Iterable<Feature>
  | AsyncIterable<Feature>;

type FileOperation = 'validateFacilities' | 'validateLocations' | 'normalizeLocations';
type Fields<Id extends FileOperation> = Omit<Operations[Id]['form'] & object, 'file'>;
type Collected<Id extends FileOperation> = Extract<Operations[Id]['answer'], { features: unknown }>;

export type StreamOptions<Id extends FileOperation> = Fields<Id> & {
  /** How many features are sent in one request, where they come one by one; default 100. */
  readonly atATime?: number;
  /** Hears how much of a request has left. */
  readonly onSent?: OnSent;
  readonly signal?: AbortSignal;
};

/** Results in the order of what was sent, as they finish. */
export interface FeatureRun<Result, Aggregate> extends AsyncIterable<Result> {
  /** About all of them: null before the last, and where they were sent in several requests. */
  readonly aggregate: Aggregate | null;
}

export type RunOf<Id extends FileOperation> = FeatureRun<
  Collected<Id>['features'][number],
  Collected<Id> extends { properties?: infer P } ? NonNullable<P> : never
>;

const AT_A_TIME = 100;

/**
 * Sends a file to an operation that answers with one feature for each, and gives the results while they arrive. An answer that
 * breaks off is opened again and goes on where it was.
 */
export function streamFeatures<Id extends FileOperation>(
  transport: Transport,
  template: string,
  source: Source,
  { atATime = AT_A_TIME, onSent, signal, ...fields }: StreamOptions<Id>,
): RunOf<Id> {
  let aggregate: unknown = null;
  const run = async function* (): AsyncGenerator<unknown, void> {
    aggregate = null;
    let requests = 0;
    for await (const file of filesOf(source, atATime)) {
      const form = formOf({ ...fields, file });
      const request = { method: 'POST', template, accept: 'application/x-ndjson', form, onSent, signal };
      requests++;
      yield* resumed(transport, signal, async function* () {
        const response = await sendRequest(transport, request, unread);
        let end: unknown;
        for await (const line of readLines(response, transport.silenceMs, signal)) {
          const item = parse(line) as { type: string; properties: unknown };
          if (item.type === 'FeatureCollection') end = item.properties;
          else yield item;
        }
        if (end === undefined) throw cutOff('its last line is missing');
        aggregate = end;
      });
    }
    if (requests !== 1) aggregate = null;
  };
  return {
    [Symbol.asyncIterator]: run,
    get aggregate() {
      return aggregate;
    },
  } as RunOf<Id>;
}

/** A line as the object that it is. */
export function parse(line: Uint8Array): object {
  let item: unknown;
  try {
    item = JSON.parse(new TextDecoder().decode(line));
  } catch (cause) {
    throw cutOff('a line is not whole', cause);
  }
  if (typeof item !== 'object' || item === null) throw cutOff('a line is no feature');
  return item;
}

async function* filesOf(source: Source, atATime: number): AsyncGenerator<Blob, void> {
  if (source instanceof Blob) return yield source;
  if ('features' in source) return yield fileOf(source.features);
  if (Array.isArray(source)) return yield fileOf(source as readonly Feature[]);
  let waiting: Feature[] = [];
  for await (const feature of source as AsyncIterable<Feature>) {
    if (waiting.push(feature) < atATime) continue;
    yield fileOf(waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield fileOf(waiting);
}

export function fileOf(features: readonly Feature[]): File {
  const text = JSON.stringify({ type: 'FeatureCollection', features });
  return new File([text], 'features.geojson', { type: 'application/geo+json' });
}
