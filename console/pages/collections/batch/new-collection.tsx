import { useState } from 'preact/hooks';
import { Field } from '../../../parts/field.tsx';
import { FileDrop } from '../../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { Sending, type Sent } from '../../../parts/files/sending.tsx';
import { goTo } from '../../../state/address.ts';
import { formatNumber, t, tWord } from '../../../text/translate.ts';
import { BatchFields } from './batch-fields.tsx';
import { checkFile, processBatch, stage, USUAL_ORDER, type BatchOrder, type CheckedFile } from './batch-order.ts';
import { keepWarnings } from './batch-warnings.tsx';
import { ColumnTable } from '../../../parts/files/column-table.tsx';

/** A file becomes a collection: kept, or processed at once; or it is looked at first, and nothing of it is stored. */
export function NewCollection() {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [order, setOrder] = useState<BatchOrder>(USUAL_ORDER);
  const [sending, setSending] = useState<AbortController | null>(null);
  const [sent, setSent] = useState<Sent>(null);
  const [error, setError] = useState<unknown>(null);
  const [checked, setChecked] = useState<CheckedFile | null>(null);

  function take(given: File): void {
    setFile(given);
    setError(null);
    setChecked(null);
    if (name === '') setName(given.name.replace(/\.[^.]+$/, '').slice(0, 200));
  }

  /** What was found of the file was found with the options of before. */
  function change(wanted: BatchOrder): void {
    setOrder(wanted);
    setChecked(null);
  }

  async function start(what: 'process' | 'keep' | 'check'): Promise<void> {
    if (file === null) return;
    const abort = new AbortController();
    setSending(abort);
    setSent(null);
    setError(null);
    setChecked(null);
    const given = { file, name: name.trim() === '' ? file.name.slice(0, 200) : name.trim(), description };
    try {
      const onSent = (...bytes: readonly [number, number]): void => setSent(bytes);
      if (what === 'check') {
        const found = await checkFile(given, order, abort.signal, onSent);
        if (abort.signal.aborted) return;
        setChecked(found);
        setSending(null);
        return;
      }
      const work =
        what === 'process'
          ? await processBatch(given, order, abort.signal, onSent)
          : await stage(given, abort.signal, onSent);
      keepWarnings(work);
      goTo('collections', { id: work.collection_id });
    } catch (reason) {
      if (!abort.signal.aborted) setError(reason);
      setSending(null);
    }
  }

  return (
    <section aria-labelledby="new-title">
      <h2 id="new-title">{t('collections.new')}</h2>
      {error !== null && (
        <ErrorNotice error={error}>
          <p>{t('collections.refusedHint')}</p>
        </ErrorNotice>
      )}
      <FileDrop
        label={file === null ? t('facilities.choose') : t('collections.otherFile')}
        hint={t('facilities.formats')}
        disabled={sending !== null}
        onFile={take}
      />
      {file !== null && (
        <form
          class="card new-collection"
          onSubmit={(event) => {
            event.preventDefault();
            void start('process');
          }}
        >
          <p class="mono chosen-file" role="status">
            {file.name} · {fileSize(file.size)}
          </p>
          <div class="grid-2">
            <div>
              <Field label={t('collections.name')}>
                {(id) => (
                  <input
                    id={id}
                    required
                    maxLength={200}
                    value={name}
                    onInput={(event) => setName(event.currentTarget.value)}
                  />
                )}
              </Field>
              <Field label={t('collections.description')} hint={t('collections.descriptionHint')}>
                {(id, describedBy) => (
                  <input
                    id={id}
                    aria-describedby={describedBy}
                    maxLength={2_000}
                    value={description}
                    onInput={(event) => setDescription(event.currentTarget.value)}
                  />
                )}
              </Field>
            </div>
            <fieldset class="bare batch-fields">
              <legend>{t('batch.options')}</legend>
              <BatchFields order={order} onChange={(part) => change({ ...order, ...part })} />
            </fieldset>
          </div>
          {sending === null ? (
            <div class="actions">
              <button type="submit" class="button primary">
                {t('batch.start')}
              </button>
              <button type="button" class="button" onClick={() => void start('check')}>
                {t('batch.checkFirst')}
              </button>
              <button type="button" class="button" onClick={() => void start('keep')}>
                {t('collections.keepOnly')}
              </button>
            </div>
          ) : (
            <Sending
              sent={sent}
              onCancel={() => {
                sending.abort();
                setSending(null);
              }}
            />
          )}
          {checked !== null && <Checked found={checked} />}
        </form>
      )}
    </section>
  );
}

export function fileSize(bytes: number): string {
  return bytes < 1e6 ? `${formatNumber(Math.max(1, Math.round(bytes / 1e3)))} kB` : `${formatNumber(bytes / 1e6)} MB`;
}

const COUNTS = [
  'locations',
  'plots',
  'facilities',
  'with_geometry',
  'to_geocode',
  'without_place',
  'producers',
  'plots_without_producer',
] as const;

/** What a file would become: how its columns are read, what it holds and what is wrong with it. Nothing of it is stored. */
function Checked({ found }: { readonly found: CheckedFile }) {
  const { mapping, counts, problems, remarks } = found;
  return (
    <section class="checked-file" aria-labelledby="checked-title">
      <h3 id="checked-title">{t('checked.title')}</h3>
      <p role="status">{t('checked.notStored', { format: found.format })}</p>
      <dl class="figures">
        {COUNTS.map((name) => (
          <div key={name} class="figure">
            <dt>{tWord('counts', name)}</dt>
            <dd>{formatNumber(counts[name])}</dd>
          </div>
        ))}
      </dl>
      <h4>{t('checked.problems')}</h4>
      {problems.length === 0 && <p>{t('checked.noProblems')}</p>}
      <ul class="checked-problems">
        {problems.map(({ code, count, example, fix }) => (
          <li key={code}>
            <strong>{tWord('warning', code)}</strong> ({formatNumber(count)}):{' '}
            <span lang="en">
              {example} {fix}
            </span>
          </li>
        ))}
      </ul>
      {remarks.map((remark) => (
        <p key={remark} lang="en">
          {remark}
        </p>
      ))}
      {mapping.map(({ name, skipped, columns }, i) => (
        <div key={i}>
          <h4>{name ?? t('checked.columns')}</h4>
          {skipped !== null && <p lang="en">{skipped}</p>}
          {columns.length > 0 && <ColumnTable columns={columns} />}
        </div>
      ))}
    </section>
  );
}
