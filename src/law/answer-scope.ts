import { ACTS, HOW_READ, TABLES_AS_OF, type Confidence } from './acts.ts';
import {
  annexPeriod,
  codeHistory,
  exclusionsOf,
  findCode,
  nearbyCodes,
  type AnnexRow,
  type CodeSpan,
  type InScope,
} from './annex.ts';
import { COMMODITY_NAMES } from './annex-rows.ts';
import { countryTier, type TierAnswer } from './country-tiers.ts';
import { dutyOf, NOTHING_OWED, type Duty } from './duty.ts';
import { annexEntry, countryEntry, periodOf } from './entries.ts';
import { ROLES_SINCE, type Role } from './roles.ts';
import { bindingDate, type Size } from './undertakings.ts';

/** A question about the scope of the regulation; null: not said. Days are `YYYY-MM-DD`. */
export interface ScopeQuestion {
  /** 2, 4, 6, 8 or 10 digits. */
  readonly cn: string;
  readonly date: string;
  /** Country of production. */
  readonly country: { readonly code: string; readonly name: string } | null;
  readonly role: Role | null;
  readonly size: Size | null;
  readonly established: string | null;
  readonly timberRegulation: boolean | null;
  /** Day of production; of wood of its harvest, of cattle of their birth. */
  readonly produced: string | null;
}

export type ScopeAnswer = ReturnType<typeof answerScope>;

/** Whether the regulation covers a product, since when, and what it requires of whom. Pure: the day is given. */
export function answerScope(question: ScopeQuestion) {
  const { cn, date, country, role, size, established, produced } = question;
  const found = findCode(cn, date);
  const commodity = found.row?.commodity ?? sharedCommodity(found.narrower);
  const outside = found.inScope === 'no' ? null : outsideByProduction(produced, date, commodity);
  const inScope: InScope = outside?.inScope ?? found.inScope;
  const decides =
    inScope === 'no' ? null : outside !== null ? { by: 'law' as const, question: outside.sentence } : found.decides;
  const tier = country === null ? null : countryTier(country.code, date);
  const isTimberProduct = commodity === 'timber' ? question.timberRegulation : commodity === null ? null : false;
  const binding = bindingDate({ size, established, isTimberProduct });
  const duty = role === null ? null : inScope === 'no' ? NOTHING_OWED : dutyOf(role, size, tier);
  const span = spanOf(codeHistory(cn), date);
  const nearby = found.inScope === 'no' ? nearbyCodes(cn, date) : [];
  const uncertain = [
    ...(found.inScope === 'unknown' && found.decides !== null ? [found.decides.question] : []),
    ...(found.decides?.by === 'law' && found.inScope === 'depends'
      ? ['Most "ex" marks of the lists before 18 September 2026 were not read.']
      : []),
    ...(tier !== null && tier.confidence !== 'high' ? tier.notes : []),
    ...(outside?.inScope === 'unknown' ? [outside.sentence] : []),
  ];
  return {
    as_of: { date, ...TABLES_AS_OF },
    cn,
    in_scope: inScope,
    sentence: sentenceOf(question, inScope, found.row, outside?.sentence ?? null, span),
    decides,
    commodity,
    commodity_name: commodity === null ? null : COMMODITY_NAMES[commodity],
    matched: found.row === null ? null : annexEntry(found.row),
    narrower: found.narrower.map(annexEntry),
    nearby: nearby.map(annexEntry),
    since: span.from,
    until: span.to,
    history: codeHistory(cn).map(({ from, to, inScope }) => ({ from, to, in_scope: inScope })),
    exclusions: inScope === 'no' || commodity === null ? [] : exclusionsOf(commodity, date),
    annex_period: periodOf(date),
    country: country === null || tier === null ? null : countryEntry(country, tier),
    obligations: inScope === 'no' ? null : { ...binding, binding: bindingOn(binding, date) },
    role,
    size,
    duty,
    articles: articlesOf(found.row, tier, duty, inScope === 'no' ? null : binding.article, outside?.article ?? null),
    confidence: lowest([
      // That a code is not listed rests on the whole list; far from every listed code nothing can be missing.
      found.inScope === 'no' && nearby.length > 0 ? 'medium' : 'high',
      ...(found.row === null ? found.narrower : [found.row]).map(({ confidence }) => confidence),
      ...(tier === null ? [] : [tier.confidence]),
      ...(duty === null ? [] : [duty.confidence]),
      ...(inScope === 'unknown' || uncertain.length > 0 ? (['low'] as const) : []),
    ]),
    uncertain,
    notes: notesOf(question, tier),
  };
}

function sharedCommodity(rows: readonly AnnexRow[]): AnnexRow['commodity'] | null {
  const commodities = new Set(rows.map(({ commodity }) => commodity));
  return commodities.size === 1 ? rows[0]!.commodity : null;
}

/** What the day of production changes; null: nothing. Wood has a transition of its own. */
function outsideByProduction(
  produced: string | null,
  date: string,
  commodity: AnnexRow['commodity'] | null,
): { readonly inScope: 'no' | 'unknown'; readonly sentence: string; readonly article: string } | null {
  if (produced === null || produced >= IN_FORCE) return null;
  const before = `Produced on ${produced}, before ${IN_FORCE}`;
  if (commodity !== 'timber' && commodity !== null)
    return { inScope: 'no', sentence: `${before}: outside the regulation.`, article: 'Art 1(2)' };
  if (date <= LAST_OLD_WOOD)
    return {
      inScope: 'no',
      sentence: `${before}: outside the regulation; wood placed until ${LAST_OLD_WOOD} stays under ${ACTS.EUTR} where its annex lists it.`,
      article: 'Arts 1(2) and 37',
    };
  return {
    inScope: 'unknown',
    sentence: `${before}, wood placed after ${LAST_OLD_WOOD}: what holds after the transition of Art 37 was not read.`,
    article: 'Art 37',
  };
}

/** First day of the regulation, and the last on which wood harvested before it stays under the old Timber Regulation. */
const IN_FORCE = '2023-06-29';
const LAST_OLD_WOOD = '2029-12-31';

/** Listed and not listed: what is listed may depend on the goods on some days and not on others. */
function spanOf(history: readonly CodeSpan[], date: string): Pick<CodeSpan, 'from' | 'to'> {
  const kind = ({ inScope }: CodeSpan): string => (inScope === 'yes' || inScope === 'depends' ? 'listed' : inScope);
  const at = history.findLastIndex(({ from }) => from === null || from <= date);
  const isSame = (i: number): boolean => history[i] !== undefined && kind(history[i]) === kind(history[at]!);
  let [first, last] = [at, at];
  while (isSame(first - 1)) first--;
  while (isSame(last + 1)) last++;
  return { from: history[first]!.from, to: history[last]!.to };
}

function bindingOn({ from, options }: ReturnType<typeof bindingDate>, date: string): boolean | null {
  if (from !== null) return from <= date;
  if (options.every((option) => option.from <= date)) return true;
  return options.some((option) => option.from <= date) ? null : false;
}

const SAID: Readonly<Record<InScope, string>> = {
  yes: 'is listed in Annex I',
  no: 'is not listed in Annex I',
  depends: 'is listed in Annex I in part',
  unknown: 'may be listed in Annex I',
};

function sentenceOf(
  { cn, date }: ScopeQuestion,
  inScope: InScope,
  row: AnnexRow | null,
  outside: string | null,
  { from, to }: Pick<CodeSpan, 'from' | 'to'>,
): string {
  if (outside !== null && inScope !== 'yes' && inScope !== 'depends') return outside;
  const days = [...(from === null ? [] : [`since ${from}`]), ...(to === null ? [] : [`until ${to}`])].join(' ');
  const by = row !== null && row.digits !== cn ? `, as ${row.code}` : '';
  const said = inScope === 'depends' && row?.ex === null ? 'is listed in Annex I, in whole or in part' : SAID[inScope];
  const period = annexPeriod(date) === null ? ' (the regulation was not in force)' : '';
  return `On ${date} code ${cn} ${said}${by}${days === '' ? '' : `, ${days}`}${period}.`;
}

function articlesOf(
  row: AnnexRow | null,
  tier: TierAnswer | null,
  duty: Duty | null,
  binding: string | null,
  outside: string | null,
): readonly string[] {
  const ofTier = tier === null || tier.treatedAs === null ? null : 'Art 29';
  const ofScope = [row === null ? 'Annex I' : `Annex I (${ACTS[row.act]})`, 'Art 1(1)'];
  const all = [...ofScope, outside, binding, ofTier, ...(duty?.articles ?? [])];
  return [...new Set(all.filter((article) => article !== null))];
}

const RANKS = ['high', 'medium', 'low'] as const satisfies readonly Confidence[];

function lowest(all: readonly Confidence[]): Confidence {
  return RANKS[Math.max(0, ...all.map((one) => RANKS.indexOf(one)))] ?? 'high';
}

function notesOf({ date, role }: ScopeQuestion, tier: TierAnswer | null): readonly string[] {
  return [
    ...(date > TABLES_AS_OF.annex
      ? [
          `The tables end on ${TABLES_AS_OF.annex} (countries ${TABLES_AS_OF.country_tiers}): acts published later are not in them.`,
        ]
      : []),
    ...(tier === null || tier.confidence !== 'high' ? [] : tier.notes),
    ...(tier?.treatedAs === 'low'
      ? ['A low tier never proves a plot free of deforestation: Art 3 holds in full.']
      : []),
    ...(role === null ? ['Give role, size and country to know the duty.'] : []),
    ...(role !== null && date < ROLES_SINCE
      ? [`Roles and duties are those since ${ROLES_SINCE}; nobody was bound before.`]
      : []),
    'The day is that of placing on the market or export.',
    'Whether the code exists in the Combined Nomenclature was not checked.',
    HOW_READ,
  ];
}
