import { t } from '../../text/translate.ts';
import type { ResultsColumn } from '../results-table.tsx';
import type { Marks } from './marks.ts';

/** A box in each row, to choose several. */
export function markColumn(marks: Marks): ResultsColumn<{ readonly index: number; readonly commodity: string }> {
  return {
    key: 'mark',
    title: t('marks.all'),
    head: <HeadBox marks={marks} />,
    width: '38px',
    whenNarrow: '38px',
    cell: ({ index }) => <RowBox marks={marks} index={index} />,
  };
}

function RowBox({ marks, index }: { readonly marks: Marks; readonly index: number }) {
  return (
    <span class="mark-box" onClick={(event) => event.stopPropagation()}>
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={t('marks.one', { row: index + 1 })}
        checked={marks.marked.value.has(index)}
        onClick={(event) => marks.toggle(index, event.shiftKey)}
      />
    </span>
  );
}

function HeadBox({ marks }: { readonly marks: Marks }) {
  const rows = marks.rows.value;
  const marked = marks.marked.value;
  const isAll = rows.length > 0 && marked.size >= rows.length && rows.every(({ index }) => marked.has(index));
  return (
    <span class="mark-box">
      <input
        type="checkbox"
        aria-label={t('marks.all')}
        checked={isAll}
        onClick={() => (isAll ? marks.none() : marks.all())}
      />
    </span>
  );
}
