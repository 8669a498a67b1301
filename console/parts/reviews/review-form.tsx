import { useState } from 'preact/hooks';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { Field } from '../field.tsx';
import { ErrorNotice } from '../notice.tsx';
import { ReviewMark } from './review-mark.tsx';
import type { Reviews } from './reviews.ts';
import { REVIEW_STATES, type ReviewState } from './reviews-of-rows.ts';

/** Characters of a note. */
const MAX_NOTE = 2_000;

interface ReviewFormProps {
  readonly reviews: Reviews;
  readonly rows: readonly number[];
  readonly onDone?: () => void;
}

/** Records a decision of some rows: the note first, then the state that it is recorded with. */
export function ReviewForm({ reviews, rows, onDone }: ReviewFormProps) {
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (!may('review')) return <p class="hint">{t('review.needsScope')}</p>;

  async function record(state: ReviewState): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await reviews.record(rows, state, note.trim());
      setNote('');
      onDone?.();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="review-form" onSubmit={(event) => event.preventDefault()}>
      <Field label={t('review.note')}>
        {(id) => (
          <textarea
            id={id}
            rows={2}
            maxLength={MAX_NOTE}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        )}
      </Field>
      <p class="actions" role="group" aria-label={t('review.record')}>
        {REVIEW_STATES.map((state) => (
          <button key={state} type="button" class="button small" disabled={isBusy} onClick={() => void record(state)}>
            <ReviewMark state={state} />
          </button>
        ))}
      </p>
      {error !== null && <ErrorNotice error={error} />}
    </form>
  );
}
