import { signal, type ReadonlySignal } from '@preact/signals';

interface Row {
  readonly index: number;
}

/** Rows of a table that are marked to do something with all of them. */
export interface Marks {
  /** Indices of rows, shown or not. */
  readonly marked: ReadonlySignal<ReadonlySet<number>>;
  /** The rows that are shown, in their order. */
  readonly rows: ReadonlySignal<readonly Row[]>;
  show(rows: readonly Row[]): void;
  /** Marks a row or takes its mark; with `isRange` all from the one before it on that are shown. */
  toggle(index: number, isRange?: boolean): void;
  /** Marks exactly the rows that are shown. */
  all(): void;
  none(): void;
}

export function createMarks(): Marks {
  const marked = signal<ReadonlySet<number>>(new Set());
  const rows = signal<readonly Row[]>([]);
  let last: number | null = null;
  return {
    marked,
    rows,
    show: (shown) => (rows.value = shown),
    toggle(index, isRange = false) {
      const next = new Set(marked.value);
      const isOn = !next.has(index);
      for (const each of isRange && last !== null ? between(rows.value, last, index) : [index])
        if (isOn) next.add(each);
        else next.delete(each);
      last = index;
      marked.value = next;
    },
    all: () => (marked.value = new Set(rows.value.map(({ index }) => index))),
    none: () => (marked.value = new Set()),
  };
}

/** The marked rows among some, in their order. */
export function markedOf<R extends Row>(rows: readonly R[], marked: ReadonlySet<number>): readonly R[] {
  return marked.size === 0 ? [] : rows.filter(({ index }) => marked.has(index));
}

function between(rows: readonly Row[], first: number, last: number): readonly number[] {
  const ends = [first, last].map((wanted) => rows.findIndex(({ index }) => index === wanted));
  if (ends.includes(-1)) return [last];
  return rows.slice(Math.min(...ends), Math.max(...ends) + 1).map(({ index }) => index);
}
