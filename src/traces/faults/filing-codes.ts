/** What can come of a call to the information system other than its answer, as a closed list with what to do. */
export const FILING_CODES = {
  not_an_operator:
    'Use a web service user that belongs to exactly one EUDR operator, or set the body identity of the operator you act for.',
  activity_not_allowed: 'Choose an activity that your operator may do: outside the Union IMPORT alone.',
  eori_missing: 'Add the EORI to the operator profile in the information system, or to the represented operator.',
  operator_incomplete: 'Complete the represented operator: name, address with city and postal code, identifiers.',
  heading_invalid: 'Give a heading of the Harmonized System that Annex I lists today.',
  species_incomplete: 'Give scientific and common name of every species.',
  quantity_incomplete: 'Give the net weight in kg, or the quantity that the message names.',
  unit_wrong:
    'Give the supplementary unit with the qualifier of the heading, or leave it out where the heading has none.',
  percentage_wrong: 'Give a percentage from 0 to 25 for a domestic net weight; none at import and export.',
  place_missing: 'Give the place of every producer.',
  place_invalid: 'Export the collection again: the export writes GeoJSON by the rules; the message names the producer.',
  geodata_too_large: 'Split the plots into several statements and group them.',
  producer_country_invalid: 'Give the country of production as ISO 3166-1 alpha-2.',
  reference_not_found: 'Check the reference numbers of the grouped declarations: each must be AVAILABLE or ARCHIVED.',
  too_many_references: 'Group at most 2,000 declarations.',
  statement_not_found: 'Check the number or the uuid, and whether the credentials are those of its operator.',
  amend_not_possible:
    'Read the status first: only an AVAILABLE statement that is not grouped, checked or used can be amended, within 72 hours.',
  activity_change: 'File a new statement: the activity of one cannot be amended.',
  number_invalid: 'Check the reference number and the verification number; the message names which of them.',
  schema_refused:
    'Report this: a message that passed our checks broke the schema of the service, which may have changed.',
  permission_denied:
    'Activate the web service access of the operator in the information system, and check the role of the user.',
  unauthenticated:
    'Check user name, authentication key, client id and body identity, and the clock of this machine (5 minutes at most).',
  version_discontinued: 'Update Firstmile: the service has closed this version of its interface.',
  busy: 'Wait; the call is repeated by itself where that is safe.',
  failed: 'Wait and look at the status; the service met an error of its own.',
  answer_unreadable:
    'Look at the status; the answer was no message of the interface. A proxy in between may have answered.',
  no_answer: 'Look at the status; the connection ended or the time was over before an answer came.',
  not_connected: 'Check network, proxy and firewall: the service could not be reached, and nothing was sent.',
  credentials_missing:
    'Set credentials for this environment: `firstmile traces credentials` or `PUT /traces/credentials/{environment}`.',
  refused: 'Read the message of the service; its code is not one that this release knows.',
} as const satisfies Record<string, string>;

export type FilingCode = keyof typeof FILING_CODES;

/** Business rules of the service, without the prefix EUDR_, by our code. Underscores and hyphens are the same. */
const SERVICE_CODES: Readonly<Record<string, FilingCode>> = {
  WEBSERVICE_USER_NOT_EUDR_OPERATOR: 'not_an_operator',
  WEBSERVICE_USER_FROM_MANY_OPERATOR: 'not_an_operator',
  WEBSERVICE_USER_ACTIVITY_NOT_ALLOWED: 'activity_not_allowed',
  OPERATOR_EORI_FOR_ACTIVITY_MISSING: 'eori_missing',
  BEHALF_OPERATOR_NOT_PROVIDED: 'operator_incomplete',
  BEHALF_OPERATOR_CITY_POSTALCODE_EMPTY_OR_INVALID: 'operator_incomplete',
  ACTIVITY_TYPE_NOT_COMPATIBLE: 'activity_not_allowed',
  ACTIVITY_TYPE_NOT_ALLOWED_FOR_NON_EU_OPERATOR: 'activity_not_allowed',
  COMMODITIES_HS_CODE_INVALID: 'heading_invalid',
  COMMODITIES_SPECIES_INFORMATION_COMMON_NAME_EMPTY: 'species_incomplete',
  COMMODITIES_SPECIES_INFORMATION_SCIENTIFIC_NAME_EMPTY: 'species_incomplete',
  COMMODITIES_SPECIES_INFORMATION_EMPTY: 'species_incomplete',
  COMMODITIES_DESCRIPTOR_NET_MASS_EMPTY: 'quantity_incomplete',
  COMMODITIES_DESCRIPTOR_QUANTITY_MISSING: 'quantity_incomplete',
  COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_MISSING: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_NUMBER_OF_UNITS_MISSING: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_NOT_ALLOWED: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_QUALIFIER_MISSING: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_QUALIFIER_INVALID: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_QUALIFIER_NOT_COMPATIBLE: 'unit_wrong',
  COMMODITIES_DESCRIPTOR_PERCENTAGE_ESTIMATION_MISSING: 'percentage_wrong',
  COMMODITIES_DESCRIPTOR_PERCENTAGE_ESTIMATION_NOT_ALLOWED: 'percentage_wrong',
  COMMODITIES_DESCRIPTOR_PERCENTAGE_ESTIMATION_INVALID: 'percentage_wrong',
  COMMODITIES_PRODUCER_GEO_EMPTY: 'place_missing',
  COMMODITIES_PRODUCERS_EMPTY: 'place_missing',
  COMMODITIES_PRODUCER_GEO_INVALID: 'place_invalid',
  COMMODITIES_PRODUCER_GEO_INVALID_GEOMETRY: 'place_invalid',
  COMMODITIES_PRODUCER_GEO_LATITUDE_INVALID: 'place_invalid',
  COMMODITIES_PRODUCER_GEO_LONGITUDE_INVALID: 'place_invalid',
  COMMODITIES_PRODUCER_GEO_POLYGON_INVALID: 'place_invalid',
  COMMODITIES_PRODUCER_GEO_AREA_INVALID: 'place_invalid',
  MAXIMUM_GEO_SIZE_REACHED: 'geodata_too_large',
  // Spelt so by the service.
  COMMODITITY_PRODUCER_COUNTRY_CODE_INVALID: 'producer_country_invalid',
  REFERENCED_STATEMENT_NOT_FOUND: 'reference_not_found',
  MAXIMUM_REFERENCED_DDS_REACHED: 'too_many_references',
  API_NO_DDS: 'statement_not_found',
  API_AMEND_NOT_ALLOWED_FOR_STATUS: 'amend_not_possible',
  API_AMEND_OR_WITHDRAW_NOT_ALLOWED_FOR_STATUS: 'amend_not_possible',
  API_AMEND_OR_WITHDRAW_DDS_NOT_POSSIBLE: 'amend_not_possible',
  API_AMEND_ACTIVITY_TYPE_CHANGE_NOT_ALLOWED: 'activity_change',
  NUMBER_EMPTY: 'number_invalid',
  NUMBER_INVALID: 'number_invalid',
  NUMBER_TOO_LONG: 'number_invalid',
  WEBSERVICE_STATEMENT_NOT_FOUND: 'statement_not_found',
  REFERENCE_NUMBER_INVALID: 'number_invalid',
  VERIFICATION_NUMBER_INVALID: 'number_invalid',
  VERIFICATION_NUMBER_TOO_LONG: 'number_invalid',
};

/** A code of the service in its one form: capitals, underscores, without the prefix. */
function foldServiceCode(code: string): string {
  return code
    .trim()
    .toUpperCase()
    .replaceAll('-', '_')
    .replace(/^EUDR_/, '');
}

/** Our code for one of the service; `refused` for one that this release does not know. */
export function filingCodeOf(serviceCode: string): FilingCode {
  const folded = foldServiceCode(serviceCode);
  return Object.hasOwn(SERVICE_CODES, folded) ? SERVICE_CODES[folded]! : 'refused';
}
