import { t } from '../text/translate.ts';

/** Says how many places lie far outside of what the map shows at first, and leads to a view of all. */
export function FarAway({ count, onAll }: { readonly count: number; readonly onAll: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" class="button small map-far" onClick={onAll}>
      {t('map.farAway', { count })}
    </button>
  );
}
