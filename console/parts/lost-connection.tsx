import { formatSecond, t } from '../text/translate.ts';
import { stale } from './use-live.ts';

/** Said while the service is away and the page shows what was true before. */
export function LostConnection() {
  const [first, ...others] = stale.value.values();
  if (first === undefined) return null;
  const since = others.reduce((oldest, one) => (one < oldest ? one : oldest), first);
  return (
    <p class="lost-connection" role="status">
      {t('connection.lost', { moment: formatSecond(since.toISOString()) })}
    </p>
  );
}
