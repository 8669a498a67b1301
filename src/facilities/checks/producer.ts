import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding, Status } from '../evidence/evidence.ts';
import { sentence } from '../evidence/sentences.ts';
import type { Said } from '../../messages/said.ts';
import { producerHundredths, producerState, share, type ProducerState } from '../producer-score.ts';
import type { ProducerMatch } from '../sources.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import type { CountryFinding } from './country.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

export interface ProducerFinding extends Finding {
  readonly confirmed: boolean;
}

/** Looks the facility's name up in business registries: likeness of the name and nearness of the record. Never scored. */
export function checkProducer(
  { shape, sources, query, options }: CheckContext,
  name: string | null,
  country: CountryFinding,
): MaybePromise<ProducerFinding> {
  if (name === null) return NO_NAME;
  const iso2 = country.where?.country?.iso2 ?? country.stated?.iso2 ?? null;
  return whenReady(
    query('producer_confirmation', (signal) => sources.producer(name, shape, iso2, signal, options.commodity)),
    (result) => evaluate(result, name),
  );
}

const NO_NAME: ProducerFinding = {
  indicator: 'producer_confirmation',
  status: 'unknown',
  value: 0,
  dataset: null,
  detail: sentence('no_producer_name'),
  cause: 'not_requested',
  confirmed: false,
};

function evaluate(result: QueryResult<ProducerMatch | null>, name: string): ProducerFinding {
  const indicator = 'producer_confirmation';
  if (result.dataset === null) return { ...unknownFinding(indicator, result), confirmed: false };
  const { dataset, value: match } = result;
  if (match === null)
    return {
      indicator,
      status: 'absent',
      value: 0,
      dataset,
      detail: sentence('no_producer_record', { name }),
      producerState: 'not_found',
      confirmed: false,
    };
  const hundredths = producerHundredths(match);
  const state = producerState(match);
  const distance = match.distanceM === null ? {} : { distanceM: Math.round(match.distanceM) };
  return {
    indicator,
    status: STATUS[state],
    value: hundredths / 100,
    dataset,
    ...distance,
    name: match.name,
    detail: describe(match, hundredths, state),
    producerState: state,
    confirmed: state === 'confirmed',
  };
}

/** A record without a place may be this one or not. */
const STATUS = {
  confirmed: 'present',
  found_elsewhere: 'absent',
  place_unknown: 'unknown',
  name_differs: 'absent',
} as const satisfies Record<Exclude<ProducerState, 'not_found'>, Status>;

function describe(
  { registry, recordId, name, nameSimilarity, distanceM }: ProducerMatch,
  hundredths: number,
  state: keyof typeof STATUS,
): Said {
  const record = { registry, name, record: recordId };
  const params = { ...record, state, alike: Math.round(share(nameSimilarity) * 100), producer_score: hundredths / 100 };
  return distanceM === null
    ? sentence('producer_record_without_place', params)
    : sentence('producer_record', { ...params, distance_m: distanceM });
}
