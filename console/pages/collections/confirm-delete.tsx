import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';

interface ConfirmDeleteProps {
  readonly id: string;
  readonly name: string;
  readonly onDone: () => void;
}

/** Deletes a collection, after a confirmation. */
export function ConfirmDelete({ id, name, onDone }: ConfirmDeleteProps) {
  const [error, setError] = useState<unknown>(null);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <ConfirmButton
      text={t('delete')}
      label={t('collections.deleteOne', { name })}
      question={t('collections.deleteQuestion')}
      sure={t('collections.deleteSure')}
      onSure={() => void call('deleteCollection', { path: { collection_id: id } }).then(onDone, setError)}
    />
  );
}
