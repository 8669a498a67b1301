import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding, Status } from '../evidence/evidence.ts';
import { metres } from '../evidence/in-words.ts';
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
  detail: 'The facility has no name to look up; give one as facility_name, name, company_name or supplier.',
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
      detail: `No registry record resembles "${name}".`,
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

const VERDICTS = {
  confirmed: 'Confirmed',
  found_elsewhere: 'Found elsewhere, so not confirmed here',
  place_unknown: 'Not confirmed, because the place of the record is unknown',
  name_differs: 'Not confirmed, because the name differs',
} as const satisfies Record<Exclude<ProducerState, 'not_found'>, string>;

function describe(
  { registry, recordId, name, nameSimilarity, distanceM }: ProducerMatch,
  hundredths: number,
  state: keyof typeof VERDICTS,
): string {
  const place = distanceM === null ? 'of unknown place' : `${metres(distanceM)} away`;
  const likeness = `name ${Math.round(share(nameSimilarity) * 100)} % alike`;
  return `${VERDICTS[state]}: ${registry} has "${name}" (${recordId}), ${likeness}, ${place}; score ${(hundredths / 100).toFixed(2)}.`;
}
