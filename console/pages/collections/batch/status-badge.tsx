import { t } from '../../../text/translate.ts';
import type { Work } from './batch-order.ts';

const LOOKS = {
  staged: 'staged',
  processing: 'unknown',
  completed: 'present',
  failed: 'absent',
  cancelled: 'absent',
  unmeasured: 'unknown',
} as const satisfies Record<Work['status'] | 'unmeasured', string>;

interface StatusBadgeProps {
  readonly status: Work['status'];
  /** Whether it is completed and no dataset had data on any plot: nothing to show in green. */
  readonly isUnmeasured: boolean;
}

export function StatusBadge({ status, isUnmeasured }: StatusBadgeProps) {
  const shown = status === 'completed' && isUnmeasured ? 'unmeasured' : status;
  return (
    <span class="status" data-status={LOOKS[shown]}>
      {t(`collectionStatus.${shown}`)}
    </span>
  );
}
