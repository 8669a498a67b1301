import { useMemo } from 'preact/hooks';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { PlaceName } from '../../parts/place-name.tsx';
import { commodityColumn, indexColumn, ResultsTable, type ResultsColumn } from '../../parts/results-table.tsx';
import { reviewColumn } from '../../parts/reviews/review-mark.tsx';
import type { Reviews } from '../../parts/reviews/reviews.ts';
import type { OwnQuestion } from '../../parts/files/own-columns.ts';
import { markColumn } from '../../parts/table/mark-column.tsx';
import type { Marks } from '../../parts/table/marks.ts';
import { formatFixed, formatNumber, language, t, tWord } from '../../text/translate.ts';
import { countBy } from '../../parts/filter-bar.tsx';
import { GROUP_NAMES, type GroupKey } from '../../parts/table/group-rows.ts';
import { shownCountry } from '../../parts/table/shown-words.ts';
import { groupOf, INDICATORS, ROW_GROUPS, type ResultRow } from './result-row.ts';
import { NO_FILTER, type Selection } from './select-rows.ts';

interface FacilityTableProps {
  readonly rows: readonly ResultRow[];
  readonly selection: Selection;
  readonly isSorting: boolean;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
  readonly marks: Marks;
  readonly reviews: Reviews;
  readonly group: GroupKey | null;
  readonly own: ((question: OwnQuestion) => Promise<unknown>) | null;
}

/** Results as rows. */
export function FacilityTable({
  rows,
  isSorting,
  selection,
  selected,
  onSelect,
  marks,
  reviews,
  group,
  own,
}: FacilityTableProps) {
  const grouped = useMemo(
    () => (group === null ? null : { nameOf: GROUP_NAMES[group], about }),
    [group, language.value],
  );
  const all = useMemo(() => columns(marks, reviews), [language.value, marks, reviews]);
  return (
    <ResultsTable
      name="facilities"
      label={t('facilities.tableLabel')}
      rows={rows}
      columns={all}
      isSorting={isSorting}
      selection={selection}
      selected={selected}
      onSelect={onSelect}
      onMark={(index) => marks.toggle(index)}
      none={t('facilities.noMatch')}
      group={grouped}
      own={own}
      noFilter={NO_FILTER}
    />
  );
}

/** How many there are of a group, and of each kind: together they are all of it. */
function about(rows: readonly ResultRow[]): string {
  const counts = countBy(rows, groupOf);
  const kinds = ROW_GROUPS.filter((kind) => counts.has(kind));
  return [
    t('totals.all', { count: rows.length }),
    ...kinds.map(
      (kind) =>
        `${kind === 'plot' || kind === 'unprocessed' ? t(`rowGroup.${kind}`) : tWord('level', kind)} ${formatNumber(counts.get(kind) ?? 0)}`,
    ),
  ].join(' · ');
}

function columns(marks: Marks, reviews: Reviews): readonly ResultsColumn<ResultRow>[] {
  return [
    markColumn(marks),
    indexColumn,
    {
      key: 'level',
      title: t('column.level'),
      width: '120px',
      sortable: true,
      staysWithDetail: true,
      whenNarrow: '114px',
      cell: ({ level }) => <LevelBadge level={level} />,
    },
    {
      key: 'score',
      title: t('column.score'),
      width: '92px',
      sortable: true,
      align: 'end',
      staysWithDetail: true,
      whenNarrow: '88px',
      cell: scoreText,
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(124px, 1.6fr)',
      sortable: true,
      staysWithDetail: true,
      whenNarrow: 'minmax(0, 1fr)',
      cell: ({ name, id, type }) => (
        <>
          {type === 'plot' && <span class="tag before">{t('rowType.plot')}</span>}
          <PlaceName name={name} id={id} />
        </>
      ),
    },
    reviewColumn(reviews),
    {
      key: 'country',
      title: t('column.country'),
      width: 'minmax(100px, 0.7fr)',
      sortable: true,
      cell: shownCountry,
    },
    commodityColumn(),
    {
      key: 'indicators',
      title: t('column.indicators'),
      head: <Legend />,
      width: '118px',
      cell: (row) => <Marks row={row} />,
    },
    {
      key: 'warnings',
      title: t('column.warnings'),
      width: '102px',
      sortable: true,
      align: 'end',
      cell: ({ warnings }) => (warnings.length === 0 ? <span class="muted">0</span> : warnings.length),
    },
  ];
}

/** The score, or in place of an unverified one the scores that it could have. */
function scoreText({ level, score, range }: ResultRow): string {
  if (score === null) return '–';
  return level === 'unverified' && range !== null
    ? range.map((end) => formatFixed(end, 2)).join('–')
    : formatFixed(score, 2);
}

const SHOWN = [2, 3, 4, 5, 6, 7, 8] as const;
const STATUS_OF = { p: 'present', a: 'absent', u: 'unknown' } as const;

/** The title of the column, which opens what its marks mean: which indicator stands where, and what each mark says. */
function Legend() {
  return (
    <>
      <button type="button" class="vtable-sort" popovertarget="legend-of-marks" title={t('legend.open')}>
        {t('column.indicators')} <span aria-hidden="true">▾</span>
      </button>
      <div id="legend-of-marks" popover="auto" class="legend-popover">
        <strong>{t('legend.places')}</strong>
        <ol>
          {SHOWN.map((at) => (
            <li key={at}>{tWord('indicator', INDICATORS[at] ?? '')}</li>
          ))}
        </ol>
        <strong>{t('legend.marks')}</strong>
        <ul>
          {Object.values(STATUS_OF).map((status) => (
            <li key={status}>
              <span class="marks">
                <span class="mark" data-status={status} data-bad={false} />
              </span>{' '}
              {t(`status.${status}`)}
            </li>
          ))}
          <li>
            <span class="marks">
              <span class="mark" data-status="present" data-bad={true} />
            </span>{' '}
            {t('legend.bad')}
          </li>
        </ul>
      </div>
    </>
  );
}

/** The status of each scored indicator as a small mark, in words for those who cannot see it. */
function Marks({ row }: { readonly row: ResultRow }) {
  const known = SHOWN.flatMap((at) => {
    const status = STATUS_OF[row.indicators[at] as keyof typeof STATUS_OF];
    const name = INDICATORS[at];
    return status === undefined || name === undefined ? [] : [{ name, status }];
  });
  const words = known.map(({ name, status }) => `${tWord('indicator', name)}: ${t(`status.${status}`)}`).join(', ');
  // Nothing was assessed of a plot, or of a row that has no place.
  if (known.length === 0) return <span class="muted">–</span>;
  return (
    <span class="marks" role="img" aria-label={words} title={words}>
      {known.map(({ name, status }) => (
        <span key={name} class="mark" data-status={status} data-bad={name === 'high_density'} />
      ))}
    </span>
  );
}
