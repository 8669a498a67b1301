import { t, tWord } from '../../../text/translate.ts';
import type { Collection } from '../collection.ts';
import { ProcessForm } from './process-form.tsx';

/** What became of a collection that nothing works on and that has no results, or whose last batch came to nothing; what to do. */
export function Stopped({ collection, onChange }: { readonly collection: Collection; readonly onChange: () => void }) {
  const { status, counts, task } = collection;
  const last = task?.status === 'failed' || task?.status === 'cancelled' ? task.status : null;
  if (counts !== null && last === null) return null;
  const ended = counts === null ? status : last;
  const error = collection.error ?? task?.error ?? null;
  return (
    <div class="page narrow">
      <div
        class="notice"
        data-kind={ended === 'failed' ? 'error' : undefined}
        role={ended === 'failed' ? 'alert' : undefined}
      >
        <strong>{tWord('stopped', counts === null ? status : `again_${last}`)}</strong>
        {error !== null && <p>{error.detail}</p>}
        <p>{tWord('stoppedHint', counts === null ? status : 'again')}</p>
      </div>
      {counts === null && (
        <section class="card" aria-labelledby="process-title">
          <h2 id="process-title">{t(status === 'staged' ? 'batch.process' : 'batch.again')}</h2>
          <ProcessForm collection={collection} onStart={onChange} />
        </section>
      )}
    </div>
  );
}
