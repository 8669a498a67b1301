import { t } from '../../../text/translate.ts';
import type { Work } from './batch-order.ts';

const LOOKS = {
  staged: 'staged',
  processing: 'unknown',
  completed: 'present',
  failed: 'absent',
  cancelled: 'absent',
} as const satisfies Record<Work['status'], string>;

export function StatusBadge({ status }: { readonly status: Work['status'] }) {
  return (
    <span class="status" data-status={LOOKS[status]}>
      {t(`collectionStatus.${status}`)}
    </span>
  );
}
