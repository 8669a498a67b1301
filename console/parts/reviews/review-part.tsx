import { call } from '../../api/client.ts';
import { formatMoment, t } from '../../text/translate.ts';
import { DetailPart } from '../detail.tsx';
import { ErrorNotice } from '../notice.tsx';
import { useLoad } from '../use-load.ts';
import { WhenLoaded } from '../when-loaded.tsx';
import { ReviewForm } from './review-form.tsx';
import { ReviewMark } from './review-mark.tsx';
import type { Review, Reviews } from './reviews.ts';

/** What people decided of one row, a place to decide, and everything that was decided before. */
export function ReviewPart({ reviews, row }: { readonly reviews: Reviews; readonly row: number }) {
  const review = reviews.byRow.value.get(row);
  return (
    <DetailPart title={t('review.title')}>
      {reviews.error.value !== null && <ErrorNotice error={reviews.error.value} />}
      {review === undefined ? <p class="muted">{t('review.none')}</p> : <Said review={review} />}
      <ReviewForm reviews={reviews} rows={[row]} />
      {review !== undefined && <History key={review.at} id={reviews.id} row={row} />}
    </DetailPart>
  );
}

function Said({ review }: { readonly review: Review }) {
  return (
    <>
      <p class="review-line">
        <ReviewMark state={review.state} />
        <span class="muted">
          {review.by} · {formatMoment(review.at)}
        </span>
      </p>
      {review.note !== '' && <p class="review-note">{review.note}</p>}
      {review.of_earlier_run && (
        <p class="notice" data-kind="warn">
          {t('review.earlier')}
        </p>
      )}
    </>
  );
}

function History({ id, row }: { readonly id: string; readonly row: number }) {
  const [loaded, reload] = useLoad(`${id} ${row}`, (signal) =>
    call('getReviewHistory', { path: { id, row: String(row) }, signal }),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {({ reviews }) =>
        reviews.length < 2 ? null : (
          <details class="review-history">
            <summary>{t('review.history', { count: reviews.length })}</summary>
            <ol class="evidence">
              {reviews.map((entry) => (
                <li key={entry.at}>
                  <Said review={entry} />
                </li>
              ))}
            </ol>
          </details>
        )
      }
    </WhenLoaded>
  );
}
