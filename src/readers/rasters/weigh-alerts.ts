import { ALERT_CLASSES, ALERT_YEAR_CLASSES, FIRST_ALERT_YEAR } from './encode-row.ts';

/** What the statuses of alerts of vegetation loss mean, and which of them are confirmed, with high loss. */
interface StatusCoding {
  /** The highest status there is, but for 255, no data. */
  readonly last: number;
  readonly confirmedHigh: readonly number[];
}

/**
 * The two codings in use, of which nobody says which one the public files carry: that of the makers' own code (1 provisional low,
 * 2 confirmed low, 3 provisional high, 4 confirmed high, 5 and 6 as 2 and 4, finished), and that of the NASA product (1 first low,
 * 2 provisional low, 3 confirmed low, 4 first high, 5 provisional high, 6 confirmed high, 7 and 8 as 3 and 6, finished).
 */
const CODINGS: readonly StatusCoding[] = [
  { last: 6, confirmedHigh: [4, 6] },
  { last: 8, confirmedHigh: [6, 8] },
];

/** The alerts on a plot. */
interface WeighedAlerts {
  /** Hectares of alerts that are confirmed, with high loss, in every coding that the statuses found may have, and have a day. */
  readonly confirmedHa: number;
  /** Hectares of all others: how sure they are, or when they were seen, is not known. */
  readonly doubtfulHa: number;
  /** Years of the first and the last day on which one was seen first; null: no alert has a day. */
  readonly years: readonly [first: number, last: number] | null;
}

/** @param sums hectares by status and, within it, by year, as `measurePairs` gives them */
export function weighAlerts(sums: Float64Array): WeighedAlerts {
  const at = (status: number, year: number): number => sums[status * ALERT_YEAR_CLASSES + year];
  const statuses = Array.from({ length: ALERT_CLASSES - 1 }, (_, i) => i + 1).filter((status) =>
    sums.subarray(status * ALERT_YEAR_CLASSES, (status + 1) * ALERT_YEAR_CLASSES).some((hectares) => hectares > 0),
  );
  const possible = CODINGS.filter(({ last }) => statuses.every((status) => status <= last));
  const isConfirmed = (status: number): boolean =>
    possible.length > 0 && possible.every(({ confirmedHigh }) => confirmedHigh.includes(status));
  let [confirmedHa, doubtfulHa, first, last] = [0, 0, 0, 0];
  for (const status of statuses)
    for (let year = 0; year < ALERT_YEAR_CLASSES; year++) {
      const hectares = at(status, year);
      if (hectares === 0) continue;
      if (year > 0 && isConfirmed(status)) confirmedHa += hectares;
      else doubtfulHa += hectares;
      if (year === 0) continue;
      first = first === 0 ? year : Math.min(first, year);
      last = Math.max(last, year);
    }
  const nameOf = (year: number): number => year + FIRST_ALERT_YEAR - 1;
  return { confirmedHa, doubtfulHa, years: first === 0 ? null : [nameOf(first), nameOf(last)] };
}
