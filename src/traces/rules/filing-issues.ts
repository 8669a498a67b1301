/** How an issue stands in the way: `missing` and `invalid` stop a submission, `confirm` and `warning` are for people to look at. */
type IssueLevel = 'missing' | 'invalid' | 'confirm' | 'warning';

interface IssueDocs {
  readonly level: IssueLevel;
  /** How it is given or put right. */
  readonly advice: string;
}

/** Everything that is looked at before anything is sent, as a closed list. */
export const FILING_ISSUES = {
  role_missing: { level: 'missing', advice: 'Give `operatorRole`: in which role you file.' },
  role_invalid: { level: 'invalid', advice: 'Give one of the roles that `detail` lists.' },
  activity_missing: { level: 'missing', advice: 'Give `activityType`: IMPORT, EXPORT or DOMESTIC.' },
  activity_invalid: {
    level: 'invalid',
    advice: 'Give IMPORT, EXPORT or DOMESTIC; other words are not taken since V3.',
  },
  operator_missing: {
    level: 'missing',
    advice:
      'Give `representedOperator` with name, address and at least one identifier: a representative files for somebody.',
  },
  operator_incomplete: { level: 'missing', advice: 'Complete `representedOperator`: `detail` names the field.' },
  operator_invalid: { level: 'invalid', advice: 'Correct `representedOperator` as `detail` says.' },
  operator_not_wanted: {
    level: 'invalid',
    advice: 'Leave `representedOperator` out, or file as a representative: with this role you file for yourself.',
  },
  eori_missing: {
    level: 'missing',
    advice: 'Add an identifier of type `eori` to `representedOperator`: import and export need one.',
  },
  eori_in_profile: {
    level: 'confirm',
    advice:
      'Look whether your operator profile in the information system has an EORI; import and export are refused without. It cannot be seen from here.',
  },
  country_of_activity_missing: {
    level: 'confirm',
    advice:
      'The schema takes a statement without it. Give `countryOfActivity` if you have one: the member state (or XI) where you place on the market or export from.',
  },
  border_country_missing: {
    level: 'confirm',
    advice:
      'The schema takes a statement without it. Give `borderCrossCountry` if it is known: the member state (or XI) where the goods enter or leave the Union.',
  },
  eu_country_invalid: {
    level: 'invalid',
    advice: 'Give a member state as two letters; Greece is GR, Northern Ireland XI.',
  },
  confidentiality_missing: {
    level: 'missing',
    advice:
      'Give `geoLocationConfidential`: true hides the places from those who get the reference number, false shows them.',
  },
  commodities_missing: {
    level: 'missing',
    advice: 'A statement needs at least one commodity: take a collection with exported plots.',
  },
  too_many_commodities: { level: 'invalid', advice: 'Split the goods into several statements.' },
  many_commodities: {
    level: 'warning',
    advice: 'The text of the interface says 100, its schema 200; split the statement if it is refused.',
  },
  heading_missing: {
    level: 'missing',
    advice:
      'Give `hsHeading`, 2 to 6 digits of the goods; `firstmile traces check` lists the headings that Annex I has for the commodity.',
  },
  heading_invalid: { level: 'invalid', advice: 'Give 2 to 6 digits, without spaces.' },
  heading_out_of_scope: {
    level: 'confirm',
    advice: 'Look the goods up with `firstmile eudr scope`: for goods that Annex I does not list nothing is filed.',
  },
  description_missing: {
    level: 'missing',
    advice: 'Give `descriptionOfGoods`, up to 150 characters, with the trade name of the product.',
  },
  quantity_missing: {
    level: 'missing',
    advice: 'Give at least one quantity: `netWeight` in kg, or a supplementary unit.',
  },
  net_weight_missing: { level: 'missing', advice: 'Give `netWeight` in kg: import and export need it.' },
  quantity_invalid: {
    level: 'invalid',
    advice: 'Give a number above 0 with at most 10 digits before and 6 after the point, without an exponent.',
  },
  percentage_not_allowed: {
    level: 'invalid',
    advice: 'Leave `percentageEstimationOrDeviation` out: import and export have none.',
  },
  percentage_invalid: { level: 'invalid', advice: 'Give a percentage from 0 to 50 with at most 3 decimals.' },
  percentage_high: {
    level: 'warning',
    advice: 'The conformance documents allow up to 25 per cent; above that the service may refuse.',
  },
  percentage_missing: {
    level: 'missing',
    advice:
      'Give `percentageEstimationOrDeviation` with the net weight, or a supplementary unit: domestic quantities need one of the two.',
  },
  unit_missing: {
    level: 'missing',
    advice: 'Give `supplementaryUnit` and `supplementaryUnitQualifier`: this heading needs them at import and export.',
  },
  unit_not_allowed: {
    level: 'invalid',
    advice: 'Leave the supplementary unit out: this heading has none at import and export.',
  },
  unit_incomplete: { level: 'missing', advice: 'Give `supplementaryUnit` and `supplementaryUnitQualifier` together.' },
  unit_invalid: { level: 'invalid', advice: 'Give the qualifier that `detail` names.' },
  species_missing: {
    level: 'missing',
    advice: 'Give `speciesInfo` with scientific and common name of every species: wood needs it.',
  },
  species_incomplete: {
    level: 'missing',
    advice: 'Give both names of the species, scientific and common: wood needs both.',
  },
  species_invalid: { level: 'invalid', advice: 'Correct the species as `detail` says.' },
  producers_missing: { level: 'missing', advice: 'Give producers with their places, or `groupedDeclarations`.' },
  too_many_producers: { level: 'invalid', advice: 'Split the plots into several statements, which can be grouped.' },
  producer_country_missing: {
    level: 'missing',
    advice: 'Give the country of production: add a country column to the file and process the collection again.',
  },
  producer_country_invalid: { level: 'invalid', advice: 'Give the country of production as two letters.' },
  place_missing: {
    level: 'missing',
    advice: 'Give the place of the producer: a producer that is named must have one.',
  },
  place_invalid: {
    level: 'invalid',
    advice: 'Give Base64 of a GeoJSON FeatureCollection in UTF-8, as the export writes it.',
  },
  too_many_places: { level: 'invalid', advice: 'Give at most 100 addresses or identifiers of one producer.' },
  geodata_too_large: { level: 'invalid', advice: 'Split the plots into several statements, which can be grouped.' },
  grouped_invalid: {
    level: 'invalid',
    advice: 'Give reference numbers of at most 14 characters, each once, at most 2,000.',
  },
  unknown_commodity: { level: 'invalid', advice: 'Give `position` of a commodity that the draft has, from 1.' },
  activity_change: {
    level: 'invalid',
    advice: 'Retract the statement and file a new one: its activity cannot be amended.',
  },
  credentials_missing: {
    level: 'missing',
    advice:
      'Set user name, authentication key and client id: `firstmile traces credentials` or `PUT /traces/credentials/{environment}`.',
  },
  synthetic_in_production: {
    level: 'invalid',
    advice: 'Process the collection with real data; what made-up datasets say is for trials alone.',
  },
  synthetic_data: { level: 'confirm', advice: 'The verdicts come from made-up datasets: for trials alone.' },
  plots_with_deforestation: {
    level: 'confirm',
    advice:
      'Leave them out (`exclude`: high, deforestation_found, convergence_high), or look at each: who files declares no or negligible risk.',
  },
  plots_not_cleared: {
    level: 'confirm',
    advice:
      'Look at each, or leave them out (`exclude`: more_information_needed, unknown, convergence_more_information_needed): nobody has found that they are free of deforestation.',
  },
  plots_left_out: {
    level: 'warning',
    advice: 'Read `left-out.csv` of the due diligence export: these plots are not in the statement.',
  },
  text_too_long: { level: 'invalid', advice: 'Shorten the text to the length that `detail` names.' },
  text_invalid: { level: 'invalid', advice: 'Take the control characters out of the text; XML cannot hold them.' },
} as const satisfies Record<string, IssueDocs>;

export type IssueCode = keyof typeof FILING_ISSUES;

/** One thing that was found in a filing before it is sent. */
export interface FilingIssue {
  readonly code: IssueCode;
  readonly level: IssueLevel;
  /** Where, as `statement.commodities[0].hsHeading`. */
  readonly field: string;
  /** What was wanted and what came. */
  readonly detail: string;
  readonly advice: string;
}

/** Reports what was found at a field. */
export type Report = (code: IssueCode, field: string, detail: string) => void;

export function issueOf(code: IssueCode, field: string, detail: string): FilingIssue {
  const { level, advice } = FILING_ISSUES[code];
  return { code, level, field, detail, advice };
}

/** Whether an issue stops the submission. */
export function isBlocking({ level }: Pick<FilingIssue, 'level'>): boolean {
  return level === 'missing' || level === 'invalid';
}
