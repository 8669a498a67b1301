/** After the first day, up to and including the last; `YYYY-MM-DD`. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

/** The years of which any day lies in the period. */
export function yearsOf({ start, end }: Period): readonly number[] {
  const first = Number(start.slice(0, 4)) + (start.slice(5) === '12-31' ? 1 : 0);
  const last = Number(end.slice(0, 4));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}
