import { setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import { GROUPS, type GroupKey } from './group-rows.ts';

/** What the rows are grouped by; it stands in the address as `group`. */
export function GroupChoice({ group }: { readonly group: GroupKey | null }) {
  return (
    <select
      aria-label={t('group.by')}
      value={group ?? ''}
      onChange={(event) => setParams({ group: event.currentTarget.value })}
    >
      <option value="">{t('group.none')}</option>
      {GROUPS.map((key) => (
        <option key={key} value={key}>
          {t(`group.${key}`)}
        </option>
      ))}
    </select>
  );
}
