import { useMemo } from 'preact/hooks';
import { setParams, type Change } from '../state/address.ts';
import { t, tWord } from '../text/translate.ts';
import { Empty } from './notice.tsx';
import { VirtualTable, type Column } from './virtual-table.tsx';

interface Row {
  readonly index: number;
  readonly commodity: string;
}

export interface ResultsColumn<R extends Row> extends Column<R> {
  /** Left in the table next to the detail of a row. */
  readonly staysWithDetail?: boolean;
}

interface ResultsTableProps<R extends Row> {
  readonly label: string;
  readonly rows: readonly R[];
  /** The same list as long as nothing about it changes. */
  readonly columns: readonly ResultsColumn<R>[];
  readonly selection: { readonly sort: string; readonly descending: boolean };
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
  /** Said where no row fits the filters. */
  readonly none: string;
  /** Takes the filters out of the address. */
  readonly noFilter: Change;
}

/** Rows of which one can be chosen, in the order that the address names as `sort`; any number of them stays smooth. */
export function ResultsTable<R extends Row>(props: ResultsTableProps<R>) {
  const { rows, columns, selection, selected, onSelect } = props;
  const isWhole = selected === null;
  const shown = useMemo(
    () => columns.filter(({ staysWithDetail }) => isWhole || staysWithDetail === true),
    [columns, isWhole],
  );
  return (
    <VirtualTable
      label={props.label}
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
        <Empty title={props.none}>
          <button type="button" class="button" onClick={() => setParams(props.noFilter)}>
            {t('filter.clear')}
          </button>
        </Empty>
      }
    />
  );
}

/** The number of a row in its file, from 1. */
export const indexColumn: ResultsColumn<Row> = {
  key: 'index',
  title: '#',
  width: '52px',
  sortable: true,
  align: 'end',
  staysWithDetail: true,
  cell: ({ index }) => <span class="muted">{index + 1}</span>,
};

export function commodityColumn(): ResultsColumn<Row> {
  return {
    key: 'commodity',
    title: t('column.commodity'),
    width: '104px',
    sortable: true,
    cell: ({ commodity }) => (commodity === '' ? '' : tWord('commodity', commodity)),
  };
}
