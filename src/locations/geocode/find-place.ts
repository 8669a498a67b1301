import { placeKey } from '../../geo/place-key.ts';
import type { GeocodeAnswer, GeocodePrecision, GeocodeQuery } from '../sources.ts';
import { partsOf } from './address-parts.ts';
import type { Gazetteer, GazetteerEntry } from './gazetteer.ts';
import { namedCountry } from './named-country.ts';
import { bestOf, scoreCandidates, type Candidate } from './place-candidates.ts';
import { confidenceOf } from './place-confidence.ts';
import { findMentions, type Mention } from './place-mentions.ts';

/**
 * The place that a query most likely means among settlements, districts, regions and countries, offline. Names are looked
 * for in the country that is stated, or that a whole part of the address names; a name counts more where it has more
 * people, where its region or district is named too, where it stands alone between commas or a word such as "village"
 * stands next to it, and less where it names a street. Without any name the country itself is the answer; null where not
 * even that is known, or where no country is and the names could lie in several.
 */
export function findPlace(query: GeocodeQuery, gazetteer: Gazetteer): GeocodeAnswer | null {
  const parts = partsOf(query);
  const named = query.country === null ? namedCountry(parts, gazetteer) : { code: query.country, hint: null };
  const mentions = findMentions(parts, named.code, gazetteer);
  const candidates = scoreCandidates(mentions, named.hint);
  const best = bestOf(candidates.filter(({ score, mention }) => score > 0 && isEnough(mention)));
  if (best === null) return named.code === null ? null : countryAnswer(named.code, gazetteer);
  if (named.code === null && !isBeyondDoubt(best, candidates, named.hint)) return null;
  const standsForDistrict = query.localityIsDistrict === true && best.mention.field === 'locality';
  const answer = asAnswer(best, confidenceOf(best, candidates, standsForDistrict), gazetteer);
  return standsForDistrict && answer.precision === 'locality' ? { ...answer, precision: 'region' } : answer;
}

/** Letters of a division in the middle of an address say where a settlement lies; by themselves they may be anything. */
function isEnough({ spelling, field }: Mention): boolean {
  return spelling !== 'letters' || field === 'admin1';
}

/** People of a place that is known without its country. */
const KNOWN_PEOPLE = 100_000;
/** Lead over the best candidate of another country. */
const CLEAR_LEAD = 0.4;

/** Whether a place may be meant although nothing says in which country: it is large or its region is named, and no other country has a like one. */
function isBeyondDoubt(best: Candidate, candidates: readonly Candidate[], hint: string | null): boolean {
  const { entry, inNamedRegion, score, mention } = best;
  if (mention.spelling === 'letters' || (entry.people < KNOWN_PEOPLE && !inNamedRegion)) return false;
  if (hint !== null && hint !== entry.country && !mention.whole) return false;
  const rival = bestOf(candidates.filter((other) => other.entry.country !== entry.country));
  return rival === null || score - rival.score >= CLEAR_LEAD;
}

const PRECISION = {
  settlement: 'locality',
  district: 'region',
  region: 'region',
  country: 'country',
} as const satisfies Record<GazetteerEntry['kind'], GeocodePrecision>;

function asAnswer({ entry }: Pick<Candidate, 'entry'>, confidence: number, gazetteer: Gazetteer): GeocodeAnswer {
  const country = gazetteer.countryName(entry.country);
  const parts = [entry.name, entry.region === entry.name ? null : entry.region, country];
  return {
    at: entry.at,
    precision: PRECISION[entry.kind],
    confidence,
    name: entry.kind === 'country' ? country : parts.filter((part) => part !== null).join(', '),
    country: entry.country,
    admin1: entry.region,
    provider: 'built-in settlements',
  };
}

function countryAnswer(country: string, gazetteer: Gazetteer): GeocodeAnswer | null {
  const entry = gazetteer.named(placeKey(country)).find(({ kind }) => kind === 'country');
  return entry === undefined ? null : asAnswer({ entry }, Math.max(LEAST_CONFIDENCE, entry.near), gazetteer);
}

const LEAST_CONFIDENCE = 0.02;
