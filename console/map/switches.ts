import { signal } from '@preact/signals';
import type { SetTheme } from './map-sets.ts';

/** Parts of a map that can be left out: what packs hold, segments of label stores, and the operator's tiles. */
const SWITCHES = ['ground', 'segments', 'imagery', 'terrain'] as const;
export type Switch = (typeof SWITCHES)[number];

const KEY = 'firstmile.map';

/** What is left out of every map, also the next time. */
export const leftOut = signal<ReadonlySet<Switch>>(
  new Set(SWITCHES.filter((name) => (localStorage.getItem(KEY) ?? '').split(' ').includes(name))),
);

export function turn(name: Switch, isOn: boolean): void {
  const next = new Set(leftOut.peek());
  if (isOn) next.delete(name);
  else next.add(name);
  leftOut.value = next;
  localStorage.setItem(KEY, [...next].join(' '));
}

/** The switch of a theme of vector tiles. */
export function switchOf(theme: SetTheme): Switch {
  return theme === 'segments' ? 'segments' : 'ground';
}
