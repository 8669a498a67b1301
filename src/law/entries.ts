import { ACTS, type Confidence } from './acts.ts';
import { annexPeriod, type AnnexRow } from './annex.ts';
import { COMMODITY_NAMES } from './annex-rows.ts';
import { TIER_CONSEQUENCES, TIERS_SINCE, type TierAnswer } from './country-tiers.ts';

/** A code of the annex in an answer. */
interface AnnexEntry {
  readonly code: string;
  readonly ex: boolean | null;
  readonly commodity: string;
  readonly commodity_name: string;
  readonly goods: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
  readonly act: string;
  readonly ended_by: string | null;
  readonly confidence: Confidence;
  readonly source: string;
}

/** A row of the annex as answers show it. */
export function annexEntry(row: AnnexRow): AnnexEntry {
  return {
    code: row.code,
    ex: row.ex,
    commodity: row.commodity,
    commodity_name: COMMODITY_NAMES[row.commodity],
    goods: row.goods,
    valid_from: row.validFrom,
    valid_to: row.validTo,
    act: ACTS[row.act],
    ended_by: row.endedBy === null ? null : ACTS[row.endedBy],
    confidence: row.confidence,
    source: row.source,
  };
}

/** The annex in force on a day, with the act that made it; null before the regulation. */
export function periodOf(date: string) {
  const period = annexPeriod(date);
  return period === null ? null : { ...period, act: ACTS[period.act] };
}

/** A country with its tier and what follows from it. */
export function countryEntry({ code, name }: { readonly code: string; readonly name: string }, tier: TierAnswer) {
  const consequences = tier.treatedAs === null ? null : TIER_CONSEQUENCES[tier.treatedAs];
  return {
    code,
    name,
    tier: tier.tier,
    treated_as: tier.treatedAs,
    since: tier.treatedAs === null ? null : TIERS_SINCE,
    act: ACTS.BENCH,
    due_diligence: consequences?.dueDiligence ?? null,
    consequences: consequences?.sentence ?? null,
    checks: consequences?.checks ?? null,
    simplified_declaration: consequences?.simplifiedDeclaration ?? null,
    articles: consequences?.articles ?? [],
    confidence: tier.confidence,
    notes: tier.notes,
  };
}
