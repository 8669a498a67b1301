import { parse } from 'csv-parse/sync';
import { isWktLine } from '../../../geo/shapes/wkt.ts';

export interface CsvDialect {
  readonly delimiter: string;
  /** Lines before the first record that belong to no record: `sep=;`. */
  readonly skipLines: number;
}

/** Stands for none: in a text whose every line is a geometry, commas divide coordinates. */
export const NO_DELIMITER = '\u001F';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'vertical bar' };
const SAMPLE_ROWS = 100;

export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? delimiter;
}

/**
 * The delimiter under which the first rows fall into the same number of columns, more than one; null when no delimiter
 * does and the text is no list of single values either.
 */
export function findCsvDialect(sample: string, isWholeFile: boolean): CsvDialect | null {
  const stated = /^sep=(.)\r?\n/i.exec(sample);
  if (stated !== null) return { delimiter: stated[1], skipLines: 1 };
  const whole = isWholeFile ? sample : sample.slice(0, sample.lastIndexOf('\n') + 1);
  const text = whole === '' ? sample : whole;
  if (isGeometryList(text)) return { delimiter: NO_DELIMITER, skipLines: 0 };
  let best: { delimiter: string; score: number } | null = null;
  for (const delimiter of DELIMITERS) {
    if (!text.includes(delimiter) || (delimiter === ',' && isProse(text))) continue;
    const score = scoreOf(widths(text, delimiter));
    if (score > (best?.score ?? 0)) best = { delimiter, score };
  }
  if (best !== null) return { delimiter: best.delimiter, skipLines: 0 };
  return isList(text) ? { delimiter: ',', skipLines: 0 } : null;
}

function widths(text: string, delimiter: string): number[] {
  try {
    const rows = parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: SAMPLE_ROWS,
    }) as string[][];
    return rows.map((row) => row.length);
  } catch {
    return [];
  }
}

/** Share of rows of the commonest width above one, a little more for more columns. */
function scoreOf(counts: readonly number[]): number {
  if (counts.length === 0) return 0;
  const byWidth = Map.groupBy(
    counts.filter((count) => count > 1),
    (count) => count,
  );
  let best = 0;
  for (const [width, rows] of byWidth)
    best = Math.max(best, (rows.length / counts.length) * (1 + Math.min(width, 20) / 100));
  return best >= 0.5 ? best : 0;
}

/** Whether every line is one geometry, as people keep WKT in text files. */
function isGeometryList(text: string): boolean {
  const lines = linesOf(text).slice(0, SAMPLE_ROWS);
  return lines.length > 0 && lines.every(isWktLine);
}

/** A list of single values under a short heading; prose has long lines and sentences. */
function isList(text: string): boolean {
  const lines = linesOf(text);
  const [heading = ''] = lines;
  const isHeading =
    heading.length <= 40 && heading.trim().split(/\s+/).length <= 4 && !/[.!?:,;]$/.test(heading.trim());
  return lines.length >= 2 && isHeading;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n|\r/).filter((line) => line.trim() !== '');
}

/** Commas of sentences are followed by a space, and no line has a number between two of them. */
function isProse(text: string): boolean {
  const commas = text.match(/,/g)?.length ?? 0;
  const spaced = text.match(/,\s/g)?.length ?? 0;
  return (
    spaced > commas * 0.7 &&
    !/"/.test(text) &&
    !/(^|,)\s*[+-]?\d+([.,]\d+)?\s*(,|$)/m.test(text) &&
    /[.!?](\s|$)/m.test(text)
  );
}
