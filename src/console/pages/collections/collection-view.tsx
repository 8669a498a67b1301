import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { followTask, type Task } from '../../api/follow-task.ts';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { setParams } from '../../state/address.ts';
import { formatMoment, t } from '../../text/translate.ts';
import { BatchFields } from './batch-fields.tsx';
import { CollectionActions } from './collection-actions.tsx';
import { STATUS_LOOKS } from './collection-list.tsx';
import { process, USUAL_BATCH, type BatchOptions, type Work } from './collection.ts';
import { Statistics } from './statistics.tsx';

/** One collection: its state as it changes, and what was measured of it. */
export function CollectionView({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(id, (signal) => call('getCollection', { path: { collection_id: id }, signal }));
  const back = (
    <button type="button" class="button" onClick={() => setParams({ id: null, plot: null, map: null }, 'push')}>
      {t('collections.back')}
    </button>
  );
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed')
    return (
      <div class="page narrow">
        <ErrorNotice error={loaded.error}>{back}</ErrorNotice>
      </div>
    );
  const work = loaded.value;
  return (
    <div class="page">
      <header class="page-head">
        <div class="row spread">
          <h1>
            {work.collection_name}{' '}
            <span class="status" data-status={STATUS_LOOKS[work.status]}>
              {t(`collection.${work.status}`)}
            </span>
          </h1>
          {back}
        </div>
        <p class="muted">
          {work.file.name} · {formatMoment(work.created_at)}
          {work.monitoring_start !== null && ` · ${work.monitoring_start} – ${work.monitoring_end ?? ''}`}
        </p>
      </header>
      <div class="stack">
        {work.error !== null && (
          <div class="notice" data-kind="error" role="alert">
            <strong>{t('collection.failed')}</strong>
            <p>{work.error.detail}</p>
          </div>
        )}
        {work.status === 'processing' && work.task_id !== null && <Running taskId={work.task_id} onEnd={reload} />}
        {work.status !== 'processing' && work.status !== 'completed' && <ProcessForm id={id} onStart={reload} />}
        {work.status === 'completed' && <Confidence work={work} />}
        {work.status === 'completed' && <CollectionActions work={work} onChange={reload} />}
        {work.status === 'completed' && work.stats === true && <Statistics id={id} />}
        <Delete id={id} />
      </div>
    </div>
  );
}

/** The progress of a task; says when it has ended. */
function Running({ taskId, onEnd }: { readonly taskId: string; readonly onEnd: () => void }) {
  const [task, setTask] = useState<Task | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const state of followTask(taskId, abort.signal)) setTask(state);
      onEnd();
    };
    follow().catch((reason: unknown) => abort.signal.aborted || setError(reason));
    return () => abort.abort(new Error('another collection is shown'));
  }, [taskId]);
  if (error !== null) return <ErrorNotice error={error} />;
  const label = task?.phase ?? t('collections.processing');
  return (
    <section class="card">
      <Progress label={label} done={task?.progress.done ?? 0} total={task?.progress.total ?? null} />
      <button
        type="button"
        class="button"
        onClick={() => void call('cancelTask', { path: { task_id: taskId } }).then(onEnd, setError)}
      >
        {t('cancel')}
      </button>
    </section>
  );
}

/** Processes what was staged, or what failed before, as it is wanted now. */
function ProcessForm({ id, onStart }: { readonly id: string; readonly onStart: () => void }) {
  const [options, setOptions] = useState<BatchOptions>(USUAL_BATCH);
  const [error, setError] = useState<unknown>(null);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        process(id, '', options, new AbortController().signal).then(onStart, setError);
      }}
    >
      <h2>{t('collections.process')}</h2>
      <BatchFields options={options} onChange={setOptions} />
      {error !== null && <ErrorNotice error={error} />}
      <button type="submit" class="button primary">
        {t('collections.process')}
      </button>
    </form>
  );
}

function Confidence({ work }: { readonly work: Work }) {
  const { counts, locations_confidence: confidence, confidence_reasons: reasons } = work;
  return (
    <section class="card">
      <h2>{t('collections.counted')}</h2>
      <dl class="figures">
        {counts !== null &&
          (['locations', 'plots', 'facilities', 'measured', 'problems'] as const).map((name) => (
            <div key={name} class="figure">
              <dt>{t(`collections.${name}`)}</dt>
              <dd>{counts[name]}</dd>
            </div>
          ))}
        {confidence !== null && (
          <div class="figure">
            <dt>{t('collections.confidence')}</dt>
            <dd>{confidence}</dd>
          </div>
        )}
      </dl>
      {reasons?.map((reason) => (
        <p key={reason} class="muted">
          {reason}
        </p>
      ))}
    </section>
  );
}

/** Asks once more: what was measured is gone then as well. */
function Delete({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const remove = (): void =>
    void call('deleteCollection', { path: { collection_id: id } }).then(
      () => setParams({ id: null, plot: null, map: null }),
      (reason: unknown) => setError(reason),
    );
  if (error !== null) return <ErrorNotice error={error} />;
  if (!isAsking)
    return (
      <div>
        <button type="button" class="button danger" onClick={() => setAsking(true)}>
          {t('collections.delete')}
        </button>
      </div>
    );
  return (
    <div class="notice" data-kind="warn" role="alertdialog" aria-label={t('collections.delete')}>
      <p>{t('collections.deleteAsk')}</p>
      <div class="actions">
        <button type="button" class="button danger" onClick={remove}>
          {t('collections.delete')}
        </button>
        <button type="button" class="button" onClick={() => setAsking(false)}>
          {t('cancel')}
        </button>
      </div>
    </div>
  );
}
