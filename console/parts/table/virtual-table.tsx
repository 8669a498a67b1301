import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { pointAt, pointed } from '../../map/pointed.ts';
import { isOnPaper } from '../../state/theme.ts';
import { t } from '../../text/translate.ts';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** In place of the title, where that is no text. */
  readonly head?: ComponentChildren;
  /** CSS width in a grid, such as `80px` or `minmax(120px, 1fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sortable?: boolean;
  readonly align?: 'end';
}

interface VirtualTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** Whether rows in another order or other groups are being made. */
  readonly isBusy?: boolean;
  /** The same list as long as nothing about it changes. */
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => number;
  readonly sort: string;
  readonly descending: boolean;
  readonly onSort: (key: string, descending: boolean) => void;
  readonly selected: number | null;
  readonly onSelect: (row: Row) => void;
  /** Space marks a row where this is there, and opens it otherwise. */
  readonly onMark?: (row: Row) => void;
  /** Whether the columns fit into any width: the table is not to be moved sideways, and cells have two lines. */
  readonly isShort?: boolean;
  /** Whether cells have half of the room around them. */
  readonly isClose?: boolean;
  readonly empty: ComponentChildren;
  /** What is written over all columns of a row in place of its cells; null: its cells. Such a row cannot be opened. */
  readonly headingOf?: (row: Row) => ComponentChildren | null;
  /** Called for a row with a heading in place of opening it. */
  readonly onHeading?: (row: Row) => void;
}

/** Pixels of a row: all are alike, so that only those in view are drawn. */
const ROW = 36;
/** Rows drawn beyond the view. */
const MORE = 8;
/** Rows that are printed: some ten pages. */
const MOST_PRINTED = 300;

/** A table of any length. Arrows, Page, Home and End move through it, Enter opens a row. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { rows, columns, idOf, selected } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const template = columns.map(({ width }) => width).join(' ');
  const height = useHeight(scroller);
  const [active, setActive] = useActive(props, scroller);
  const onKeyDown = keysOf(props, { active, height, setActive, scroller });
  const isHeading = (row: Row): boolean => isHeadingOf(props, row);

  const isPrinted = isOnPaper.value;
  const first = isPrinted ? 0 : Math.max(0, Math.floor(top / ROW) - MORE);
  const last = Math.min(rows.length, isPrinted ? MOST_PRINTED : Math.ceil((top + height) / ROW) + MORE);
  const current = Math.min(active, Math.max(0, rows.length - 1));

  return (
    <div
      class="vtable"
      data-short={props.isShort === true}
      data-close={props.isClose === true}
      style={props.isShort === true ? { '--table-width': '0px' } : undefined}
      role="grid"
      aria-label={props.label}
      aria-busy={props.isBusy === true}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={rows.length === 0 ? undefined : `row-${current}`}
      tabIndex={0}
      ref={scroller}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onMouseLeave={() => pointAt()}
      onBlur={() => pointAt()}
    >
      <div class="vtable-head" role="rowgroup">
        <div class="vtable-row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {columns.map((column) => (
            <HeadCell key={column.key} column={column} {...props} />
          ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <NoRows>{props.empty}</NoRows>
      ) : (
        <div class="vtable-body" role="rowgroup" style={{ height: `${rows.length * ROW}px` }}>
          {rows.slice(first, last).map((row, i) => {
            const index = first + i;
            return (
              <BodyRow
                key={idOf(row)}
                row={row}
                index={index}
                columns={columns}
                heading={props.headingOf?.(row) ?? null}
                template={template}
                isSelected={idOf(row) === selected}
                isActive={index === current}
                isPointed={idOf(row) === pointed.value.row}
                onPoint={() => pointAt(isHeading(row) ? {} : { row: idOf(row) })}
                onClick={() => {
                  setActive(index);
                  if (!isHeading(row)) props.onSelect(row);
                }}
              />
            );
          })}
        </div>
      )}
      {isPrinted && last < rows.length && (
        <p class="vtable-rest">{t('print.rows', { shown: last, count: rows.length })}</p>
      )}
    </div>
  );
}

function isHeadingOf<Row>({ headingOf }: Pick<VirtualTableProps<Row>, 'headingOf'>, row: Row): boolean {
  return (headingOf?.(row) ?? null) !== null;
}

/** Pixels of the table, as they change with the page. */
function useHeight(scroller: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(600);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const watch = new ResizeObserver(() => setHeight(box.clientHeight));
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  return height;
}

/** Place of the row that keys are about: a row that is opened becomes it, and comes into view. */
function useActive<Row>(
  { rows, idOf, selected }: VirtualTableProps<Row>,
  scroller: RefObject<HTMLElement | null>,
): readonly [number, (index: number) => void] {
  const [active, setActive] = useState(0);
  const at = selected === null ? -1 : rows.findIndex((row) => idOf(row) === selected);
  useEffect(() => {
    if (at < 0) return;
    setActive(at);
    reveal(scroller.current, at);
  }, [at]);
  return [active, setActive];
}

/** Scrolls no farther than it takes to see a row. */
function reveal(box: HTMLElement | null, index: number): void {
  if (box === null) return;
  const seen = box.clientHeight - ROW;
  if (index * ROW < box.scrollTop) box.scrollTop = index * ROW;
  else if ((index + 1) * ROW > box.scrollTop + seen) box.scrollTop = (index + 1) * ROW - seen;
}

interface Moving {
  readonly active: number;
  readonly height: number;
  readonly setActive: (index: number) => void;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** What the keys do. */
function keysOf<Row>(props: VirtualTableProps<Row>, { active, height, setActive, scroller }: Moving) {
  const { rows, idOf } = props;
  const move = (to: number): void => {
    const index = Math.max(0, Math.min(rows.length - 1, to));
    setActive(index);
    reveal(scroller.current, index);
    const row = rows[index];
    pointAt(row === undefined || isHeadingOf(props, row) ? {} : { row: idOf(row) });
  };
  return (event: KeyboardEvent): void => {
    // Keys of a button in the head are its own.
    if (event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = steps[event.key];
    const row = rows[active];
    if (to !== undefined) move(to);
    else if (row !== undefined && isHeadingOf(props, row)) {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      props.onHeading?.(row);
    } else if (event.key === ' ' && row !== undefined && props.onMark !== undefined) props.onMark(row);
    else if ((event.key === 'Enter' || event.key === ' ') && row !== undefined) props.onSelect(row);
    else return;
    event.preventDefault();
  };
}

function NoRows({ children }: { readonly children: ComponentChildren }) {
  return (
    <div role="rowgroup">
      <div role="row">
        <div role="gridcell" class="vtable-empty">
          {children}
        </div>
      </div>
    </div>
  );
}

interface BodyRowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly Column<Row>[];
  readonly heading: ComponentChildren | null;
  readonly template: string;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly isPointed: boolean;
  readonly onPoint: () => void;
  readonly onClick: () => void;
}

/** Its cells are made again only for another row or other columns: most rows stay as they are while the table is scrolled. */
function BodyRow<Row>(props: BodyRowProps<Row>) {
  const { row, index, columns, heading, template, isSelected, isActive } = props;
  const cells = useMemo(
    () =>
      heading === null &&
      columns.map(({ key, cell, align }) => (
        <div key={key} role="gridcell" data-align={align}>
          {cell(row)}
        </div>
      )),
    [row, columns, heading === null],
  );
  return (
    <div
      id={`row-${index}`}
      class="vtable-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-active={isActive}
      style={{ gridTemplateColumns: template, transform: `translateY(${index * ROW}px)` }}
      data-pointed={props.isPointed}
      onMouseEnter={props.onPoint}
      onClick={props.onClick}
    >
      {heading === null ? (
        cells
      ) : (
        <div role="gridcell" class="vtable-group" aria-colspan={columns.length}>
          {heading}
        </div>
      )}
    </div>
  );
}

function HeadCell<Row>({
  column: { key, title, head, sortable, align },
  sort,
  descending,
  onSort,
}: { readonly column: Column<Row> } & Pick<VirtualTableProps<Row>, 'sort' | 'descending' | 'onSort'>) {
  if (sortable !== true)
    return (
      <div role="columnheader" data-align={align}>
        {head ?? title}
      </div>
    );
  const isSorted = sort === key;
  return (
    <div
      role="columnheader"
      data-align={align}
      aria-sort={isSorted ? (descending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        class="vtable-sort"
        title={t('table.sortBy', { column: title })}
        onClick={() => onSort(key, isSorted && !descending)}
      >
        {title}
        <span aria-hidden="true">{isSorted ? (descending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </div>
  );
}
