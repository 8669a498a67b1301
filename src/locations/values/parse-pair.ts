import { parseCoordinate, type ParsedCoordinate } from './parse-coordinate.ts';

interface ParsedPair {
  readonly first: ParsedCoordinate;
  readonly second: ParsedCoordinate;
}

/** Ways to cut a cell with two coordinates in two, surest first. */
const CUTS: readonly ((text: string) => readonly string[])[] = [
  (text) => text.split(/\s*[;|/\n\t]\s*/),
  (text) => (count(text, /,/g) === 1 ? text.split(/\s*,\s*/) : []),
  (text) => text.split(/\s*,\s+/),
  (text) => /^(.*?[NSns](?![a-z]))[\s,;]*(.+)$/s.exec(text)?.slice(1) ?? [],
  (text) => /^(.*?[EWOew](?![a-z]))[\s,;]*(.+)$/s.exec(text)?.slice(1) ?? [],
  (text) => /^([NSEWO]\s*\d.*?)[\s,;]+([NSEWO]\s*\d.*)$/is.exec(text)?.slice(1) ?? [],
  (text) => text.split(/\s+/),
  (text) => text.split(/\s*,\s*/),
];

/** Two coordinates of one cell, in the order in which they stand; null when the cell holds anything else. */
export function parsePair(value: unknown): ParsedPair | null {
  if (typeof value !== 'string' || value.length > 160) return null;
  const text = value.trim().replace(/^[([{]\s*|\s*[)\]}]$/g, '');
  if (!/\d\D+\d/.test(text)) return null;
  for (const cut of CUTS) {
    const parts = cut(text).filter((part) => part !== '');
    if (parts.length !== 2) continue;
    const [first, second] = parts.map(parseCoordinate);
    if (first != null && second != null && (first.axis === null || first.axis !== second.axis))
      return { first, second };
  }
  return null;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
