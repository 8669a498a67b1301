import type { Reading } from './reading.ts';

type Mapping = Reading['mapping'];

/** Corrections of columns, each by the set of headings of the files that it was made for. */
const KEY = 'firstmile.mappings';
const KEPT = 50;

/** The corrections that were made for a file with these headings; null: none. */
export function recallMapping(headings: readonly string[]): Mapping | null {
  const key = keyOf(headings);
  return read().find(([known]) => known === key)?.[1] ?? null;
}

/** Keeps the corrections for files with these headings, in place of those of before. */
export function rememberMapping(headings: readonly string[], mapping: Mapping): void {
  const key = keyOf(headings);
  const others = read().filter(([known]) => known !== key);
  const kept = Object.keys(mapping).length === 0 ? others : [...others, [key, mapping] as const];
  localStorage.setItem(KEY, JSON.stringify(kept.slice(-KEPT)));
}

/** Whatever the order of the headings, and however many files have them. */
function keyOf(headings: readonly string[]): string {
  return JSON.stringify([...headings].sort());
}

function read(): readonly (readonly [headings: string, mapping: Mapping])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as (readonly [string, Mapping])[]) : [];
  } catch {
    return [];
  }
}
