import { useMemo } from 'preact/hooks';
import { PlaceName } from '../../../parts/place-name.tsx';
import { commodityColumn, indexColumn, ResultsTable, type ResultsColumn } from '../../../parts/results-table.tsx';
import { reviewColumn } from '../../../parts/reviews/review-mark.tsx';
import type { Reviews } from '../../../parts/reviews/reviews.ts';
import type { OwnQuestion } from '../../../parts/files/own-columns.ts';
import { markColumn } from '../../../parts/table/mark-column.tsx';
import type { Marks } from '../../../parts/table/marks.ts';
import { formatNumber, language, t } from '../../../text/translate.ts';
import { Confidence } from './confidence.tsx';
import { formatQuantity } from '../format-quantity.ts';
import { countBy } from '../../../parts/filter-bar.tsx';
import { GROUP_NAMES, type GroupKey } from '../../../parts/table/group-rows.ts';
import { shownCountry } from '../../../parts/table/shown-words.ts';
import { GroupBadge } from './group-badge.tsx';
import { GROUPS } from './groups.ts';
import type { PlotRow } from './plot-row.ts';
import { NO_PLOT_FILTER, type PlotSelection } from './select-plots.ts';

interface PlotsTableProps {
  readonly rows: readonly PlotRow[];
  readonly isMeasured: boolean;
  readonly selection: PlotSelection;
  readonly isSorting: boolean;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
  readonly marks: Marks;
  readonly reviews: Reviews;
  readonly group: GroupKey | null;
  readonly own: ((question: OwnQuestion) => Promise<unknown>) | null;
}

/** Locations as rows. */
export function PlotsTable({
  rows,
  isSorting,
  isMeasured,
  selection,
  selected,
  onSelect,
  marks,
  reviews,
  group,
  own,
}: PlotsTableProps) {
  const shown = useMemo(
    () => columns(marks, reviews).filter(({ key }) => isMeasured || !MEASURED.has(key)),
    [isMeasured, language.value, marks, reviews],
  );
  const grouped = useMemo(
    () => (group === null ? null : { nameOf: GROUP_NAMES[group], about }),
    [group, language.value],
  );
  return (
    <ResultsTable
      name="plots"
      label={t('collection.plots')}
      rows={rows}
      columns={shown}
      isSorting={isSorting}
      selection={selection}
      selected={selected}
      onSelect={onSelect}
      onMark={(index) => marks.toggle(index)}
      none={t('plots.noMatch')}
      group={grouped}
      own={own}
      noFilter={NO_PLOT_FILTER}
    />
  );
}

/** How many rows there are, and of each group. */
function about(rows: readonly PlotRow[]): string {
  const counts = countBy(rows, ({ group }) => group);
  const groups = GROUPS.filter((group) => counts.has(group));
  return [
    t('plots.all', { count: rows.length }),
    ...groups.map((group) => `${t(`plotGroup.${group}`)} ${formatNumber(counts.get(group) ?? 0)}`),
  ].join(' · ');
}

const MEASURED: ReadonlySet<string> = new Set(['lost']);

function columns(marks: Marks, reviews: Reviews): readonly ResultsColumn<PlotRow>[] {
  return [
    markColumn(marks),
    indexColumn,
    {
      key: 'result',
      title: t('plots.result'),
      width: '194px',
      sortable: true,
      staysWithDetail: true,
      whenNarrow: '174px',
      cell: ({ group, result }) => <GroupBadge group={group} result={result} />,
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(120px, 1.6fr)',
      sortable: true,
      staysWithDetail: true,
      whenNarrow: 'minmax(0, 1fr)',
      cell: ({ name, id }) => <PlaceName name={name} id={id} />,
    },
    {
      key: 'area',
      title: t('plots.area'),
      width: '84px',
      sortable: true,
      align: 'end',
      cell: ({ areaHa }) => (areaHa === null ? <Unknown /> : formatQuantity(areaHa)),
    },
    {
      key: 'lost',
      title: t('plots.lost'),
      width: '84px',
      sortable: true,
      align: 'end',
      cell: ({ lostHa, type }) =>
        lostHa !== null ? formatQuantity(lostHa) : type === 'facility' ? <span class="muted">–</span> : <Unknown />,
    },
    reviewColumn(reviews),
    {
      key: 'country',
      title: t('column.country'),
      width: '100px',
      sortable: true,
      cell: shownCountry,
    },
    commodityColumn(),
    {
      key: 'confidence',
      title: t('collections.confidence'),
      width: 'minmax(98px, 0.6fr)',
      sortable: true,
      cell: ({ confidence }) => <Confidence value={confidence} />,
    },
  ];
}

function Unknown() {
  return <span class="muted small">{t('unknown')}</span>;
}
