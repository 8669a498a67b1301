import type { ColumnFinding, ColumnSample } from './detect-columns.ts';
import { FIELDS, type Field } from './fields.ts';

/** What a language model gets to place the columns that the rules could not place. */
export interface ColumnQuestion {
  /** Name of the sheet or layer. */
  readonly table: string | null;
  /** Headings without a field, with the shapes of some of their values. */
  readonly unsure: readonly { readonly column: string; readonly shapes: readonly string[] }[];
  /** Headings that have one. */
  readonly known: readonly { readonly column: string; readonly field: Field }[];
  /** Fields that no column was given to. */
  readonly fields: readonly Field[];
}

/** What the reply says, unchecked: it may name columns and fields that do not exist. */
export type ColumnProposals = readonly { readonly column: string; readonly field: string }[];

/** Requests from a language model which of the free fields a column is. Rejects when it fails. */
export type ProposeColumns = (question: ColumnQuestion, signal: AbortSignal) => Promise<ColumnProposals>;

/** Columns of one question. */
const MAX_COLUMNS = 60;
const MAX_HEADING = 100;
const MAX_SHAPES = 3;
const MAX_SHAPE = 40;

/** The question about what is left over after the rules; null where nothing is. */
export function columnQuestion(
  table: string | null,
  samples: readonly ColumnSample[],
  findings: readonly ColumnFinding[],
  mapping: Readonly<Record<string, unknown>>,
): ColumnQuestion | null {
  const known = findings.flatMap(({ column, field }) => (field === null ? [] : [{ column, field }]));
  const taken = new Set(known.map(({ field }) => field));
  const fields = FIELDS.filter((field) => !taken.has(field));
  const placed = new Set([...known.map(({ column }) => column), ...Object.keys(mapping)]);
  const unsure = samples
    .filter(({ column, values }) => values.length > 0 && !placed.has(column) && column.length <= MAX_HEADING)
    .slice(0, MAX_COLUMNS)
    .map(({ column, values }) => ({ column, shapes: shapesOf(values) }));
  if (unsure.length === 0 || fields.length === 0) return null;
  return { table: table?.slice(0, MAX_HEADING) ?? null, unsure, known: known.slice(0, MAX_COLUMNS), fields };
}

/**
 * The proposals that name a column and a field of the question, each once. Whether the values fit is for the detection of
 * columns to say.
 */
export function usableProposals(
  proposals: ColumnProposals,
  { unsure, fields }: ColumnQuestion,
): ReadonlyMap<string, Field> {
  const columns = new Set(unsure.map(({ column }) => column));
  const usable = new Map<string, Field>();
  for (const { column, field: name } of proposals) {
    const field = fields.find((known) => known === name);
    if (field === undefined || !columns.has(column) || usable.has(column)) continue;
    if (![...usable.values()].includes(field)) usable.set(column, field);
  }
  return usable;
}

/** How values look, with letters as `a` and digits as `9`: what they say is not sent. */
function shapesOf(values: readonly unknown[]): string[] {
  const shapes = new Set<string>();
  for (const value of values) {
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : typeof value;
    shapes.add(
      text
        .slice(0, MAX_SHAPE)
        .replaceAll(/\p{Lu}/gu, 'A')
        .replaceAll(/(?!A)[\p{L}\p{M}]/gu, 'a')
        .replaceAll(/\p{N}/gu, '9')
        .replaceAll(/[^\x20-\x7e°′″]/gu, '?'),
    );
    if (shapes.size === MAX_SHAPES) break;
  }
  return [...shapes];
}
