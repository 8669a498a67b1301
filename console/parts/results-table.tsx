import { useEffect, useMemo, useState } from 'preact/hooks';
import { setParams, type Change } from '../state/address.ts';
import { isNarrow, isTight } from '../state/narrow.ts';
import { isOnPaper } from '../state/theme.ts';
import { t } from '../text/translate.ts';
import { Empty } from './notice.tsx';
import type { OwnQuestion } from './files/own-columns.ts';
import { arranged, columnChoice, isChosen, type TableName } from './table/column-choice.ts';
import { ColumnsMenu } from './table/columns-menu.tsx';
import { groupRows, isGroup, type RowGroup } from './table/group-rows.ts';
import { shownCommodity } from './table/shown-words.ts';
import { useRanked } from './table/use-ranks.ts';
import { useOwnColumns } from './table/use-own-columns.ts';
import { VirtualTable, type Column } from './table/virtual-table.tsx';

interface Row {
  readonly index: number;
  /** Its row as the spreadsheet shows it; absent where only the place is known. */
  readonly row?: number;
  readonly commodity: string;
}

export interface ResultsColumn<R extends Row> extends Column<R> {
  /** Left in the table next to the detail of a row. */
  readonly staysWithDetail?: boolean;
  /** Its width in a window of a phone, where nobody chose columns; without one it is in the detail of a row alone. */
  readonly whenNarrow?: string;
}

interface ResultsTableProps<R extends Row> {
  /** What its columns are remembered by. */
  readonly name: TableName;
  readonly label: string;
  readonly rows: readonly R[];
  /** Whether they are still in the order of before. */
  readonly isSorting: boolean;
  /** The same list as long as nothing about it changes. */
  readonly columns: readonly ResultsColumn<R>[];
  readonly selection: { readonly sort: string; readonly descending: boolean };
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
  readonly onMark?: (index: number) => void;
  /** Answers what the file itself had in its columns; null until all rows are read. */
  readonly own: ((question: OwnQuestion) => Promise<unknown>) | null;
  /** Said where no row fits the filters. */
  readonly none: string;
  /** What rows are grouped by; null: nothing. */
  readonly group: {
    readonly nameOf: (row: R) => string;
    /** Said of a group after its name. */
    readonly about: (rows: readonly R[]) => string;
  } | null;
  /** Takes the filters out of the address. */
  readonly noFilter: Change;
}

/** Rows of which one can be chosen, in the order that the address names as `sort`; any number of them stays smooth. */
export function ResultsTable<R extends Row>(props: ResultsTableProps<R>) {
  const { rows, selection, selected, onSelect, onMark } = props;
  const { own, find } = useOwnColumns(props.name, props.own);
  const columns = useMemo(() => [...props.columns, ...own], [props.columns, own]);
  const isWhole = selected === null;
  const choice = columnChoice(props.name).value;
  const isPrinted = isOnPaper.value;
  const isClose = isTight.value && !isNarrow.value && !isPrinted;
  const isShort = isWhole && isNarrow.value && !isOnPaper.value && !isChosen(choice);
  const shown = useMemo(() => {
    // Boxes to choose rows are of no use on paper.
    const arrangedColumns = arranged(columns, choice).filter(({ key }) => !isPrinted || key !== 'mark');
    if (isShort)
      return arrangedColumns.flatMap((column) =>
        column.whenNarrow === undefined ? [] : [{ ...column, width: column.whenNarrow }],
      );
    const kept = arrangedColumns.filter(({ staysWithDetail }) => isWhole || staysWithDetail === true);
    const all = kept.length === 0 ? arrangedColumns : kept;
    return isClose ? all.map((column) => ({ ...column, width: closer(column.width) })) : all;
  }, [columns, isWhole, isShort, isClose, isPrinted, choice]);
  const nameOf = props.group?.nameOf;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Groups of another kind have other names.
  useEffect(() => setClosed(new Set()), [nameOf]);
  const nameInGroup = useMemo(() => nameOf && ((row: R) => nameOf(row).trim()), [nameOf]);
  const { arranged: items, isRanking } = useRanked<R, readonly (R | RowGroup<R>)[]>(
    { rows, textOf: nameInGroup ?? null, first: rows },
    (ranks) => (nameOf === undefined ? rows : groupRows(rows, nameOf, closed, ranks)),
    [rows, nameOf, closed],
  );
  const turn = (item: R | RowGroup<R>): void => {
    if (!isGroup(item)) return;
    const { name } = item;
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  };
  return (
    <>
      <div class="table-tools">
        <ColumnsMenu table={props.name} columns={columns} onOpen={find} />
        {nameOf !== undefined && <GroupsTools rows={items} onClose={setClosed} />}
      </div>
      <VirtualTable<R | RowGroup<R>>
        label={props.label}
        rows={items}
        isBusy={props.isSorting || isRanking}
        // No cell is made for a heading.
        columns={shown as readonly Column<R | RowGroup<R>>[]}
        {...(props.group === null
          ? {}
          : {
              headingOf: (item: R | RowGroup<R>) =>
                isGroup(item) ? <GroupHead item={item} about={props.group!.about} onTurn={() => turn(item)} /> : null,
              onHeading: turn,
            })}
        isShort={isShort}
        isClose={isClose}
        idOf={({ index }) => index}
        sort={selection.sort}
        descending={selection.descending}
        onSort={(key, descending) =>
          setParams({ sort: key === 'index' && !descending ? null : `${key}${descending ? ':desc' : ''}` })
        }
        selected={selected}
        onSelect={({ index }) => onSelect(index)}
        {...(onMark === undefined ? {} : { onMark: ({ index }: R | RowGroup<R>) => onMark(index) })}
        empty={
          <Empty title={props.none}>
            <button type="button" class="button" onClick={() => setParams(props.noFilter)}>
              {t('filter.clear')}
            </button>
          </Empty>
        }
      />
    </>
  );
}

/** Pixels that a column needs less where cells stand close together. */
const CLOSER = 8;

/** A width with as much room for what is in the cell, and less around it. */
function closer(width: string): string {
  return width.replace(/(\d+)px/, (_, pixels) => `${Number(pixels) - CLOSER}px`);
}

/** Opens or closes all groups at once. */
function GroupsTools<R extends Row>({
  rows,
  onClose,
}: {
  readonly rows: readonly (R | RowGroup<R>)[];
  readonly onClose: (names: ReadonlySet<string>) => void;
}) {
  const groups = rows.filter(isGroup);
  return (
    <>
      <button
        type="button"
        class="button small"
        disabled={groups.every(({ isClosed }) => !isClosed)}
        onClick={() => onClose(new Set())}
      >
        {t('group.openAll')}
      </button>
      <button
        type="button"
        class="button small"
        disabled={groups.every(({ isClosed }) => isClosed)}
        onClick={() => onClose(new Set(groups.map(({ name }) => name)))}
      >
        {t('group.closeAll')}
      </button>
    </>
  );
}

function GroupHead<R extends Row>({
  item: { name, group, isClosed },
  about,
  onTurn,
}: {
  readonly item: RowGroup<R>;
  readonly about: (rows: readonly R[]) => string;
  readonly onTurn: () => void;
}) {
  return (
    <button type="button" class="group-head" aria-expanded={!isClosed} onClick={onTurn}>
      <span aria-hidden="true">{isClosed ? '▸' : '▾'}</span> <strong>{name === '' ? t('group.unnamed') : name}</strong>{' '}
      <span class="muted">{about(group)}</span>
    </button>
  );
}

/** The number of a row as its spreadsheet shows it, else its place, from 1. */
export const indexColumn: ResultsColumn<Row> = {
  key: 'index',
  title: '#',
  width: '48px',
  sortable: true,
  align: 'end',
  staysWithDetail: true,
  whenNarrow: '44px',
  cell: ({ index, row = index + 1 }) => <span class="muted">{row}</span>,
};

export function commodityColumn(): ResultsColumn<Row> {
  return {
    key: 'commodity',
    title: t('column.commodity'),
    width: '98px',
    sortable: true,
    cell: shownCommodity,
  };
}
