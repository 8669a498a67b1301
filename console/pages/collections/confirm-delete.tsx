import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';

interface ConfirmDeleteProps {
  readonly id: string;
  readonly name: string;
  readonly onDone: () => void;
}

/** Deletes a collection, after asking once more. */
export function ConfirmDelete({ id, name, onDone }: ConfirmDeleteProps) {
  const [error, setError] = useState<unknown>(null);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <AskFirst
      text={t('delete')}
      label={t('collections.deleteOne', { name })}
      question={t('collections.deleteAsk')}
      sure={t('collections.deleteSure')}
      onSure={() => void call('deleteCollection', { path: { collection_id: id } }).then(onDone, setError)}
    />
  );
}
