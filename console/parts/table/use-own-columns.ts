import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { OwnQuestion } from '../files/own-columns.ts';
import type { Column } from './virtual-table.tsx';
import { columnChoice, ownKey, ownName, type TableName } from './column-choice.ts';

type Query = ((question: OwnQuestion) => Promise<unknown>) | null;
type OwnColumn = Column<{ readonly index: number; readonly commodity: string }> & {
  readonly staysWithDetail?: boolean;
  readonly whenNarrow?: string;
};

const NONE: readonly string[] = [];

/**
 * The columns that the file itself had, as columns of the table. Their names are found when the menu opens, or when one of them
 * was chosen before; the values of a column when it is shown.
 */
export function useOwnColumns(table: TableName, query: Query): { readonly own: readonly OwnColumn[]; find(): void } {
  const [names, setNames] = useState<readonly string[] | null>(null);
  const [values, setValues] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const wanted = columnChoice(table).value.own ?? NONE;

  useEffect(() => {
    setNames(null);
    setValues(new Map());
  }, [query]);

  const find = useCallback(() => {
    if (query === null) return;
    // What cannot be read leaves the menu as it is: everything else of the table is there.
    query({ type: 'own columns' }).then(
      (found) => setNames(found as readonly string[]),
      () => {},
    );
  }, [query]);

  useEffect(() => {
    if (wanted.length > 0 && names === null) find();
  }, [wanted, names, find]);

  const missing = wanted.flatMap((key) => ownName(key) ?? []).filter((name) => names?.includes(name) === true);
  useEffect(() => {
    let isGone = false;
    for (const name of missing.filter((one) => !values.has(one)))
      void query?.({ type: 'own column', name }).then(
        (found) => isGone || setValues((before) => new Map([...before, [name, found as readonly string[]]])),
        () => {},
      );
    return () => void (isGone = true);
  }, [query, missing.join('\n')]);

  const own = useMemo(() => (names ?? NONE).map((name) => ownColumn(name, values.get(name))), [names, values]);
  return { own, find };
}

function ownColumn(name: string, values: readonly string[] | undefined): OwnColumn {
  return {
    key: ownKey(name),
    title: name,
    width: 'minmax(96px, 0.9fr)',
    cell: ({ index }) => values?.[index] ?? '',
  };
}
