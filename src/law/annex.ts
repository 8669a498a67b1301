import { ACTS, type Act, type Confidence } from './acts.ts';
import { TIERS_SINCE } from './country-tiers.ts';
import {
  COMMODITY_NAMES,
  DEFERRED_CODES,
  ENDED_BY_AM25,
  EXCLUSIONS_BY_COMMODITY,
  GENERAL_EXCLUSIONS,
  LIMITS_BY_CODE,
  LIMITS_BY_COMMODITY,
  MAYBE_EARLIER,
  ORIGINAL_CODES,
  REPLACED_CODES,
  type AnnexCommodity,
  type PrintedCode,
} from './annex-rows.ts';

/** A stretch of time in which Annex I stayed the same; both days inclusive, `YYYY-MM-DD`. */
interface AnnexPeriod {
  readonly period: 'A' | 'B' | 'C' | 'D';
  readonly from: string;
  /** Null: no change is known. */
  readonly to: string | null;
  readonly act: Act;
  readonly content: string;
}

export const ANNEX_PERIODS: readonly AnnexPeriod[] = [
  { period: 'A', from: '2023-06-29', to: '2025-12-25', act: 'REG', content: 'the annex as adopted' },
  { period: 'B', from: '2025-12-26', to: '2026-09-17', act: 'AM25', content: 'the same without ex 49' },
  { period: 'C', from: '2026-09-18', to: '2027-12-29', act: 'DEL26', content: 'replaced, without its deferred rows' },
  { period: 'D', from: '2027-12-30', to: null, act: 'DEL26', content: 'with 18 deferred rows' },
];

/** A code of Annex I with the days on which it is in force. */
export interface AnnexRow {
  /** As printed: `4012 90 30`. */
  readonly code: string;
  /** Its digits without the pairs "00" at the end, which stand for "not divided further". */
  readonly digits: string;
  /** Null: whether the annex prints "ex" before it was not read. */
  readonly ex: boolean | null;
  readonly commodity: AnnexCommodity;
  /** Our words; null where the sources read describe no goods. */
  readonly goods: string | null;
  readonly validFrom: string;
  /** Last day; null: no end is known. */
  readonly validTo: string | null;
  /** The earliest day it may be in force, where the sources leave its first day open; else null. */
  readonly maybeFrom: string | null;
  readonly act: Act;
  /** The act that ended it; null while none is known. */
  readonly endedBy: Act | null;
  readonly confidence: Confidence;
  readonly source: string;
}

/** Every code of every period, in the order of the annex. */
export const ANNEX: readonly AnnexRow[] = [
  ...rowsOf(ORIGINAL_CODES, 'REG', '2023-06-29', '2026-09-17'),
  ...rowsOf(REPLACED_CODES, 'DEL26', '2026-09-18', null),
  ...rowsOf(DEFERRED_CODES, 'DEL26', '2027-12-30', null),
];

function rowsOf(
  table: Readonly<Record<AnnexCommodity, readonly PrintedCode[]>>,
  act: Act,
  validFrom: string,
  lastDay: string | null,
): readonly AnnexRow[] {
  return (Object.keys(COMMODITY_NAMES) as AnnexCommodity[]).flatMap((commodity) =>
    table[commodity].map(([code, ex, goods, confidence]): AnnexRow => {
      const isEarly = act === 'REG' && ENDED_BY_AM25.includes(code);
      return {
        code,
        digits: significantDigits(code.replaceAll(' ', '')),
        ex,
        commodity,
        goods,
        validFrom,
        validTo: isEarly ? '2025-12-25' : lastDay,
        maybeFrom: MAYBE_EARLIER[code] ?? null,
        act,
        endedBy: isEarly ? 'AM25' : lastDay === null ? null : 'DEL26',
        confidence,
        source: `${ACTS[act]}, Annex I${sourceOf(act, confidence)}`,
      };
    }),
  );
}

function sourceOf(act: Act, confidence: Confidence): string {
  if (confidence === 'high') return ', in two or more public copies';
  return act === 'REG'
    ? ' as adopted; its total of 77 codes agrees with a second copy'
    : ', in one public copy whose total agrees with two others';
}

/** `1201 90 00` is `1201 90`: a pair of zeros beyond the heading says that there is no further division. */
export function significantDigits(digits: string): string {
  return digits.replace(/^(\d{4}(?:\d\d)*?)(?:00)+$/, '$1');
}

/** The period of a day; null before the regulation was in force. */
export function annexPeriod(date: string): AnnexPeriod | null {
  return ANNEX_PERIODS.findLast(({ from }) => from <= date) ?? null;
}

/** The last day up to `date` on which Annex I or the list of countries changed: the law is the same from then to it. */
export function lawSince(date: string): string {
  return (
    [...ANNEX_PERIODS.map(({ from }) => from), TIERS_SINCE]
      .filter((day) => day <= date)
      .toSorted()
      .at(-1) ?? ''
  );
}

/** The codes in force on a day, in the order of the annex. */
export function annexOn(date: string): readonly AnnexRow[] {
  return ANNEX.filter(({ validFrom, validTo }) => validFrom <= date && (validTo === null || date <= validTo));
}

export type InScope = 'yes' | 'no' | 'depends' | 'unknown';

/** What decides where a code alone does not: the goods themselves, further digits of the code, or the text of the law. */
interface Decider {
  readonly by: 'goods' | 'digits' | 'law';
  readonly question: string;
}

/** What Annex I says of a code on a day. */
interface CodeAnswer {
  readonly inScope: InScope;
  /** Null where the code decides. */
  readonly decides: Decider | null;
  /** The listed code that is the longest beginning of the one in question, or the same. */
  readonly row: AnnexRow | null;
  /** Listed codes that are longer than the one in question. */
  readonly narrower: readonly AnnexRow[];
}

/**
 * Looks a code up on a day, `YYYY-MM-DD`. `digits` are 2, 4, 6, 8 or 10 digits of the Combined Nomenclature, whose existence
 * is not checked. A code longer than a listed one belongs to it; one that is shorter depends on its further digits.
 */
export function findCode(digits: string, date: string): CodeAnswer {
  const wanted = significantDigits(digits);
  const listed = annexOn(date);
  const row = longestBeginning(wanted, listed);
  if (row !== null) {
    const question = goodsQuestion(row);
    const decides: Decider | null = question === null ? null : { by: row.ex === null ? 'law' : 'goods', question };
    return { inScope: question === null ? 'yes' : 'depends', decides, row, narrower: [] };
  }
  const narrower = listed.filter((row) => row.digits.startsWith(wanted));
  if (narrower.length > 0) {
    const decides: Decider = { by: 'digits', question: moreDigits(narrower) };
    return { inScope: 'depends', decides, row: null, narrower };
  }
  const undecided = ANNEX.filter(
    ({ maybeFrom, validFrom }) => maybeFrom !== null && maybeFrom <= date && date < validFrom,
  );
  const maybe = longestBeginning(wanted, undecided);
  if (maybe !== null)
    return { inScope: 'unknown', decides: { by: 'law', question: openStart(maybe) }, row: maybe, narrower: [] };
  return { inScope: 'no', decides: null, row: null, narrower: [] };
}

function longestBeginning(wanted: string, rows: readonly AnnexRow[]): AnnexRow | null {
  const found = rows.filter(({ digits }) => wanted.startsWith(digits));
  return found.reduce<AnnexRow | null>(
    (best, row) => (best === null || row.digits.length > best.digits.length ? row : best),
    null,
  );
}

/** What has to be known of the goods; null where everything under the code is listed. */
function goodsQuestion({ code, ex, goods, commodity, act }: AnnexRow): string | null {
  const limits = [LIMITS_BY_CODE[code], act === 'DEL26' && ex === true ? LIMITS_BY_COMMODITY[commodity] : undefined];
  const known = limits.filter((limit) => limit !== undefined).join('; ');
  const named = goods === null ? '' : ` (${goods})`;
  if (ex === false) return known === '' ? null : `${code}${named} is listed, but ${known}. Are yours listed goods?`;
  const part =
    ex === true
      ? `The annex lists only part of the goods under ${code}${named}: it is printed with "ex".`
      : `${code}${named} is listed; whether the annex printed "ex" before it, for only part of the goods, was not read.`;
  return `${part}${known === '' ? '' : ` Known: ${known}.`} Are yours listed goods?`;
}

function moreDigits(narrower: readonly AnnexRow[]): string {
  const shown = narrower.slice(0, 8).map(({ code }) => code);
  const more = narrower.length > shown.length ? ` and ${narrower.length - shown.length} more` : '';
  return `Which further digits has the code? Listed are only ${shown.join(', ')}${more}.`;
}

function openStart({ code, maybeFrom, validFrom }: AnnexRow): string {
  return `Is ${code} in force since ${maybeFrom} or from ${validFrom}? The deferral is printed outside its row, and the sources read it both ways.`;
}

/** A stretch of days on which the answer for a code stays the same. */
export interface CodeSpan {
  /** Null: since ever. */
  readonly from: string | null;
  /** Last day; null: no end is known. */
  readonly to: string | null;
  readonly inScope: InScope;
}

/** The answers for a code from before the regulation on, in order. */
export function codeHistory(digits: string): readonly CodeSpan[] {
  const starts: readonly (string | null)[] = [null, ...ANNEX_PERIODS.map(({ from }) => from)];
  const spans = starts.map((from) => ({ from, inScope: findCode(digits, from ?? '0000-00-00').inScope }));
  const kept = spans.filter(({ inScope }, i) => inScope !== spans[i - 1]?.inScope);
  return kept.map(({ from, inScope }, i) => ({ from, to: dayBefore(kept[i + 1]?.from ?? null), inScope }));
}

/** The day before; null for null. */
function dayBefore(date: string | null): string | null {
  return date === null ? null : new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** What is out of scope on a day although its code is listed, as phrases. */
export function exclusionsOf(commodity: AnnexCommodity, date: string): readonly string[] {
  if (annexPeriod(date)?.act !== 'DEL26') return [];
  return [...GENERAL_EXCLUSIONS, ...(EXCLUSIONS_BY_COMMODITY[commodity] ?? [])];
}

/** Codes in force on a day that share the heading of one that is not listed, else its chapter; at most 8. */
export function nearbyCodes(digits: string, date: string): readonly AnnexRow[] {
  const listed = annexOn(date);
  const sharing = [4, 2].map((length) =>
    listed.filter((row) => row.digits.slice(0, length) === digits.slice(0, length)).slice(0, 8),
  );
  return sharing.find((rows) => rows.length > 0) ?? [];
}
