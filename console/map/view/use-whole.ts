import { useMemo, useRef, useState } from 'preact/hooks';
import type { Box } from '../box-polygon.ts';
import { boxAround, mainBox, type MainBox } from '../main-box.ts';

const NOTHING: MainBox = { box: null, far: 0 };

/**
 * What a map shows of some rows as a whole, found again when there are rows for the first time or none any more, not at each key of a
 * filter; null while the rows are still to come. The same rows are looked at once, also if a detail was opened meanwhile.
 */
export function useWhole<Row>(
  rows: readonly Row[] | null,
  boxOf: (row: Row) => Box | null,
): { readonly whole: MainBox; readonly showAll: () => void } {
  const [showsAll, setShowsAll] = useState(false);
  const last = useRef<{ readonly rows: readonly Row[]; readonly showsAll: boolean; readonly whole: MainBox }>(null);
  const whole = useMemo(() => {
    if (rows === null) return NOTHING;
    if (last.current?.rows === rows && last.current.showsAll === showsAll) return last.current.whole;
    const boxes: Box[] = [];
    for (const row of rows) {
      const box = boxOf(row);
      if (box !== null) boxes.push(box);
    }
    const found = showsAll ? { box: boxAround(boxes), far: 0 } : mainBox(boxes);
    last.current = { rows, showsAll, whole: found };
    return found;
  }, [rows === null, rows?.length === 0, showsAll]);
  return { whole, showAll: () => setShowsAll(true) };
}
