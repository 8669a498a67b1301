import { useMemo } from 'preact/hooks';
import { Empty } from '../../parts/notice.tsx';
import { VirtualTable, type Column } from '../../parts/virtual-table.tsx';
import { setParams } from '../../state/address.ts';
import { language, t, tWord } from '../../text/translate.ts';
import { Confidence } from './confidence.tsx';
import { formatQuantity } from './format-quantity.ts';
import type { PlotRow } from './plot-row.ts';
import { ResultBadge } from './result-badge.tsx';
import type { PlotSelection } from './select-plots.ts';

export interface PlotsTableProps {
  readonly rows: readonly PlotRow[];
  readonly isMeasured: boolean;
  readonly selection: PlotSelection;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

/** Locations as rows, of which any number stays smooth. */
export function PlotsTable({ rows, isMeasured, selection, selected, onSelect }: PlotsTableProps) {
  const isBeside = selected !== null;
  const shown = useMemo(
    () => columns().filter(({ key }) => (isMeasured || !MEASURED.has(key)) && (!isBeside || BESIDE_DETAIL.has(key))),
    [isMeasured, isBeside, language.value],
  );
  return (
    <VirtualTable
      label={t('collection.plots')}
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
        <Empty title={t('plots.noMatch')}>
          <button type="button" class="button" onClick={() => setParams({ res: null, q: null })}>
            {t('filter.clear')}
          </button>
        </Empty>
      }
    />
  );
}

const MEASURED: ReadonlySet<string> = new Set(['result', 'lost']);
/** What is left of the table beside the detail of a location. */
const BESIDE_DETAIL: ReadonlySet<string> = new Set(['index', 'result', 'name']);

function columns(): readonly Column<PlotRow>[] {
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
      key: 'result',
      title: t('plots.result'),
      width: '204px',
      sortable: true,
      cell: ({ result }) => <ResultBadge result={result} />,
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(130px, 1.6fr)',
      sortable: true,
      cell: ({ name, id }) =>
        name === '' ? id === '' ? <span class="muted">{t('facility.unnamed')}</span> : id : name,
    },
    {
      key: 'area',
      title: t('plots.area'),
      width: '86px',
      sortable: true,
      align: 'end',
      cell: ({ areaHa }) => (areaHa === null ? <Unknown /> : formatQuantity(areaHa)),
    },
    {
      key: 'lost',
      title: t('plots.lost'),
      width: '96px',
      sortable: true,
      align: 'end',
      cell: ({ lostHa, type }) =>
        lostHa !== null ? formatQuantity(lostHa) : type === 'facility' ? <span class="muted">–</span> : <Unknown />,
    },
    {
      key: 'country',
      title: t('column.country'),
      width: '84px',
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
    {
      key: 'confidence',
      title: t('collections.confidence'),
      width: 'minmax(104px, 0.6fr)',
      sortable: true,
      cell: ({ confidence }) => <Confidence value={confidence} />,
    },
  ];
}

function Unknown() {
  return <span class="muted">{t('unknown')}</span>;
}
