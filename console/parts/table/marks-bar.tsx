import type { ComponentChildren } from 'preact';
import { t } from '../../text/translate.ts';
import { ReviewForm } from '../reviews/review-form.tsx';
import type { Reviews } from '../reviews/reviews.ts';
import type { Marks } from './marks.ts';

interface MarksBarProps {
  readonly marks: Marks;
  /** Those that are marked and shown, in the order of the table. */
  readonly rows: readonly { readonly index: number }[];
  readonly reviews: Reviews;
  /** What else can be done with them. */
  readonly children?: ComponentChildren;
}

/** What can be done with the marked rows; there only while some are. */
export function MarksBar({ marks, rows, reviews, children }: MarksBarProps) {
  if (rows.length === 0) return null;
  return (
    <section class="marks-bar" aria-label={t('marks.chosen', { count: rows.length })}>
      <p class="actions">
        <strong role="status">{t('marks.chosen', { count: rows.length })}</strong>
        <button type="button" class="button small" onClick={() => marks.none()}>
          {t('marks.none')}
        </button>
        {children}
      </p>
      <details>
        <summary>{t('review.record')}</summary>
        <ReviewForm reviews={reviews} rows={rows.map(({ index }) => index)} />
      </details>
    </section>
  );
}
