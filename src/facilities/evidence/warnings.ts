import { formatEnglish } from '../../messages/format-english.ts';
import type { Params } from '../../messages/said.ts';

export interface FacilityWarning {
  readonly code: WarningCode;
  /** What fills the blanks of the message: from code and params it is written in other languages. */
  readonly params: Params;
  readonly message: string;
}

interface WarningRow {
  /** In ICU message syntax: `{word}` is filled in. */
  readonly message: string;
  readonly fix: string;
}

/** Every warning a facility can carry, gravest first. The list is closed. */
export const WARNINGS = {
  invalid_geometry: {
    message: 'The facility cannot be rated: {reason}',
    fix: 'Correct the geometry as `confidence_comment` says and validate the facility again.',
  },
  coordinates_swapped: {
    message: 'Longitude and latitude look swapped: the other way round the facility lies in {swapped}.',
    fix: 'Put longitude first: GeoJSON and WKT write [longitude, latitude].',
  },
  spans_half_the_globe: {
    message:
      'The geometry spans {degrees} degrees of longitude, so it was taken to go the long way round; it probably crosses the antimeridian.',
    fix: 'Cut it at 180 degrees into the parts of a MultiPolygon (RFC 7946 section 3.1.9).',
  },
  null_island: {
    message: 'The facility lies at longitude 0, latitude 0, which usually stands for a missing location.',
    fix: 'Give the real coordinates, or a null geometry when they are not known.',
  },
  off_land: {
    message: 'The facility does not lie on land ({place}).',
    fix: 'Check the coordinates: the sign and the order of longitude and latitude, and the number of decimals.',
  },
  country_mismatch: {
    message: 'The input says {stated}, but the facility lies in {country}.',
    fix: 'Correct the country or the coordinates.',
  },
  disputed_territory: {
    message:
      'The facility lies in {territory}, a disputed territory: {country} is named because it administers the place or the borders of the data put it there; it is also claimed by {claims}.',
    fix: 'State the country that your statement is to name, and keep the grounds for it; no position on the dispute is taken here.',
  },
  commodity_mismatch: {
    message: 'The input says {own}, but the request says {given}; the facility was rated for {given}.',
    fix: 'Correct the `commodity_type` of one of them, or leave it out of the request so that each facility has its own.',
  },
  country_not_producing: {
    message: '{country} is not among the countries that produce {commodity}.',
    fix: 'Check the coordinates and the commodity; the countries are listed with the commodity in the documentation.',
  },
  latitude_beyond_limit: {
    message: 'Outside the commodity zone: {detail}',
    fix: 'Check the coordinates and the commodity.',
  },
  commodity_not_found: {
    message: 'Outside the commodity zone: {detail}',
    fix: 'Check the coordinates, or widen commodity_radius when the produce comes from further away.',
  },
  no_infrastructure: {
    message: 'No infrastructure: no road, no sizeable building and no relevant business nearby.',
    fix: 'Check the coordinates; a place without road and buildings is rarely an aggregation point.',
  },
  dense_urban: {
    message: 'The facility lies in a dense urban area.',
    fix: 'Make sure that the coordinates are those of the facility, not of a head office.',
  },
  latitude_marginal: {
    message: 'At the edge of the commodity zone: {detail}',
    fix: 'Check the coordinates and the commodity.',
  },
  commodity_low: {
    message: 'Low presence of the commodity: {detail}',
    fix: 'Verify the origin of the produce, or widen commodity_radius.',
  },
  commodity_fallback: {
    message:
      '{commodity}; a generic plantation mask{mask, select, none {} other { ({mask})}} was used instead, and no country or latitude limits apply.',
    fix: 'Give one of rubber, palm, cocoa, coffee, soy, timber, cattle as commodity_type.',
  },
  source_failed: {
    message: 'Not assessed, because a source failed: {indicators_list}. {effect}',
    fix: 'Try again later; `evidence` names the reason of each.',
  },
  missing_data: {
    message:
      'Not assessed, because no dataset covers this place and the area searched around it: {indicators_list}. {effect}',
    fix: 'Install data that cover the place (`/datasets` lists what there is), or verify these by other means. Go by `confidence_range` and `confidence_basis` until then.',
  },
  parts_ignored: {
    message: 'Parts of the geometry collection were left out: {reasons_text}',
    fix: 'Correct or remove these parts.',
  },
  near_border: {
    message: 'The facility lies in {country}, {distance_m} from the border with {neighbours}.',
    fix: 'Make sure that the coordinates are exact and the country is the right one.',
  },
  low_precision: {
    message:
      'The coordinates {position} have fewer than {decimals} decimals, so the place is known to about {accuracy} only.',
    fix: 'Give coordinates with at least 5 decimals (about 1 m).',
  },
  country_unrecognised: {
    message: 'The country in the input, {stated}, is not known by that name or code.',
    fix: 'Give the ISO 3166-1 alpha-2 code or the English name.',
  },
  comment_refused: {
    message: 'The reply of the language model was not used: {reason}. The comment is composed from the indicators.',
    fix: 'None needed: numbers and levels never come from a language model.',
  },
  comment_failed: {
    message: 'The language model did not answer: {reason}. The comment is composed from the indicators.',
    fix: 'Look at `LANGUAGE_MODEL` and its service if this goes on; numbers and levels are not affected.',
  },
} as const satisfies Record<string, WarningRow>;

type WarningCode = keyof typeof WARNINGS;

const ORDER: Readonly<Record<string, number>> = Object.fromEntries(Object.keys(WARNINGS).map((code, i) => [code, i]));

/** A warning with its message filled in. */
export function warn(code: WarningCode, params: Params = {}): FacilityWarning {
  return { code, params, message: formatEnglish(WARNINGS[code].message, params) };
}

/** The same warnings, gravest first; warnings of one code keep their order. */
export function gravestFirst(warnings: readonly FacilityWarning[]): readonly FacilityWarning[] {
  return warnings.length < 2 ? warnings : warnings.toSorted((a, b) => (ORDER[a.code] ?? 0) - (ORDER[b.code] ?? 0));
}
