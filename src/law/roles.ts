/** First day of the roles and duties below (Regulation (EU) 2025/2650). */
export const ROLES_SINCE = '2025-12-26';

/** A role in a supply chain under Regulation (EU) 2023/1115 as amended, with what it owes. Articles are of that regulation. */
interface RoleRow {
  readonly name: string;
  /** Who has it. */
  readonly who: string;
  readonly files: 'statement' | 'simplified_declaration' | 'nothing';
  readonly duty: string;
  /** What is kept, and what is passed on with the goods. */
  readonly keeps: readonly string[];
  readonly passesOn: readonly string[];
  /** What else it owes or may do. */
  readonly also: readonly string[];
  readonly articles: readonly string[];
}

const DOWNSTREAM_RECORDS =
  'name, postal address, email and web address of suppliers and customers, for at least 5 years (Art 5)';
const EVERYBODY = 'new relevant information on possible non-compliance is given to the authorities';
const FIRST_KEEPS =
  'the reference numbers of statements or the identifiers of declarations that the supplier passed on; only the first after the operator keeps them';

const DOWNSTREAM = {
  files: 'nothing',
  duty: 'Files neither a statement nor a declaration for products that one already covers; keeps records.',
  keeps: [DOWNSTREAM_RECORDS],
  passesOn: [],
  also: [EVERYBODY],
  articles: ['Art 5'],
} as const satisfies Partial<RoleRow>;

const FIRST = { ...DOWNSTREAM, keeps: [DOWNSTREAM_RECORDS, FIRST_KEEPS] } as const;

export const ROLES = {
  operator: {
    name: 'Operator',
    who: 'places on the market or exports, and is not downstream; where whoever places is outside the EU, the first person in the EU who makes the product available counts as operator (Art 7)',
    files: 'statement',
    duty: 'Files a due diligence statement before placing on the market or export, on the grounds of a due diligence with no or negligible risk.',
    keeps: ['the information and the due diligence, for 5 years'],
    passesOn: ['reference numbers of statements, or identifiers of declarations'],
    also: [EVERYBODY],
    articles: ['Art 2(15)', 'Art 3', 'Art 4(2)', 'Art 4(7)', 'Arts 8-12', 'Annex II'],
  },
  authorised_representative: {
    name: 'Authorised representative',
    who: 'has a written mandate of an operator',
    files: 'statement',
    duty: 'Files in the name of the operator, who stays responsible; size and country are those of the operator. For a micro or small primary operator that is the simplified declaration.',
    keeps: ['the mandate, which authorities may demand'],
    passesOn: ['reference numbers of statements, or identifiers of declarations'],
    also: [
      'a natural person or micro undertaking may mandate the next one down the chain that is not itself a natural person or micro undertaking',
      EVERYBODY,
    ],
    articles: ['Art 6', 'Art 4(2)', 'Annex II'],
  },
  primary_operator: {
    name: 'Micro or small primary operator',
    who: 'a natural person, micro or small undertaking established in a low-risk country, placing on the market or exporting what it itself grew, harvested, obtained or raised there',
    files: 'simplified_declaration',
    duty: 'Files one simplified declaration, once, with the content of Annex III; none where a system of the Union or of a Member State already holds the data (Art 4a(4)).',
    keeps: [],
    passesOn: ['the identifier of the declaration, with the goods'],
    also: [
      'the declaration is updated after major changes (Art 4a(3))',
      'postal addresses may stand in place of geolocation (Art 4a(5))',
      EVERYBODY,
    ],
    articles: ['Art 2(15a)', 'Art 4a', 'Annex III'],
  },
  downstream_operator: {
    ...DOWNSTREAM,
    name: 'Downstream operator',
    who: 'turns products that a statement or declaration already covers into other products of Annex I; its supplier is no operator',
  },
  first_downstream_operator: {
    ...FIRST,
    name: 'First downstream operator',
    who: 'a downstream operator whose supplier is an operator',
  },
  trader: {
    ...DOWNSTREAM,
    name: 'Trader',
    who: 'makes products available that a statement or declaration already covers; its supplier is no operator',
  },
  first_trader: { ...FIRST, name: 'First trader', who: 'a trader whose supplier is an operator' },
} as const satisfies Readonly<Record<string, RoleRow>>;

export type Role = keyof typeof ROLES;

/** Other spellings of roles, those of the information system among them. */
export const ROLE_ALIASES: Readonly<Record<string, Role>> = {
  representative: 'authorised_representative',
  authorized_representative: 'authorised_representative',
  representative_operator: 'authorised_representative',
  mspo: 'primary_operator',
  micro_operator: 'primary_operator',
  micro_or_small_primary_operator: 'primary_operator',
  micro_small_primary_operator: 'primary_operator',
};

/** What downstream operators and traders owe by size. */
export const DOWNSTREAM_BY_SIZE = {
  sme: ['may use the service that verifies numbers, and may not read statements in it'],
  non_sme: [
    'registers in the information system before it acts',
    'on a substantiated concern verifies that due diligence was done, and does not place the product unless the risk is none or negligible',
    'may read a statement by its two numbers',
  ],
} as const;
