import { useMemo } from 'preact/hooks';
import { PlaceName } from '../../../parts/place-name.tsx';
import { commodityColumn, indexColumn, ResultsTable, type ResultsColumn } from '../../../parts/results-table.tsx';
import { language, t } from '../../../text/translate.ts';
import { Confidence } from './confidence.tsx';
import { formatQuantity } from '../format-quantity.ts';
import type { PlotRow } from './plot-row.ts';
import { ResultBadge } from './result-badge.tsx';
import { NO_PLOT_FILTER, type PlotSelection } from './select-plots.ts';

interface PlotsTableProps {
  readonly rows: readonly PlotRow[];
  readonly isMeasured: boolean;
  readonly selection: PlotSelection;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

/** Locations as rows. */
export function PlotsTable({ rows, isMeasured, selection, selected, onSelect }: PlotsTableProps) {
  const shown = useMemo(
    () => columns().filter(({ key }) => isMeasured || !MEASURED.has(key)),
    [isMeasured, language.value],
  );
  return (
    <ResultsTable
      label={t('collection.plots')}
      rows={rows}
      columns={shown}
      selection={selection}
      selected={selected}
      onSelect={onSelect}
      none={t('plots.noMatch')}
      noFilter={NO_PLOT_FILTER}
    />
  );
}

const MEASURED: ReadonlySet<string> = new Set(['result', 'lost']);

function columns(): readonly ResultsColumn<PlotRow>[] {
  return [
    indexColumn,
    {
      key: 'result',
      title: t('plots.result'),
      width: '204px',
      sortable: true,
      staysWithDetail: true,
      cell: ({ result }) => <ResultBadge result={result} />,
    },
    {
      key: 'name',
      title: t('column.name'),
      width: 'minmax(130px, 1.6fr)',
      sortable: true,
      staysWithDetail: true,
      cell: ({ name, id }) => <PlaceName name={name} id={id} />,
    },
    {
      key: 'area',
      title: t('plots.area'),
      width: '100px',
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
    commodityColumn(),
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
