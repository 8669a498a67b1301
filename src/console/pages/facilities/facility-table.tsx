import { useMemo } from 'preact/hooks';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { Empty } from '../../parts/notice.tsx';
import { VirtualTable, type Column } from '../../parts/virtual-table.tsx';
import { setParams } from '../../state/address.ts';
import { formatFixed, language, t, tWord } from '../../text/translate.ts';
import { INDICATORS, type ResultRow } from './result-row.ts';
import type { Selection } from './select-rows.ts';

export interface FacilityTableProps {
  readonly rows: readonly ResultRow[];
  readonly selection: Selection;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

/** Results as rows, of which any number stays smooth. */
export function FacilityTable({ rows, selection, selected, onSelect }: FacilityTableProps) {
  const isBeside = selected !== null;
  const shown = useMemo(
    () => columns().filter(({ key }) => !isBeside || BESIDE_DETAIL.has(key)),
    [isBeside, language.value],
  );
  return (
    <VirtualTable
      label={t('facilities.tableLabel')}
      rows={rows}
      columns={shown}
      idOf={({ index }) => index}
      sort={selection.sort}
      descending={selection.descending}
      onSort={(key, descending) =>
        setParams({ sort: key === 'index' && !descending ? null : `${key}${descending ? ':desc' : ''}` })
      }
      selected={selected}
      onSelect={({ index }) => onSelect(index)}
      empty={
        <Empty title={t('facilities.noMatch')}>
          <button
            type="button"
            class="button"
            onClick={() => setParams({ level: null, ind: null, warn: null, q: null })}
          >
            {t('filter.clear')}
          </button>
        </Empty>
      }
    />
  );
}

/** What is left of the table beside the detail of a result. */
const BESIDE_DETAIL: ReadonlySet<string> = new Set(['index', 'level', 'score', 'name']);

function columns(): readonly Column<ResultRow>[] {
  return [
    {
      key: 'index',
      title: '#',
      width: '52px',
      sortable: true,
      align: 'end',
      cell: ({ index }) => <span class="muted">{index + 1}</span>,
    },
    {
      key: 'level',
      title: t('column.level'),
      width: '92px',
      sortable: true,
      cell: ({ level }) => <LevelBadge level={level} />,
    },
    {
      key: 'score',
      title: t('column.score'),
      width: '72px',
      sortable: true,
      align: 'end',
      cell: ({ score }) => (score === null ? '–' : formatFixed(score, 2)),
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(140px, 1.6fr)',
      sortable: true,
      cell: ({ name, id, type }) => (
        <>
          {name === '' ? id === '' ? <span class="muted">{t('facility.unnamed')}</span> : id : name}
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
    {
      key: 'commodity',
      title: t('column.commodity'),
      width: '92px',
      sortable: true,
      cell: ({ commodity }) => (commodity === '' ? '' : tWord('commodity', commodity)),
    },
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
