import { t } from '../../text/translate.ts';
import { Chips, countBy } from '../filter-bar.tsx';
import type { ResultsColumn } from '../results-table.tsx';
import type { Reviews } from './reviews.ts';
import { REVIEW_STATES, stateOf, type ReviewState } from './reviews-of-rows.ts';

const SIGNS = { open: '○', reviewed: '◐', accepted: '✓', rejected: '✕' } as const;

/** A decision of people. It has no colour of a verdict, so that nobody takes it for one. */
export function ReviewMark({ state }: { readonly state: ReviewState }) {
  return (
    <span class="review-mark" data-review={state}>
      <span aria-hidden="true">{SIGNS[state]}</span> {t(`review.${state}`)}
    </span>
  );
}

function ReviewCell({ reviews, row }: { readonly reviews: Reviews; readonly row: number }) {
  const review = reviews.byRow.value.get(row);
  if (review === undefined) return <span class="muted">–</span>;
  return (
    <span title={[review.note, review.by].filter((text) => text !== '').join(' · ')}>
      <ReviewMark state={review.state} />
      {review.of_earlier_run && (
        <span class="muted" role="img" aria-label={t('review.earlierShort')} title={t('review.earlier')}>
          {' '}
          ↺
        </span>
      )}
    </span>
  );
}

export function reviewColumn(reviews: Reviews): ResultsColumn<{ readonly index: number; readonly commodity: string }> {
  return {
    key: 'review',
    title: t('review.title'),
    // With room for the mark of those that were decided before the last run.
    width: 'minmax(126px, 0.6fr)',
    cell: ({ index }) => <ReviewCell reviews={reviews} row={index} />,
  };
}

/** Chooses rows by what people decided; it stands in the address as `rev`. */
export function ReviewChips({
  rows,
  reviews,
  chosen,
}: {
  readonly rows: readonly { readonly index: number }[];
  readonly reviews: Reviews;
  readonly chosen: readonly ReviewState[];
}) {
  const byRow = reviews.byRow.value;
  if (byRow.size === 0 && chosen.length === 0) return null;
  const counts = countBy([...byRow.values()], ({ state }) => state);
  counts.set(
    'open',
    rows.reduce((sum, { index }) => sum + Number(stateOf(byRow, index) === 'open'), 0),
  );
  return (
    <Chips
      label={t('review.title')}
      names={REVIEW_STATES.filter((state) => (counts.get(state) ?? 0) > 0 || chosen.includes(state))}
      chosen={chosen}
      param="rev"
      counts={counts}
      look={() => 'none'}
      badge={(state) => <ReviewMark state={state} />}
    />
  );
}
