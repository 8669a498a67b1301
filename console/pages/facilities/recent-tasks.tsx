import { call } from '../../api/client.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { goTo, hrefOf } from '../../state/address.ts';
import { formatMoment, formatNumber, t } from '../../text/translate.ts';

const KINDS = new Set(['validate_locations', 'validate_facilities']);

/** Checks of the last days whose results are still kept. */
export function RecentTasks() {
  const [loaded, reload] = useLoad('recent', (signal) => call('listTasks', { query: { limit: 50 }, signal }));
  if (loaded.state === 'loading') return null;
  if (loaded.state === 'failed')
    return (
      <section class="recent">
        <h2>{t('recent.title')}</h2>
        <ErrorNotice error={loaded.error} onAgain={reload} />
      </section>
    );
  const tasks = loaded.value.tasks.filter(({ kind }) => KINDS.has(kind)).slice(0, 8);
  if (tasks.length === 0) return null;
  return (
    <section class="recent">
      <h2>{t('recent.title')}</h2>
      <ul class="list">
        {tasks.map(({ task_id: id, status, created_at: created, progress }) => (
          <li key={id}>
            <a
              href={hrefOf('facilities', { task: id })}
              onClick={(event) => {
                event.preventDefault();
                goTo('facilities', { task: id });
              }}
            >
              {formatMoment(created)}
            </a>
            <span
              class="status"
              data-status={status === 'completed' ? 'present' : status === 'processing' ? 'unknown' : 'absent'}
            >
              {t(`task.${status}`)}
            </span>
            {progress.total !== null && (
              <span class="muted">{t('recent.rows', { count: formatNumber(progress.total) })}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
