import { useEffect, useState } from 'preact/hooks';
import { call, transport } from '../../api/client.ts';
import { followTask, type Task } from '../../../clients/typescript/follow-task.ts';
import { ErrorNotice, Loading, NotAllowed } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { param, setParams } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { Intake } from './intake.tsx';
import { ResultsView } from './results-view.tsx';
import { NO_RESULTS } from './select-rows.ts';

/** Facilities: a file in, its progress, and the results on a map and in a table. */
export function FacilitiesPage() {
  const taskId = param('task');
  if (taskId === null && !may('validate'))
    return <NotAllowed title={t('facilities.notAllowed')} text={t('facilities.needsScope')} />;
  return taskId === null ? <Intake /> : <TaskView key={taskId} taskId={taskId} />;
}

function TaskView({ taskId }: { readonly taskId: string }) {
  const [task, setTask] = useState<Task | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    setError(null);
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const state of followTask(transport, taskId, abort.signal)) setTask(state);
    };
    follow().catch((reason: unknown) => abort.signal.aborted || setError(reason));
    return () => abort.abort(new Error('another task is shown'));
  }, [taskId, round]);

  const again = (
    <button type="button" class="button" onClick={() => setParams(NO_RESULTS, 'push')}>
      {t('facilities.another')}
    </button>
  );
  if (error !== null)
    return (
      <div class="page">
        <h1 class="visually-hidden">{t('facilities.results')}</h1>
        <ErrorNotice error={error} onAgain={() => setRound(round + 1)}>
          {again}
        </ErrorNotice>
      </div>
    );
  if (task === null) return <Loading />;
  if (task.status === 'completed') return <ResultsView taskId={taskId} task={task} />;
  if (task.status === 'processing')
    return (
      <div class="page narrow">
        <h1>{t('facilities.checking')}</h1>
        <Progress label={t('facilities.progress')} done={task.progress.done} total={task.progress.total} />
        <p class="muted">{t('facilities.leave')}</p>
        <button type="button" class="button" onClick={() => void cancel(taskId, setTask, setError)}>
          {t('cancel')}
        </button>
      </div>
    );
  return (
    <div class="page narrow">
      <h1 class="visually-hidden">{t('facilities.results')}</h1>
      <div class="notice" data-kind="error" role="alert">
        <strong>{t(`error.task_${task.status}`)}</strong>
        {task.error !== null && <p>{task.error.detail}</p>}
        {again}
      </div>
    </div>
  );
}

async function cancel(taskId: string, onTask: (task: Task) => void, onError: (error: unknown) => void): Promise<void> {
  try {
    onTask(await call('cancelTask', { path: { task_id: taskId } }));
  } catch (error) {
    onError(error);
  }
}
