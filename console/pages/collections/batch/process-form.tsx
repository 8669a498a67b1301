import { useState } from 'preact/hooks';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { t } from '../../../text/translate.ts';
import { BatchFields } from './batch-fields.tsx';
import { keepWarnings } from './batch-warnings.tsx';
import { orderOf, processBatch, type BatchOrder, type Work } from './batch-order.ts';

/** Processes a collection that is kept already. */
export function ProcessForm({ collection, onStart }: { readonly collection: Work; readonly onStart: () => void }) {
  const [order, setOrder] = useState<BatchOrder>(() => orderOf(collection));
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function start(): Promise<void> {
    setSending(true);
    setError(null);
    try {
      keepWarnings(await processBatch(collection.collection_id, order, new AbortController().signal));
      onStart();
    } catch (reason) {
      setError(reason);
      setSending(false);
    }
  }

  return (
    <form
      class="process-form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {error !== null && <ErrorNotice error={error} />}
      <BatchFields order={order} onChange={(part) => setOrder({ ...order, ...part })} />
      <button type="submit" class="button primary" disabled={isSending}>
        {t('batch.start')}
      </button>
    </form>
  );
}
