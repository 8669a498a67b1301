import { cellOf, type Cell } from './table-file.ts';

interface Feature {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The rows that a worker keeps. */
interface KeptRows {
  count(): number;
  read(index: number): Feature | null;
}

/** The names of the columns that the files of all rows had, or what the rows have in one of them, by their place. */
export type OwnQuestion = { readonly type: 'own columns' } | { readonly type: 'own column'; readonly name: string };

/** Answers with names, or with a text for each row, empty where it has none. */
export function answerOwn(question: OwnQuestion, { count, read }: KeptRows): readonly string[] {
  const sources = Array.from({ length: count() }, (_, index) => sourceOf(read(index)?.properties ?? {}));
  if (question.type === 'own columns') return [...new Set(sources.flatMap((source) => Object.keys(source)))];
  const { name } = question;
  return sources.map((source) => (Object.hasOwn(source, name) ? String(cellOf(source[name]) ?? '') : ''));
}

/** The columns that the files of some rows had, in the order in which they come up; a row has them under `source`. */
interface OwnColumns {
  /** With `source.` before each, so that none is taken for a column of the results. */
  readonly header: readonly string[];
  cells(feature: Feature): readonly Cell[];
}

export function ownColumns(features: Iterable<Feature>): OwnColumns {
  const names = new Set<string>();
  for (const { properties } of features) for (const name of Object.keys(sourceOf(properties))) names.add(name);
  const all = [...names];
  return {
    header: all.map((name) => `source.${name}`),
    cells: ({ properties }) => {
      const source = sourceOf(properties);
      return all.map((name) => (Object.hasOwn(source, name) ? cellOf(source[name]) : null));
    },
  };
}

export function sourceOf(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const source = properties['source'];
  return typeof source === 'object' && source !== null ? (source as Record<string, unknown>) : {};
}
