import { t } from '../../../text/translate.ts';
import { gapOf, type Collection } from '../collection.ts';

const LOOKS = {
  staged: 'staged',
  processing: 'unknown',
  completed: 'present',
  failed: 'absent',
  cancelled: 'absent',
} as const satisfies Record<Collection['status'], string>;

interface StatusBadgeProps {
  readonly collection: Pick<Collection, 'status' | 'stats' | 'counts'>;
  /** Whether a task works on it, whatever is there already. */
  readonly isWorking?: boolean;
}

/** The state of a collection in a word and a colour; green is one of which nothing is left open. */
export function StatusBadge({ collection, isWorking = false }: StatusBadgeProps) {
  const status = isWorking ? 'processing' : collection.status;
  const gap = status === 'completed' ? gapOf(collection) : null;
  return (
    <span class="status" data-status={gap === null ? LOOKS[status] : 'unknown'}>
      {gap === null ? t(`collectionStatus.${status}`) : t(`collectionStatus.${gap.name}`, { count: gap.count })}
    </span>
  );
}
