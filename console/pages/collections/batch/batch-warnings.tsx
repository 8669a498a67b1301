import { signal } from '@preact/signals';
import { tWord } from '../../../text/translate.ts';
import type { Work } from './batch-order.ts';

/** What the answer that began a batch warned of. No other answer says it, so it is kept here until another batch begins. */
const warned = signal<Pick<Work, 'collection_id' | 'warnings'> | null>(null);

export function keepWarnings({ collection_id, warnings }: Pick<Work, 'collection_id' | 'warnings'>): void {
  warned.value = { collection_id, warnings };
}

/** The warnings of the batch of this collection that was begun last. */
export function BatchWarnings({ collectionId }: { readonly collectionId: string }) {
  const kept = warned.value;
  if (kept?.collection_id !== collectionId || kept.warnings.length === 0) return null;
  return (
    <div class="page narrow working">
      {kept.warnings.map(({ code, message }) => (
        <div key={code} class="notice" data-kind="warn" role="status">
          <strong>{tWord('warning', code)}</strong>
          <p>{message}</p>
        </div>
      ))}
    </div>
  );
}
