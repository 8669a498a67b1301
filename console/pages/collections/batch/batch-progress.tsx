import { useEffect, useState } from 'preact/hooks';
import { call, transport } from '../../../api/client.ts';
import { followBatch, type Task } from '../../../../clients/typescript/follow-task.ts';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { formatFixed, formatNumber, t, tWord } from '../../../text/translate.ts';
import { addSample, paceOf, type Sample } from './pace.ts';

interface BatchProgressProps {
  readonly collectionId: string;
  /** The task has ended, or is not there any more. */
  readonly onEnd: () => void;
}

/** How far the batch of a collection is: phase, pace and time left; and a way to stop it. */
export function BatchProgress({ collectionId, onEnd }: BatchProgressProps) {
  const [task, setTask] = useState<Task | null>(null);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const [isCancelling, setCancelling] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    setError(null);
    const abort = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const state of followBatch(transport, collectionId, abort.signal)) {
        setTask(state);
        const { phase, progress } = state;
        setSamples((before) => addSample(before, { atMs: performance.now(), phase, done: progress.done }));
      }
      onEnd();
    };
    follow().catch((reason: unknown) => abort.signal.aborted || setError(reason));
    return () => abort.abort(new Error('another collection is shown'));
  }, [collectionId, round]);

  async function cancel(id: string): Promise<void> {
    setCancelling(true);
    try {
      await call('cancelTask', { path: { task_id: id } });
    } catch (reason) {
      setError(reason);
      setCancelling(false);
    }
  }

  const total = task?.progress.total ?? null;
  const { perSecond, leftS } = paceOf(samples, total);
  return (
    <section class="card" aria-label={t('batch.working')}>
      {error !== null && <ErrorNotice error={error} onAgain={() => setRound(round + 1)} />}
      <Progress
        label={task?.phase == null ? t('batch.waiting') : phaseLabel(task.phase)}
        done={task?.progress.done ?? 0}
        total={total}
      />
      <p class="muted small pace">
        {perSecond !== null && (
          <span>{t('batch.rate', { rate: perSecond < 10 ? formatFixed(perSecond, 1) : Math.round(perSecond) })}</span>
        )}
        {leftS !== null && <span>{t('batch.left', { time: duration(leftS) })}</span>}
        {task !== null && task.attempt > 1 && (
          <span>{t('batch.attempt', { attempt: formatNumber(task.attempt) })}</span>
        )}
      </p>
      <p class="muted">{t('batch.leave')}</p>
      {task !== null && (
        <button type="button" class="button" disabled={isCancelling} onClick={() => void cancel(task.task_id)}>
          {t('cancel')}
        </button>
      )}
    </section>
  );
}

/** Seconds up to a minute and a half, minutes up to an hour and a half, then hours. */
function duration(seconds: number): string {
  if (seconds < 90) return t('time.seconds', { count: Math.ceil(seconds) });
  if (seconds < 5_400) return t('time.minutes', { count: Math.round(seconds / 60) });
  return t('time.hours', { count: formatFixed(seconds / 3_600, 1) });
}

/** A phase in the present language; that of fetching has numbers in it. */
function phaseLabel(phase: string): string {
  const [, done, total] = /^fetching map data, (\d+) of (\d+) cells$/.exec(phase) ?? [];
  if (done === undefined || total === undefined) return tWord('phase', phase);
  return t('phase.fetching', { done: Number(done), total: Number(total) });
}
