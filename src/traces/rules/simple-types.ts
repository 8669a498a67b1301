/*
 * The simple types of the V3 interface (release 8.2.1) and the headings that want a supplementary unit, as tables.
 */

/** Member states, and Northern Ireland as XI; Greece is GR. */
export const EU_COUNTRIES = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(
  ' ',
);

export const ACTIVITY_TYPES = ['DOMESTIC', 'IMPORT', 'EXPORT'] as const;

/** Import and export cross the border of the Union. */
export function isAtBorder(activity: string | null | undefined): boolean {
  return activity === 'IMPORT' || activity === 'EXPORT';
}

export const OPERATOR_ROLES = {
  dds: ['OPERATOR', 'REPRESENTATIVE_OPERATOR'],
  sd: ['MICRO_OPERATOR', 'REPRESENTATIVE_MSPO', 'MEMBER_STATE'],
} as const;

/** The role that files for somebody else, by kind. */
export const REPRESENTATIVE_ROLES = { dds: 'REPRESENTATIVE_OPERATOR', sd: 'REPRESENTATIVE_MSPO' } as const;

export const IDENTIFIER_TYPES = ['eori', 'vat', 'gln', 'tin', 'cbr', 'cin', 'duns', 'comp_num', 'comp_reg', 'oni'];

export const UNIT_QUALIFIERS = ['KSD', 'MTK', 'MTQ', 'MTR', 'NAR', 'NPR'];

/**
 * Headings whose goods are counted in a supplementary unit when they cross the border (conformance documents 1.4, annex I);
 * all others must not have one. 0102 is matched by six digits, the rest by four.
 */
const UNIT_OF_HEADING: Readonly<Record<string, string>> = {
  '010221': 'NAR',
  '010229': 'NAR',
  '4011': 'NAR',
  '4013': 'NAR',
  '4403': 'MTQ',
  '4406': 'MTQ',
  '4408': 'MTQ',
  '4410': 'MTQ',
  '4411': 'MTQ',
  '4412': 'MTQ',
  '4413': 'MTQ',
  '4701': 'KSD',
  '4702': 'KSD',
  '4704': 'KSD',
  '4705': 'KSD',
};

/** The qualifier of the unit that goods of a heading are counted in, or null. */
export function unitOfHeading(heading: string): string | null {
  return UNIT_OF_HEADING[heading.slice(0, 6)] ?? UNIT_OF_HEADING[heading.slice(0, 4)] ?? null;
}

/** Most characters of a text. */
export const TEXT_LENGTHS = {
  internalReference: { dds: 50, sd: 14 },
  comment: 2_000,
  descriptionOfGoods: 150,
  name: 200,
  producerName: 500,
  identifierValue: 80,
  street: 300,
  postalCode: 80,
  city: 200,
  fullAddress: 250,
  email: 200,
  phone: 50,
  cadastralIdentifier: 80,
  referenceNumber: 14,
} as const;

export const PATTERNS = {
  /** 16 digits in all, 6 after the point. */
  amount: /^\d{1,10}(\.\d{1,6})?$/,
  percentage: /^\d{1,3}(\.\d{1,3})?$/,
  heading: /^\d{2,6}$/,
  country: /^[A-Za-z]{2}$/,
  uuid: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  email: /^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$/,
  digits: /^\d+$/,
  /** Two letters and up to 15 capitals or digits. */
  eori: /^[A-Z]{2}[A-Z0-9]{1,15}$/,
} as const;

/**
 * The range of the percentage of a domestic quantity: 0 to 25 in the conformance documents 1.4, up to 50 on an older page.
 * Between the two is a warning, because we do not know which holds.
 */
export const PERCENTAGE = { sure: 25, most: 50 } as const;
