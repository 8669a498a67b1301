import { ACTS, HOW_READ, TABLES_AS_OF } from '../../law/acts.ts';
import { annexOn } from '../../law/annex.ts';
import { answerScope } from '../../law/answer-scope.ts';
import { countryTier, TIER_OF, TIERS, TIERS_SINCE } from '../../law/country-tiers.ts';
import { annexEntry, countryEntry, periodOf } from '../../law/entries.ts';
import { countryName } from '../../readers/built-in/country-code.ts';
import { readLawDay, readScope, type ScopeWords } from './read-scope.ts';

/** What the tables of the law answer; `today` is the day where none is given. @throws Problem for words that nobody knows. */
export const law = {
  scope: (words: ScopeWords, today: string) => answerScope(readScope(words, today)),

  /** Annex I as it is in force on a day. */
  annex(day: string | undefined, today: string) {
    const date = readLawDay(day, today);
    const codes = annexOn(date).map(annexEntry);
    const counts = Object.groupBy(codes, ({ commodity }) => commodity);
    return {
      as_of: { date, annex: TABLES_AS_OF.annex },
      period: periodOf(date),
      count: codes.length,
      counts: Object.fromEntries(Object.entries(counts).map(([commodity, listed]) => [commodity, listed?.length ?? 0])),
      codes,
      how_read: HOW_READ,
    };
  },

  /** Every country with a tier, by code. */
  countries(day: string | undefined, today: string) {
    const date = readLawDay(day, today);
    const countries = [...TIER_OF.keys()].map((code) =>
      countryEntry({ code, name: countryName(code) }, countryTier(code, date)),
    );
    return {
      as_of: { date, country_tiers: TABLES_AS_OF.country_tiers },
      act: ACTS.BENCH,
      since: TIERS_SINCE,
      counts: Object.fromEntries(
        TIERS.map((tier) => [tier, countries.filter((country) => country.tier === tier).length]),
      ),
      countries,
      not_listed:
        'A territory or disputed area that is not here has no tier of its own in the list: treat it as standard, never as low.',
      how_read: HOW_READ,
    };
  },
} as const;

export type AnnexAnswer = ReturnType<typeof law.annex>;
