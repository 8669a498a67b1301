import type { ComponentChildren } from 'preact';
import { param, setParams, type Change } from '../state/address.ts';
import { formatNumber, t } from '../text/translate.ts';

interface ChipsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  /** Names that are chosen; none: all. */
  readonly chosen: readonly Name[];
  /** Where they stand in the address. */
  readonly param: string;
  readonly counts: ReadonlyMap<Name, number>;
  readonly look: (name: Name) => string;
  readonly badge: (name: Name) => ComponentChildren;
}

/** Kinds of rows that can be chosen, each with how many there are. */
export function Chips<Name extends string>({ label, names, chosen, counts, look, badge, ...props }: ChipsProps<Name>) {
  const toggle = (name: Name): void => {
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    setParams({ [props.param]: next.join(',') });
  };
  return (
    <div class="chips" role="group" aria-label={label}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          class="chip level"
          data-level={look(name)}
          aria-pressed={chosen.includes(name)}
          onClick={() => toggle(name)}
        >
          {badge(name)} <span class="count">{formatNumber(counts.get(name) ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}

/** Words to look for, which stand in the address as `q`. */
export function SearchField({ label }: { readonly label: string }) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={param('q') ?? ''}
      onInput={(event) => setParams({ q: event.currentTarget.value })}
    />
  );
}

/** Takes filters out of the address; there only while one of them is in it. */
export function ClearFilters({ filter }: { readonly filter: Change }) {
  if (!Object.keys(filter).some((name) => param(name) !== null)) return null;
  return (
    <button type="button" class="button small" onClick={() => setParams(filter)}>
      {t('filter.clear')}
    </button>
  );
}

/** How many of some things there are of each kind; those of no kind are left out. */
export function countBy<Item, Kind>(items: readonly Item[], kindOf: (item: Item) => Kind | null): Map<Kind, number> {
  const counts = new Map<Kind, number>();
  for (const item of items) {
    const kind = kindOf(item);
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
