import { ACTS, HOW_READ, TABLES_AS_OF } from '../../law/acts.ts';
import { annexOn, annexPeriod, findCode, type AnnexRow } from '../../law/annex.ts';
import { COMMODITY_NAMES, type AnnexCommodity } from '../../law/annex-rows.ts';
import { countryTier, SIMPLIFIED_CONDITIONS } from '../../law/country-tiers.ts';
import { ROLES } from '../../law/roles.ts';
import { bindingDate } from '../../law/undertakings.ts';
import type { FilingChoices } from './filing-choices.ts';

/** Headings that a plot's own produce usually falls under, by the beginning of their digits. */
const OWN_PRODUCE: Readonly<Record<AnnexCommodity, readonly string[]>> = {
  cattle: ['0102'],
  cocoa: ['1801'],
  coffee: ['0901'],
  palm: ['120710', '1511'],
  rubber: ['4001'],
  soy: ['1201'],
  timber: ['4401', '4403'],
};

/** Digits the information system takes of a code. */
const HEADING_DIGITS = 6;

/** The heading of a commodity as a statement has it: what was given for it, at most 6 digits; null where nothing was. */
export function headingOf(commodity: string | null, { codes }: FilingChoices): string | null {
  return codes.find((code) => code.commodity === commodity)?.digits.slice(0, HEADING_DIGITS) ?? null;
}

/** The headings that Annex I lists for a commodity on the day, those of a plot's own produce first; with the question that "ex" leaves. */
export function headingProposals(commodity: string | null, { day }: FilingChoices) {
  const isKnown = commodity !== null && Object.hasOwn(COMMODITY_NAMES, commodity);
  const rows = isKnown ? annexOn(day).filter((row) => row.commodity === commodity) : [];
  const isOwn = ({ digits }: AnnexRow): boolean =>
    OWN_PRODUCE[commodity as AnnexCommodity].some((own) => digits.startsWith(own));
  const period = annexPeriod(day);
  return {
    commodity: isKnown ? COMMODITY_NAMES[commodity as AnnexCommodity] : commodity,
    first: headings(rows.filter(isOwn)),
    others: headings(rows.filter((row) => !isOwn(row))),
    codes: rows.map(({ code, ex, goods }) => ({ code, ex, goods })),
    source:
      rows.length === 0 || period === null
        ? null
        : `${ACTS[period.act]}, Annex I in force from ${period.from}${period.to === null ? '' : ` to ${period.to}`}`,
  };
}

function headings(rows: readonly AnnexRow[]): readonly string[] {
  return [...new Set(rows.map(({ code }) => code.replaceAll(' ', '').slice(0, HEADING_DIGITS)))];
}

type DueDiligenceWord = 'simplified' | 'full' | 'unknown';

/** How many plots each country of production has; the key is null where the country is not known. */
export type PlotsByCountry = ReadonlyMap<string | null, number>;

/**
 * What the law of the day says of plots by country and of what was given: the tiers, whether due diligence may be simplified,
 * and from when obligations bind. Next to what was measured, never a part of it.
 */
export function lawOfPlots(choices: FilingChoices, plots: PlotsByCountry, commodities: readonly (string | null)[]) {
  const { kind, day, isDayGiven, codes, role, size, established } = choices;
  const period = annexPeriod(day);
  const countries = [...plots]
    .map(([country, count]) => tierEntry(country, count, day))
    .toSorted((a, b) => ((a.country ?? '~') < (b.country ?? '~') ? -1 : 1));
  const word = dueDiligenceOf(countries);
  return {
    day: isDayGiven ? day : null,
    annex: period === null ? null : { from: period.from, to: period.to, act: ACTS[period.act] },
    country_list: ACTS.BENCH,
    tables_as_of: TABLES_AS_OF,
    countries,
    due_diligence: word,
    due_diligence_reason: kind === 'statement' ? REASONS[word] : OF_DECLARATION,
    conditions: kind === 'statement' && word === 'simplified' ? SIMPLIFIED_CONDITIONS : [],
    role: role === null ? null : { role, name: ROLES[role].name, articles: ROLES[role].articles },
    size,
    codes: codes.map(({ commodity, digits }) => {
      const { inScope, decides, row } = findCode(digits, day);
      const isUsed = commodities.includes(commodity);
      return {
        commodity,
        cn: digits,
        listed_as: row?.code ?? null,
        in_scope: inScope,
        question: decides?.question ?? null,
        used: isUsed,
      };
    }),
    obligations: commodities.flatMap((commodity) => {
      if (commodity === null || !Object.hasOwn(COMMODITY_NAMES, commodity)) return [];
      const isTimberProduct = commodity === 'timber' ? null : false;
      const { from, options, article } = bindingDate({ size, established, isTimberProduct });
      return [{ commodity, from, options, article }];
    }),
    how_read: HOW_READ,
  };
}

function tierEntry(country: string | null, plots: number, day: string) {
  if (country === null)
    return {
      country,
      plots,
      tier: 'unknown',
      treated_as: null,
      notes: ['The country of production is not known.'],
    } as const;
  const { tier, treatedAs, notes } = countryTier(country, day);
  return { country, plots, tier, treated_as: treatedAs, notes };
}

const REASONS: Readonly<Record<DueDiligenceWord, string>> = {
  simplified:
    'All these plots lie in low-risk countries: assessment and mitigation of risk (Arts 10, 11) are not required under the conditions of Art 13. Information, geolocation included, and the statement are.',
  full: 'Plots lie in countries that are not low-risk: due diligence is full (Arts 8-12).',
  unknown: 'Of some plots the tier of the country is not known: treat due diligence as full (Arts 8-12).',
};

const OF_DECLARATION =
  'A simplified declaration takes the place of statements (Art 4a); every plot in it lies in a low-risk country.';

function dueDiligenceOf(countries: readonly ReturnType<typeof tierEntry>[]): DueDiligenceWord {
  const tiers = countries.map((country) => country.treated_as);
  if (tiers.some((tier) => tier === 'standard' || tier === 'high')) return 'full';
  return tiers.length === 0 || tiers.includes(null) ? 'unknown' : 'simplified';
}
