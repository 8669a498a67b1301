import { signal } from '@preact/signals';

/** What the pointer or the focus is on: a row, or an indicator of the chosen one. Table, map and evidence all mark it. */
interface Pointed {
  readonly row: number | null;
  readonly indicator: string | null;
}

const NOTHING: Pointed = { row: null, indicator: null };

export const pointed = signal<Pointed>(NOTHING);

/** Says what is pointed at; without anything, that nothing is. */
export function pointAt(what: Partial<Pointed> = {}): void {
  const next = { ...NOTHING, ...what };
  const { row, indicator } = pointed.peek();
  if (row !== next.row || indicator !== next.indicator) pointed.value = next;
}
