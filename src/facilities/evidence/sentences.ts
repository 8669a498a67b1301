import { say } from '../../messages/say.ts';
import type { MessagePart } from '../../messages/localise.ts';
import { countryWord, word, wordCode, type Params, type Said } from '../../messages/said.ts';
import { countryInSentence, upperFirst } from '../../messages/in-words.ts';
import { COMMODITIES, COMMODITY_RULES, type Commodity } from '../commodity/commodities.ts';
import type { CountryRef } from '../sources.ts';

const PLACE = '{place, select, land {In {country}} other {In waters that the borders of the data assign to {country}}}';
const COUNTS_HALF = 'Country and latitude allow it, so it counts half.';
const WITHOUT_DATA = `{counts, select, half {${COUNTS_HALF}} other {The country is not known either, so it counts nothing.}}`;
const BUILDINGS =
  '{count, plural, one {# building} other {# buildings}} within {within_m}, the largest {largest_m2} m2';
const INDUSTRIAL = 'industrial use{site, select, none {} other { ({site})}}';
const CLASS = '{class, select, large {large} medium {medium} other {none}}';
const NEAREST = '{kind}{name, select, none {} other { ({name})}}, {distance_m} away.';
const BUSINESSES = '{count, plural, one {# relevant business} other {# relevant businesses}} within {within_m}';
const RECORD =
  '{state, select, confirmed {Confirmed} found_elsewhere {Found elsewhere, so not confirmed here} place_unknown {Not confirmed, because the place of the record is unknown} other {Not confirmed, because the name differs}}: {registry} has "{name}" ({record}), name {alike} % alike';

/** What the checks of a facility say of their findings: code -> English. The catalogues of the other languages have the same codes. */
export const SENTENCES = {
  high_seas: 'On the high seas, in no country.',
  in_country: `${PLACE}.`,
  in_producing_country: `${PLACE}, which produces {commodity}.`,
  in_country_without: `${PLACE}, which is not among the countries that produce {commodity}.`,
  latitude_unlimited: 'No latitude limits apply to this commodity.',
  latitude_fit:
    '{latitude_degrees} degrees {side, select, south {south} other {north}} is {fit, select, optimal {in the optimal band} viable {in the viable band} marginal {outside the viable band, though not impossible} other {beyond the latitudes possible}} for {commodity}.',
  ruled_out: 'Ruled out: {detail}',
  commodity_found: '{commodity} on {least_share} of the area within {within_m}. {method}',
  commodity_found_at_least: '{commodity} on at least {least_share} of all of the area within {within_m}. {method}',
  commodity_absent: '{commodity} was not found within {within_m}. {method}',
  commodity_absent_up_to: '{commodity} was not found within {within_m}. It may be on up to {highest_share}. {method}',
  commodity_undecided: `{commodity} was not found, but {why, select, few {too little was looked at to distinguish it from none} other {only {covered_share} of the area within {within_m} is known}}: neither present nor absent. {counts, select, half {${COUNTS_HALF}} other {Nothing else supports it, so it counts nothing.}} {method}`,
  commodity_not_measured: `{commodity} was not measured: no detector or map covers this place. ${WITHOUT_DATA}`,
  commodity_failed: `{commodity} could not be measured: {reason}. ${WITHOUT_DATA}`,
  no_building: 'No building within {within_m}.',
  industrial_ground: `Ground in ${INDUSTRIAL} within {within_m}: class ${CLASS}.`,
  small_buildings: `Only small buildings: ${BUILDINGS}.`,
  buildings: `${BUILDINGS}: class ${CLASS}.`,
  industrial_buildings: `${BUILDINGS}, in ${INDUSTRIAL}: class ${CLASS}.`,
  no_road: 'No road within {within_m}.',
  no_water: 'No sea, lake or large river within {within_m}.',
  no_port: 'No port within {within_m}.',
  nearest_road: `Nearest road: ${NEAREST}`,
  nearest_water: `Nearest water: ${NEAREST}`,
  nearest_port: `Nearest port: ${NEAREST}`,
  no_business: 'No relevant business within {within_m}.',
  businesses: `${BUSINESSES}.`,
  businesses_nearest: `${BUSINESSES}; the nearest is a {kind}, {distance_m} away.`,
  businesses_nearest_named: `${BUSINESSES}; the nearest is {name} ({kind}), {distance_m} away.`,
  no_producer_name: 'The facility has no name to look up; give one as facility_name, name, company_name or supplier.',
  no_producer_record: 'No registry record resembles "{name}".',
  producer_record: `${RECORD}, {distance_m} away; score {producer_score}.`,
  producer_record_without_place: `${RECORD}, of unknown place; score {producer_score}.`,
  no_dataset_here: 'No {dataset} dataset covers this place.',
  no_dataset_within: 'No {dataset} dataset covers everything within {within_m} of this place.',
  look_failed: 'Could not look for {subject}: {reason}.',
  not_requested: 'Not checked: the request did not include {subject}.',
  weighed:
    '{basis, select, verified {verified} partly_verified {partly verified} other {unverified}}, with {coverage, plural, =0 {none} other {# %}} of what is scored assessed.',
  weighed_open:
    '{basis, select, verified {verified} partly_verified {partly verified} other {unverified}}, with {coverage, plural, =0 {none} other {# %}} of what is scored assessed: the score could be anything from {lowest_score} to {highest_score}.',
  comment_composed: 'Composed from the indicators: {weighed}',
  comment_by_model: 'Written by a language model from the indicators: {reply} Evidence: {weighed}',
  comment_lacks: 'Not known for lack of data: {subjects_list}.',
  geometry_not_checked: 'Not checked: the geometry is invalid.',
  facility_broken:
    'The facility could not be checked because of an internal error; the others of the request are not affected.',
  no_effect: 'The score does not depend on it.',
  effect_range:
    'That says nothing against the facility: with them the score could be anything from {lowest_score} to {highest_score}.',
  none_given: 'No commodity_type was given',
  no_model: '"{commodity}" has no detection model',
  no_model_near: '"{commodity}" has no detection model; did you mean {near}?',
  some_without_model: '{masked} of {total} facilities have no commodity_type with a detection model',
  in_waters: 'in waters that the borders of the data assign to {country}',
  some_source_failed:
    'A source failed for {n} of {total} facilities: these indicators were not assessed, which says nothing against the facilities. Their `evidence` names which and why.',
  some_missing_data:
    'No dataset covers some indicators of {n} of {total} facilities: they were not assessed, which says nothing against the facilities. `confidence_range` says what their scores could be.',
  reply_unusable: 'it is empty, too long or holds markup',
  reply_contradicts: 'it does not agree with the evidence on {subject}',
} as const satisfies Readonly<Record<string, string>>;

/** A sentence of the table above with its blanks filled in. */
export function sentence(code: keyof typeof SENTENCES, params: Params = {}): Said {
  return say(SENTENCES, code, params);
}

/** A commodity by its name, in a sentence or at its beginning. */
export function commodityWord(commodity: Commodity | null, atStart = false): Said {
  return (atStart ? COMMODITIES_AT_START : COMMODITIES_WITHIN)[commodity ?? 'plantation'];
}

const COMMODITIES_WITHIN = commodityWords((name) => name);
const COMMODITIES_AT_START = commodityWords(upperFirst);

function commodityWords(written: (name: string) => string): Readonly<Record<Commodity | 'plantation', Said>> {
  const labels = COMMODITIES.map((commodity) => [commodity, COMMODITY_RULES[commodity].label] as const);
  return Object.fromEntries(
    [...labels, ['plantation', 'plantation forest'] as const].map(([name, label]) => [
      name,
      word(wordCode('commodity', name), written(label)),
    ]),
  ) as Record<Commodity | 'plantation', Said>;
}

/** A country within a sentence. */
export function countryNamed({ iso2, name }: CountryRef): Said {
  return countryWord(iso2, countryInSentence(name));
}

/** A kind of thing in the field's own word, such as `secondary road`. */
export function kindWord(kind: string): Said {
  let known = kinds.get(kind);
  if (known !== undefined) return known;
  if (kinds.size >= MOST_KINDS) kinds.clear();
  known = word(wordCode('kind', kind.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')), kind);
  kinds.set(kind, known);
  return known;
}

/** Few by nature, but they come from data. */
const MOST_KINDS = 1_000;
const kinds = new Map<string, Said>();

/** A sentence without its English, which stands in a property of its own. */
export function codeOf({ code, params = {} }: Said): MessagePart {
  return { code, params };
}
