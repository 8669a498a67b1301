import { useMemo } from 'preact/hooks';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { PlaceName } from '../../parts/place-name.tsx';
import { commodityColumn, indexColumn, ResultsTable, type ResultsColumn } from '../../parts/results-table.tsx';
import { formatFixed, language, t, tWord } from '../../text/translate.ts';
import { INDICATORS, type ResultRow } from './result-row.ts';
import { NO_FILTER, type Selection } from './select-rows.ts';

interface FacilityTableProps {
  readonly rows: readonly ResultRow[];
  readonly selection: Selection;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

/** Results as rows. */
export function FacilityTable({ rows, selection, selected, onSelect }: FacilityTableProps) {
  const all = useMemo(columns, [language.value]);
  return (
    <ResultsTable
      label={t('facilities.tableLabel')}
      rows={rows}
      columns={all}
      selection={selection}
      selected={selected}
      onSelect={onSelect}
      none={t('facilities.noMatch')}
      noFilter={NO_FILTER}
    />
  );
}

function columns(): readonly ResultsColumn<ResultRow>[] {
  return [
    indexColumn,
    {
      key: 'level',
      title: t('column.level'),
      width: '116px',
      sortable: true,
      staysWithDetail: true,
      cell: ({ level }) => <LevelBadge level={level} />,
    },
    {
      key: 'score',
      title: t('column.score'),
      width: '96px',
      sortable: true,
      align: 'end',
      staysWithDetail: true,
      cell: scoreText,
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(140px, 1.6fr)',
      sortable: true,
      staysWithDetail: true,
      cell: ({ name, id, type }) => (
        <>
          <PlaceName name={name} id={id} />
          {type === 'plot' && <span class="tag">{t('type.plot')}</span>}
        </>
      ),
    },
    {
      key: 'country',
      title: t('column.country'),
      width: 'minmax(84px, 0.7fr)',
      sortable: true,
      cell: ({ country }) => country,
    },
    commodityColumn(),
    { key: 'indicators', title: t('column.indicators'), width: '118px', cell: (row) => <Marks row={row} /> },
    {
      key: 'warnings',
      title: t('column.warnings'),
      width: '98px',
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

/** The status of each scored indicator as a small mark, in words for those who cannot see it. */
function Marks({ row }: { readonly row: ResultRow }) {
  const known = SHOWN.flatMap((at) => {
    const status = STATUS_OF[row.indicators[at] as keyof typeof STATUS_OF];
    const name = INDICATORS[at];
    return status === undefined || name === undefined ? [] : [{ name, status }];
  });
  const words = known.map(({ name, status }) => `${tWord('indicator', name)}: ${t(`status.${status}`)}`).join(', ');
  return (
    <span class="marks" role="img" aria-label={words} title={words}>
      {known.map(({ name, status }) => (
        <span key={name} class="mark" data-status={status} data-bad={name === 'high_density'} />
      ))}
    </span>
  );
}
