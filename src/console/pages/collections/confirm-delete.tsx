import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';

export interface ConfirmDeleteProps {
  readonly id: string;
  readonly name: string;
  readonly onDone: () => void;
}

/** Deletes a collection, after asking once more. */
export function ConfirmDelete({ id, name, onDone }: ConfirmDeleteProps) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (error !== null) return <ErrorNotice error={error} />;
  if (!isAsking)
    return (
      <button
        type="button"
        class="button small danger"
        aria-label={t('collections.deleteOne', { name })}
        onClick={() => setAsking(true)}
      >
        {t('delete')}
      </button>
    );
  return (
    <span class="actions" role="group" aria-label={t('collections.deleteAsk')}>
      <span class="small">{t('collections.deleteAsk')}</span>
      <button
        type="button"
        class="button small danger"
        onClick={() => void call('deleteCollection', { path: { collection_id: id } }).then(onDone, setError)}
      >
        {t('collections.deleteSure')}
      </button>
      <button type="button" class="button small" onClick={() => setAsking(false)}>
        {t('cancel')}
      </button>
    </span>
  );
}
