import { t } from '../../../text/translate.ts';
import { lookOf, type Group } from './groups.ts';
import type { Result } from './result-status.ts';

interface GroupBadgeProps {
  readonly group: Group | null;
  /** Of one plot, what one map says: said where it is not settled. Absent for a group as a whole. */
  readonly result?: Result | null;
}

/** The group of a location as a dot and words; the dots differ in shape as well as in colour. */
export function GroupBadge({ group, result }: GroupBadgeProps) {
  if (group === null) return <span class="muted">–</span>;
  const isOne = result !== undefined;
  return (
    <span class="level" data-level={lookOf(group, isOne ? result : 'more_information_needed')}>
      <span class="level-dot" aria-hidden="true" />
      <span>
        {t(`plotGroup.${group}`)}
        {isOne && group === 'open' && (result === 'unknown' || result === null) && (
          <>
            {' '}
            <span class="muted small">{t('result.unknown')}</span>
          </>
        )}
      </span>
    </span>
  );
}
