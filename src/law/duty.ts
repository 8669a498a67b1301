import type { Confidence } from './acts.ts';
import { SIMPLIFIED_CONDITIONS, type TierAnswer } from './country-tiers.ts';
import { DOWNSTREAM_BY_SIZE, ROLES, type Role } from './roles.ts';
import { isSmall, type Size } from './undertakings.ts';

/**
 * `full_statement`: due diligence in full, then a statement. `simplified_due_diligence`: a statement after due diligence
 * without assessment and mitigation of risk (Art 13), under its conditions. `simplified_declaration`: one declaration, once
 * (Art 4a). `none`: nothing is filed. `unknown`: what was said does not decide.
 */
export const DUTIES = [
  'full_statement',
  'simplified_due_diligence',
  'simplified_declaration',
  'none',
  'unknown',
] as const;
export type DutyKind = (typeof DUTIES)[number];

/** What a role owes for a product in scope. */
export interface Duty {
  readonly duty: DutyKind;
  readonly sentence: string;
  /** What has to hold for it; where it does not, the duty is the full one. */
  readonly conditions: readonly string[];
  readonly keeps: readonly string[];
  readonly passes_on: readonly string[];
  readonly also: readonly string[];
  readonly articles: readonly string[];
  readonly confidence: Confidence;
  /** What would decide, where the duty is unknown. */
  readonly questions: readonly string[];
}

/** For what is not in scope. */
export const NOTHING_OWED: Duty = {
  duty: 'none',
  sentence: 'Nothing is owed under this regulation for a product that is not in scope.',
  conditions: [],
  keeps: [],
  passes_on: [],
  also: [],
  articles: [],
  confidence: 'high',
  questions: [],
};

/** What `role` owes for products of a country of `tier`; null: not said. */
export function dutyOf(role: Role, size: Size | null, tier: TierAnswer | null): Duty {
  if (ROLES[role].files === 'nothing') return downstreamDuty(role, size);
  return role === 'primary_operator' ? primaryDuty(size, tier) : operatorDuty(role, size, tier);
}

function downstreamDuty(role: Role, size: Size | null): Duty {
  const { duty, keeps, passesOn, also, articles } = ROLES[role];
  const isNonSme = size === 'large';
  const bySize = size === null ? [] : DOWNSTREAM_BY_SIZE[isNonSme ? 'non_sme' : 'sme'];
  return {
    duty: 'none',
    sentence: duty,
    conditions: ['a due diligence statement or a simplified declaration already covers the products'],
    keeps,
    passes_on: passesOn,
    also: [...bySize, ...also],
    articles,
    confidence: 'medium',
    questions: size === null ? ['size: one above medium also registers and verifies substantiated concerns'] : [],
  };
}

function operatorDuty(role: Role, size: Size | null, tier: TierAnswer | null): Duty {
  const row = ROLES[role];
  const common = {
    keeps: row.keeps,
    passes_on: row.passesOn,
    also: [...row.also, ...(mayBePrimary(role, size, tier) ? [PRIMARY_HINT] : [])],
    confidence: 'medium',
  } as const;
  if (tier === null || tier.treatedAs === null)
    return {
      ...common,
      duty: 'unknown',
      sentence: `${row.duty} Whether due diligence may be simplified (Art 13) is decided by the country of production.`,
      conditions: [],
      articles: [...row.articles, 'Art 13'],
      questions: [
        tier === null ? 'country: where were the products produced?' : 'date: no list of countries was in force.',
      ],
    };
  const isLow = tier.treatedAs === 'low';
  return {
    ...common,
    duty: isLow ? 'simplified_due_diligence' : 'full_statement',
    sentence: isLow
      ? `${row.duty} Due diligence may be simplified: information, geolocation included, without assessment and mitigation of risk. The statement is filed all the same.`
      : row.duty,
    conditions: isLow ? SIMPLIFIED_CONDITIONS : [],
    articles: isLow ? [...row.articles.filter((article) => article !== 'Arts 8-12'), 'Art 9', 'Art 13'] : row.articles,
    questions: [],
  };
}

const PRIMARY_HINT =
  'an operator that itself grew, harvested, obtained or raised the products in the low-risk country it is established in files a simplified declaration in place of it: role=primary_operator';

function mayBePrimary(role: Role, size: Size | null, tier: TierAnswer | null): boolean {
  return role === 'operator' && tier?.treatedAs === 'low' && (size === null || isSmall(size));
}

/** One that does not meet the test of the role is an operator. */
function primaryDuty(size: Size | null, tier: TierAnswer | null): Duty {
  const { duty, keeps, passesOn, also, articles } = ROLES.primary_operator;
  const reasons = [
    ...(size !== null && !isSmall(size) ? [`a ${size} undertaking is none of natural person, micro and small`] : []),
    ...(tier !== null && tier.treatedAs !== null && tier.treatedAs !== 'low' ? [notLow(tier)] : []),
  ];
  if (reasons.length > 0) {
    const as = operatorDuty('operator', size, tier);
    return {
      ...as,
      sentence: `Not a micro or small primary operator, because ${reasons.join(', and ')}: an operator. ${as.sentence}`,
    };
  }
  const questions = [
    ...(size === null ? ['size: only a natural person, micro or small undertaking can be one'] : []),
    ...(tier === null ? ['country: only one established in a low-risk country, for its own products of there'] : []),
    ...(tier !== null && tier.treatedAs === null ? ['date: no list of countries was in force'] : []),
  ];
  return {
    duty: questions.length > 0 ? 'unknown' : 'simplified_declaration',
    sentence: duty,
    conditions: [
      'it is established in the country of production, and grew, harvested, obtained or raised the products there itself',
    ],
    keeps,
    passes_on: passesOn,
    also,
    articles,
    confidence: 'medium',
    questions,
  };
}

function notLow({ tier }: TierAnswer): string {
  return tier === 'not_determined' ? 'the tier of the country is not determined' : `the country is ${tier}, not low`;
}
