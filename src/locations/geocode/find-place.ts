import { placeKey } from '../../geo/place-key.ts';
import type { GeocodeAnswer, GeocodePrecision, GeocodeQuery } from '../sources.ts';
import { type AddressPart, type Gazetteer, type GazetteerEntry, partsOf } from './address-parts.ts';
import { bestOf, scoreCandidates, type Candidate } from './place-candidates.ts';
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

/** What the parts of an address say of the country. */
interface NamedCountry {
  /** ISO alpha-2 of the country that a whole part names, nearest to the end; null where none does. */
  readonly code: string | null;
  /** ISO alpha-2 of a country whose name the last part ends in: a hint and no more, because `Zona Franca` does too. */
  readonly hint: string | null;
}

const NONE: NamedCountry = { code: null, hint: null };
/** Shorter texts are taken for a country only as capitals, at the end, and where they are the letters of no division. */
const LEAST_NAME = 4;

function namedCountry(parts: readonly AddressPart[], gazetteer: Gazetteer): NamedCountry {
  const last = parts.at(-1);
  if (last === undefined) return NONE;
  for (const part of parts.toReversed()) {
    const text = part.words.map((word) => word.text).join(' ');
    const code = gazetteer.countryCode(text);
    if (code === null) continue;
    if (text.length < LEAST_NAME && !(part === last && isOwnAbbreviation(text, gazetteer))) continue;
    return { code: regionInstead(text, parts, code, gazetteer) ?? code, hint: null };
  }
  for (let size = Math.min(3, last.words.length - 1); size > 0; size--) {
    const text = last.words
      .slice(-size)
      .map((word) => word.text)
      .join(' ');
    const code = text.length < LEAST_NAME ? null : gazetteer.countryCode(text);
    if (code !== null) return { code: null, hint: code };
  }
  return NONE;
}

function isOwnAbbreviation(text: string, gazetteer: Gazetteer): boolean {
  return text.length > 1 && text === text.toUpperCase() && gazetteer.coded(text).length === 0;
}

/** The country of a region of this name, where another part names a place in that region and none in the country: `Atlanta, Georgia`. */
function regionInstead(
  text: string,
  parts: readonly AddressPart[],
  country: string,
  gazetteer: Gazetteer,
): string | null {
  const regions = gazetteer.named(placeKey(text)).filter((entry) => entry.kind === 'region');
  if (regions.length === 0) return null;
  const places = parts.flatMap(({ words }) => gazetteer.named(words.map(({ key }) => key).join('')));
  if (places.some((place) => place.kind === 'settlement' && place.country === country)) return null;
  const found = regions.find((region) =>
    places.some(
      (place) => place.kind === 'settlement' && place.country === region.country && place.region === region.region,
    ),
  );
  return found?.country ?? null;
}

/** Chance that a facility of a settlement, and of a district of unknown extent, lies within 25 km of its middle. */
const [NEAR_SETTLEMENT, NEAR_SEAT] = [0.9, 0.45];
/** Odds (as a logarithm) that the best candidate is the one that was meant, and how far each point of its lead moves them. */
const [BASE_ODDS, ODDS_PER_LEAD, ODDS_IN_REGION, ODDS_MARKED] = [0.2, 1, 1, 0.4];
/** A name taken from the name of the company, or read one letter off, is that much less sure. */
const [FROM_NAME, SIMILAR] = [0.5, 0.85];

/**
 * The chance that the requested place lies within 25 km of the answer: that the named thing is the one that was meant, by
 * its lead over the next best, times the share of the places in it that lie so near. Calibrated in bench/geocoding.ts.
 */
function confidenceOf(best: Candidate, candidates: readonly Candidate[], standsForDistrict: boolean): number {
  const { entry, inNamedRegion, mention, score } = best;
  const rival = bestOf(candidates.filter((other) => isRival(other.entry, entry)));
  const lead = rival === null ? 3 : Math.min(3, Math.max(0, score - rival.score));
  const odds =
    BASE_ODDS + ODDS_PER_LEAD * lead + (inNamedRegion ? ODDS_IN_REGION : 0) + (mention.marked ? ODDS_MARKED : 0);
  const right =
    (1 / (1 + Math.exp(-odds))) *
    (mention.field === 'name' ? FROM_NAME : 1) *
    (mention.spelling === 'similar' ? SIMILAR : 1);
  return Math.min(0.95, Math.max(0.02, right * nearness(best, standsForDistrict)));
}

/** Somewhere else, and not a division that the place lies in. */
function isRival(other: GazetteerEntry, entry: GazetteerEntry): boolean {
  const contains =
    (other.kind === 'region' && other.country === entry.country && other.region === entry.region) ||
    (other.kind === 'district' && other.district > 0 && other.district === entry.district);
  return !contains && other !== entry && Math.hypot(other.at[0] - entry.at[0], other.at[1] - entry.at[1]) > 0.2;
}

/** A settlement whose name its district bears too may stand for the district; where the column says so, it does. */
function nearness({ entry, mention }: Candidate, standsForDistrict: boolean): number {
  if (entry.kind !== 'settlement') return entry.near;
  const district = mention.entries.find(
    ({ kind, country, region }) => kind === 'district' && country === entry.country && region === entry.region,
  );
  if (standsForDistrict) return district?.near ?? NEAR_SEAT;
  return NEAR_SETTLEMENT * (district === undefined ? 1 : (1 + district.near) / 2);
}
