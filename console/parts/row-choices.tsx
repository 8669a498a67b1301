import type { ComponentChildren } from 'preact';
import { signal } from '@preact/signals';
import { address, param, type Change } from '../state/address.ts';
import { t } from '../text/translate.ts';
import { ClearFilters, SearchField } from './filter-bar.tsx';
import { SideSwitch } from './results-frame.tsx';
import { ReviewChips } from './reviews/review-mark.tsx';
import type { Reviews } from './reviews/reviews.ts';
import type { ReviewState } from './reviews/reviews-of-rows.ts';
import { GroupChoice } from './table/group-choice.tsx';
import { readGroup } from './table/group-rows.ts';

/** Whether a narrow screen shows all choices; it keeps them away otherwise, so that rows have its room. */
const isOpen = signal(false);

interface RowChoicesProps {
  readonly label: string;
  readonly rows: readonly { readonly index: number }[];
  readonly reviews: Reviews;
  /** Review states that are chosen. */
  readonly states: readonly ReviewState[];
  /** Kinds of rows. */
  readonly chips: ComponentChildren;
  /** Everything in the address that chooses rows, to be taken out of it. */
  readonly filter: Change;
  /** Files of the rows. */
  readonly exports?: ComponentChildren;
  /** What else rows are chosen by, which has no control of its own: it is always in view. */
  readonly reason?: ComponentChildren;
  /** How many rows are left. */
  readonly count?: ComponentChildren;
  /** Choices of these rows alone. */
  readonly children?: ComponentChildren;
}

/** Which rows are shown, by kind, review, group and words; all of it stands in the address. */
export function RowChoices({
  label,
  rows,
  reviews,
  states,
  chips,
  filter,
  exports,
  reason,
  count,
  children,
}: RowChoicesProps) {
  const chosen = Object.keys(filter).filter((name) => name !== 'q' && param(name) !== null).length;
  return (
    <div class="filters-line" data-open={isOpen.value}>
      <div class="filters" role="search" aria-label={label}>
        {chips}
        {reason}
        <SideSwitch />
        <button
          type="button"
          class="button small narrow-only"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {t('filter.all')}
          {chosen > 0 && <span class="count">{chosen}</span>}
        </button>
        <ReviewChips rows={rows} reviews={reviews} chosen={states} />
        <GroupChoice group={readGroup(address.value.query)} />
        {children}
        <SearchField label={t('filter.text')} />
        <ClearFilters filter={filter} />
        {count}
      </div>
      {exports}
    </div>
  );
}
