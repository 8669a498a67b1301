import { signal, type Signal } from '@preact/signals';

/** A table whose columns can be chosen. */
export type TableName = 'facilities' | 'plots';

/** Which columns are shown, and in which order; columns that it does not name stand where they stood at first. */
interface ColumnChoice {
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Columns of the file itself that are shown: those are hidden at first. */
  readonly own?: readonly string[];
}

const AS_AT_FIRST: ColumnChoice = { order: [], hidden: [] };
/** What always stands first: marks and numbers of rows. */
const FIXED = new Set(['mark', 'index']);

const choices = new Map<TableName, Signal<ColumnChoice>>();

/** Before the name of a column of the file itself. */
const OWN = 'own.';

/** The key of a column that the file has under a name. */
export function ownKey(name: string): string {
  return `${OWN}${name}`;
}

/** The name that the file has for a column; null for a column of the results. */
export function ownName(key: string): string | null {
  return key.startsWith(OWN) ? key.slice(OWN.length) : null;
}

/** Whether a choice shows a column. */
export function isShown(key: string, { hidden, own = [] }: ColumnChoice): boolean {
  return ownName(key) === null ? !hidden.includes(key) : own.includes(key);
}

/** Whether somebody chose columns or their order. */
export function isChosen({ order, hidden, own = [] }: ColumnChoice): boolean {
  return order.length + hidden.length + own.length > 0;
}

/** The choice with a column shown or hidden. */
export function turned(choice: ColumnChoice, key: string): ColumnChoice {
  const list = ownName(key) === null ? 'hidden' : 'own';
  const before = choice[list] ?? [];
  return { ...choice, [list]: before.includes(key) ? before.filter((one) => one !== key) : [...before, key] };
}

/** The choice for a table, which this browser remembers. */
export function columnChoice(table: TableName): Signal<ColumnChoice> {
  let choice = choices.get(table);
  if (choice === undefined) {
    choice = signal(read(table));
    choices.set(table, choice);
  }
  return choice;
}

/** Remembers a choice; null: as at first. */
export function chooseColumns(table: TableName, choice: ColumnChoice | null): void {
  columnChoice(table).value = choice ?? AS_AT_FIRST;
  if (choice === null) localStorage.removeItem(keyOf(table));
  else localStorage.setItem(keyOf(table), JSON.stringify(choice));
}

function keyOf(table: TableName): string {
  return `firstmile.columns.${table}`;
}

function read(table: TableName): ColumnChoice {
  try {
    const { order, hidden, own } = JSON.parse(localStorage.getItem(keyOf(table)) ?? '{}') as Partial<ColumnChoice>;
    return { order: words(order), hidden: words(hidden), own: words(own) };
  } catch {
    return AS_AT_FIRST;
  }
}

function words(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}

/** Columns that can be chosen. */
export function choosable<C extends { readonly key: string }>(columns: readonly C[]): readonly C[] {
  return columns.filter(({ key }) => !FIXED.has(key));
}

/** All columns in the order of a choice, those that are hidden among them. */
export function ordered<C extends { readonly key: string }>(
  columns: readonly C[],
  { order }: ColumnChoice,
): readonly C[] {
  const fixed = columns.filter(({ key }) => FIXED.has(key));
  const place = new Map(order.map((key, i) => [key, i]));
  const known = choosable(columns).filter(({ key }) => place.has(key));
  known.sort((a, b) => place.get(a.key)! - place.get(b.key)!);
  // Those that the choice names take the places that they have among all, in its order.
  let next = 0;
  return [...fixed, ...choosable(columns).map((column) => (place.has(column.key) ? known[next++]! : column))];
}

/** The columns that are shown; never none. */
export function arranged<C extends { readonly key: string }>(
  columns: readonly C[],
  choice: ColumnChoice,
): readonly C[] {
  const all = ordered(columns, choice);
  const shown = all.filter(({ key }) => FIXED.has(key) || isShown(key, choice));
  return choosable(shown).length === 0 ? all.filter(({ key }) => ownName(key) === null) : shown;
}

/** The order with one column moved to the place of another, in the list of those that can be chosen. */
export function moved(keys: readonly string[], from: number, to: number): readonly string[] {
  if (to < 0 || to >= keys.length) return keys;
  const rest = keys.toSpliced(from, 1);
  return rest.toSpliced(to, 0, keys[from]!);
}
