import { useRef, useState } from 'preact/hooks';
import { call, send, transport } from '../../api/client.ts';
import { followTask, type Task } from '../../../clients/typescript/follow-task.ts';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { t } from '../../text/translate.ts';
import type { Collection } from './collection.ts';
import { FilingFields, filingQuery, NOTHING_SAID, type Filing } from './filing-fields.tsx';
import { fileSize } from '../../parts/files/file-size.ts';
import { type Period } from './batch/period.ts';
import { fileStem, saveAnswer } from './save-answer.ts';
import { CUT_OFF } from '../../../src/monitoring-days.ts';

type ExportQuery = NonNullable<NonNullable<Parameters<typeof send<'exportEudrDds'>>[1]>['query']>;

type State =
  | { readonly step: 'ready' }
  | { readonly step: 'requesting' }
  | { readonly step: 'making'; readonly task: Task }
  | { readonly step: 'reading'; readonly bytes: number }
  | { readonly step: 'done'; readonly bytes: number }
  | { readonly step: 'failed'; readonly error: unknown };

/** The due diligence archive: made at once where the collection is small, else by a task that is followed. */
export function DdsExport({ collection, period }: { readonly collection: Collection; readonly period: Period }) {
  const [filing, setFiling] = useState<Filing>(NOTHING_SAID);
  const { collection_id: id, collection_name: name } = collection;
  const query = { filename: id, monitoring_start: CUT_OFF, monitoring_end: period.end, ...filingQuery(filing) };
  const { state, start, cancel, saveSignature, forget } = useArchive(query, `due-diligence-${fileStem(name)}.zip`);

  const isRunning = state.step === 'requesting' || state.step === 'making' || state.step === 'reading';
  return (
    <section class="card no-print" aria-labelledby="dds-title">
      <h2 id="dds-title">{t('dds.title')}</h2>
      <p>{t('dds.lead')}</p>
      <FilingFields
        filing={filing}
        onChange={(next) => {
          setFiling(next);
          forget();
        }}
      />
      {state.step === 'failed' && <ErrorNotice error={state.error} />}
      {(state.step === 'requesting' || state.step === 'reading') && (
        <Loading
          text={state.step === 'requesting' ? t('dds.making') : t('dds.reading', { size: fileSize(state.bytes) })}
        />
      )}
      {state.step === 'making' && (
        <Progress label={t('dds.making')} done={state.task.progress.done} total={state.task.progress.total} />
      )}
      {isRunning ? (
        <button type="button" class="button" onClick={() => void cancel()}>
          {t('cancel')}
        </button>
      ) : (
        <button type="button" class="button primary" onClick={start}>
          {t('dds.export')}
        </button>
      )}
      <p class="small" role="status">
        {state.step === 'done' && t('dds.done', { size: fileSize(state.bytes) })}
      </p>
      {state.step === 'done' && (
        <p class="actions">
          <button type="button" class="button" onClick={() => void saveSignature()}>
            {t('dds.signature')}
          </button>
          <a href="/verify" target="_blank" rel="noreferrer">
            {t('dds.verify')}
          </a>
          <span class="hint">{t('dds.signatureHint')}</span>
        </p>
      )}
      <p class="hint">{t('dds.draft')}</p>
    </section>
  );
}

/** Has the archive made, saves it as `name`, and says how far that is. */
function useArchive(query: ExportQuery, name: string) {
  const [state, setState] = useState<State>({ step: 'ready' });
  const running = useRef<AbortController | null>(null);

  async function run(signal: AbortSignal): Promise<void> {
    const request = () => send('exportEudrDds', { query, accept: 'application/zip', signal });
    let response = await request();
    if (response.status === 202) {
      const { task_id: task } = (await response.json()) as Task;
      for await (const update of followTask(transport, task, signal)) {
        setState({ step: 'making', task: update });
        if (update.status === 'failed' || update.status === 'cancelled')
          throw new Error(update.error?.detail ?? t(`task.${update.status}`));
      }
      response = await request();
    }
    let size = 0;
    await saveAnswer(response, name, (bytes) => {
      size = bytes;
      setState({ step: 'reading', bytes });
    });
    setState({ step: 'done', bytes: size });
  }

  function start(): void {
    const abort = new AbortController();
    running.current = abort;
    setState({ step: 'requesting' });
    run(abort.signal).catch((error: unknown) =>
      setState(abort.signal.aborted ? { step: 'ready' } : { step: 'failed', error }),
    );
  }

  async function cancel(): Promise<void> {
    running.current?.abort(new Error('the export was cancelled'));
    if (state.step === 'making')
      await call('cancelTask', { path: { task_id: state.task.task_id } }).catch((error: unknown) =>
        setState({ step: 'failed', error }),
      );
  }

  /** Of the archive that was made last: the request gives the same bytes again. */
  async function saveSignature(): Promise<void> {
    try {
      const response = await send('exportEudrDds', {
        query: { ...query, signature: 'detached' },
        accept: 'application/zip',
      });
      await saveAnswer(response, `${name}.sig.json`, () => {});
    } catch (error) {
      setState({ step: 'failed', error });
    }
  }

  /** What was refused or made is of another request than the next. */
  function forget(): void {
    if (state.step === 'failed' || state.step === 'done') setState({ step: 'ready' });
  }

  return { state, start, cancel, saveSignature, forget };
}
