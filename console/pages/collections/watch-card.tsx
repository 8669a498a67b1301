import { useEffect, useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { formatMoment, t, tWord } from '../../text/translate.ts';
import { ChangedPlots, changeCounts } from './changed-plots.tsx';

type Watch = Answer<'getWatch'>;
type Run = Watch['runs'][number];

const LOOK_MS = 3_000;
/** Plots of a run that are listed; the others are at the address of the run. */
const LISTED = 20;

/** Whether the collection is measured again when data changes, and what was found otherwise each time. */
export function WatchCard({ collectionId }: { readonly collectionId: string }) {
  const [loaded, reload] = useLoad(collectionId, (signal) =>
    call('getWatch', { path: { collection_id: collectionId }, signal }),
  );
  const [error, setError] = useState<unknown>(null);
  const isWaiting =
    loaded.state === 'ready' &&
    loaded.value.watch !== null &&
    (loaded.value.watch.last_run === null || loaded.value.runs.some(({ state }) => state === 'measuring'));
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);

  function change(isWatched: boolean): void {
    setError(null);
    call(isWatched ? 'unwatchCollection' : 'watchCollection', { path: { collection_id: collectionId } }).then(
      reload,
      (reason: unknown) => setError(reason),
    );
  }

  return (
    <section class="card" aria-labelledby="watch-title">
      <h2 id="watch-title">{t('watch.title')}</h2>
      <p>{t('watch.lead')}</p>
      {error !== null && <ErrorNotice error={error} />}
      <WhenLoaded loaded={loaded} onAgain={reload}>
        {({ watch, runs }) => (
          <>
            <p class="actions">
              <button type="button" class="button" onClick={() => change(watch !== null)}>
                {watch === null ? t('watch.start') : t('watch.stop')}
              </button>
              <span role="status">
                {watch !== null && t('watch.since', { date: formatMoment(watch.watched_since) })}
              </span>
            </p>
            {watch !== null && watch.again_at !== null && (
              <p class="hint">{t('watch.again', { date: formatMoment(watch.again_at) })}</p>
            )}
            {watch !== null && runs.length === 0 && <p class="hint">{t('watch.noRuns')}</p>}
            {runs.length > 0 && (
              <ol class="evidence">
                {runs.map((run) => (
                  <RunItem key={run.run} collectionId={collectionId} run={run} />
                ))}
              </ol>
            )}
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function RunItem({ collectionId, run }: { readonly collectionId: string; readonly run: Run }) {
  const { counts } = run;
  const hasDetails = (counts?.changed ?? 0) + (counts?.not_measured ?? 0) + (counts?.only_after_not_cleared ?? 0) > 0;
  return (
    <li>
      <p>
        <strong>{t('watch.run', { number: run.run })}</strong> · {formatMoment(run.finished_at ?? run.started_at)} ·{' '}
        {tWord('watch.state', run.state)}
      </p>
      <p class="small">{run.reason ?? dataOf(run)}</p>
      {counts !== null && <p class="small">{changeCounts(counts)}</p>}
      {counts !== null && (counts.only_before ?? 0) + (counts.only_after ?? 0) > 0 && (
        <p class="small">
          {t('watch.only', {
            before: counts.only_before ?? 0,
            after: counts.only_after ?? 0,
            open: counts.only_after_not_cleared ?? 0,
          })}
        </p>
      )}
      {hasDetails && <Details collectionId={collectionId} run={run.run} />}
    </li>
  );
}

/** Why the run was begun. */
function dataOf({ datasets, run }: Run): string {
  if (datasets.length === 0) return run === 1 ? t('watch.first') : t('watch.retry');
  return datasets
    .map(({ dataset, before, after }) => `${dataset} ${before ?? t('watch.new')} → ${after ?? t('watch.removed')}`)
    .join(', ');
}

function Details({ collectionId, run }: { readonly collectionId: string; readonly run: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('watch.details')}</summary>
      {isOpen && <Changes collectionId={collectionId} run={run} />}
    </details>
  );
}

function Changes({ collectionId, run }: { readonly collectionId: string; readonly run: number }) {
  const [loaded, reload] = useLoad(`${collectionId} ${run}`, (signal) =>
    call('getWatchRun', { path: { collection_id: collectionId, run: String(run) }, signal }),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {({ changes, not_measured: missing, only_after_not_cleared: fresh }) => (
        <ChangedPlots id={collectionId} changes={changes} missing={missing} fresh={fresh} most={LISTED} />
      )}
    </WhenLoaded>
  );
}
