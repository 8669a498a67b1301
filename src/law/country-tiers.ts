import type { Confidence } from './acts.ts';

export const TIERS = ['low', 'standard', 'high'] as const;
export type Tier = (typeof TIERS)[number];

/** First day of the list of Implementing Regulation (EU) 2025/1093. */
export const TIERS_SINCE = '2025-05-26';

/**
 * ISO 3166-1 alpha-2 codes by tier. The annex of the act lists the low and the high ones; every other country is standard
 * (Art 1(2)). The standard ones are those members of the United Nations, and Palestine, that the annex does not list.
 */
const BY_TIER: Readonly<Record<Tier, readonly string[]>> = {
  high: words('BY KP MM RU'),
  low: words(
    `AD AE AF AG AL AM AT AU AZ BA BB BD BE BG BH BI BN BS BT CA CF CG CH CL CN CR CU CV CY CZ DE DJ DK DM DO DZ EE EG
    ES FI FJ FM FR GA GB GD GE GH GR GY HR HU IE IN IQ IR IS IT JM JO JP KE KG KI KM KN KR KW KZ LA LB LC LI LK LS LT LU
    LV LY MA MC MD ME MG MH MK ML MN MT MU MV NL NO NP NR NZ OM PG PH PL PS PT PW QA RO RS RW SA SB SC SE SG SI SK SM SR
    SS ST SY SZ TG TH TJ TL TM TN TO TR TT TV UA US UY UZ VC VN VU WS YE ZA`,
  ),
  standard: words(
    `AO AR BF BJ BO BR BW BZ CD CI CM CO EC ER ET GM GN GQ GT GW HN HT ID IL KH LR MR MW MX MY MZ NA NE NG NI PA PE PK PY
    SD SL SN SO SV TD TZ UG VE ZM ZW`,
  ),
};

/** Every country with a tier, by code. */
export const TIER_OF: ReadonlyMap<string, Tier> = new Map(
  TIERS.flatMap((tier) => BY_TIER[tier].map((code) => [code, tier] as const)).toSorted(([a], [b]) => (a < b ? -1 : 1)),
);

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

/** What is said of single countries, whose names or tiers are often confused. */
const REMARKS: Readonly<Record<string, string>> = {
  CG: 'Congo (CG) is low; the Democratic Republic of the Congo (CD) is standard.',
  CD: 'The Democratic Republic of the Congo (CD) is standard; Congo (CG) is low.',
  UG: 'Some lists in circulation call Uganda low; the annex does not list it, so it is standard.',
};

/** What follows from a tier. */
interface TierConsequences {
  /** Which due diligence an operator owes when everything comes from countries of this tier. */
  readonly dueDiligence: 'simplified' | 'full';
  readonly sentence: string;
  /** Least share of operators that authorities check every year. */
  readonly checks: string;
  /** Whether a micro or small primary operator of the country may file a simplified declaration. */
  readonly simplifiedDeclaration: boolean;
  readonly articles: readonly string[];
}

export const TIER_CONSEQUENCES: Readonly<Record<Tier, TierConsequences>> = {
  low: {
    dueDiligence: 'simplified',
    sentence:
      'Information is collected, geolocation included (Art 9); risk assessment and mitigation (Arts 10, 11) are not required if all products come from low-risk countries and the operator has assessed the complexity of the supply chain and the risk of circumvention or of mixing with products of unknown or higher risk.',
    checks: '1 % of operators a year',
    simplifiedDeclaration: true,
    articles: ['Art 13', 'Art 16(8)-(10)', 'Art 29'],
  },
  standard: {
    dueDiligence: 'full',
    sentence: 'Full due diligence: information, risk assessment and risk mitigation.',
    checks: '3 % of operators a year, and of downstream operators and traders that are not SMEs',
    simplifiedDeclaration: false,
    articles: ['Arts 8-12', 'Art 16(8)-(10)', 'Art 29'],
  },
  high: {
    dueDiligence: 'full',
    sentence: 'Full due diligence: information, risk assessment and risk mitigation.',
    checks: '9 % of operators and 9 % of the quantity a year',
    simplifiedDeclaration: false,
    articles: ['Arts 8-12', 'Art 16(8)-(10)', 'Art 29'],
  },
};

/** What has to hold for simplified due diligence (Art 13). */
export const SIMPLIFIED_CONDITIONS = [
  'all products come from low-risk countries',
  'the operator has assessed the complexity of the supply chain and the risk of circumvention or of mixing with products of unknown or higher risk',
  'no new information points to non-compliance (Art 13(2) and (3)); otherwise due diligence is full',
] as const;

/** The tier of a country on a day. */
export interface TierAnswer {
  /** `not_determined`: the list names neither the country nor does it follow from it. `unknown`: no list was in force. */
  readonly tier: Tier | 'not_determined' | 'unknown';
  /** The tier whose consequences are to be assumed; null where no list was in force. Never low where the tier is not. */
  readonly treatedAs: Tier | null;
  readonly confidence: Confidence;
  readonly notes: readonly string[];
}

/** The tier of a country by its alpha-2 code on a day, `YYYY-MM-DD`. */
export function countryTier(code: string, date: string): TierAnswer {
  if (date < TIERS_SINCE)
    return {
      tier: 'unknown',
      treatedAs: null,
      confidence: 'high',
      notes: [`No list of countries was in force before ${TIERS_SINCE}.`],
    };
  const tier = TIER_OF.get(code);
  const remark = REMARKS[code];
  if (tier !== undefined)
    return { tier, treatedAs: tier, confidence: 'high', notes: remark === undefined ? [] : [remark] };
  return {
    tier: 'not_determined',
    treatedAs: 'standard',
    confidence: 'low',
    notes: [
      'The list names states; whether a territory or a disputed area shares the tier of a state is not settled. Treat it as standard, never as low.',
    ],
  };
}
