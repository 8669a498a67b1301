import { useEffect, useState } from 'preact/hooks';
import type { Lines } from '../api/open-lines.ts';
import { address, setParams } from '../state/address.ts';
import { focusTable } from './focus.ts';

interface Chosen<Feature> {
  /** Number of the row that the address names. */
  readonly selected: number | null;
  /** All of it, once it has been read. */
  readonly feature: Feature | null;
  /** Whether it is still to come: a map that shows all rows meanwhile would only jump. */
  readonly isPending: boolean;
  readonly select: (index: number) => void;
  readonly leave: () => void;
}

/** The row that is chosen in the address as `sel`. `read` stays the same for as long as the rows are of the same answer. */
export function useChosen<Feature>(
  { rows, isComplete }: Pick<Lines<unknown, never>, 'rows' | 'isComplete'>,
  read: (index: number) => Promise<unknown>,
): Chosen<Feature> {
  const text = address.value.query.get('sel');
  const selected = text === null ? null : Number(text);
  const [feature, setFeature] = useState<Feature | null>(null);
  const isThere = selected !== null && selected < rows.value.length;
  useEffect(() => {
    if (!isThere) return setFeature(null);
    let isCurrent = true;
    void read(selected).then((found) => isCurrent && setFeature(found as Feature | null));
    return () => {
      isCurrent = false;
    };
  }, [read, selected, isThere]);
  return {
    selected,
    feature,
    isPending: feature === null && (isThere || (selected !== null && !isComplete.value)),
    select: (index) => setParams({ sel: index }),
    leave() {
      setParams({ sel: null });
      focusTable();
    },
  };
}
