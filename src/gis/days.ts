import { DAY_MS } from '../durations.ts';

/** Milliseconds since 1970, both inclusive; -Infinity and Infinity where it is open. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/i;
const DAY_LENGTH = 10;

/**
 * Reads `datetime` of OGC API - Features: a moment of RFC 3339 or a day, or two with a slash, one of which may be `..` or
 * empty. A day lasts until its end. Null for anything else, and for a span that ends before it begins.
 */
export function readTimeSpan(text: string): TimeSpan | null {
  const parts = text.split('/');
  if (parts.length > 2) return null;
  const [first, last = first] = parts;
  if (parts.length === 1) return momentOf(first);
  const from = isOpen(first) ? OPEN : momentOf(first);
  const to = isOpen(last) ? OPEN : momentOf(last);
  if (from === null || to === null || (from === OPEN && to === OPEN)) return null;
  return from.from <= to.to ? { from: from.from, to: to.to } : null;
}

const OPEN: TimeSpan = { from: -Infinity, to: Infinity };

function isOpen(text: string): boolean {
  return text === '..' || text === '';
}

function momentOf(text: string): TimeSpan | null {
  const ms = MOMENT.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms)) return null;
  return { from: ms, to: text.length === DAY_LENGTH ? ms + DAY_MS - 1 : ms };
}

export function spansTouch(a: TimeSpan, b: TimeSpan): boolean {
  return a.from <= b.to && b.from <= a.to;
}
