import { useRef, useState } from 'preact/hooks';
import { Field } from '../../../parts/field.tsx';
import { FileDrop } from '../../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { Sending, type Sent } from '../../../parts/files/sending.tsx';
import { FileReviewCard, NotReady } from '../../../parts/review-file/file-review.tsx';
import { useFileReview } from '../../../parts/review-file/use-file-review.ts';
import { goTo } from '../../../state/address.ts';
import { t } from '../../../text/translate.ts';
import { BatchFields } from './batch-fields.tsx';
import { lookAt, processBatch, stage, USUAL_ORDER, type BatchOrder } from './batch-order.ts';
import { keepWarnings } from './batch-warnings.tsx';

/** A file becomes a collection. It is looked at first, and nothing of it is stored before it is processed or kept. */
export function NewCollection() {
  const [file, setFile] = useState<File | null>(null);
  const [isSending, setSending] = useState(false);
  const chosen = useRef(0);
  return (
    <section aria-labelledby="new-title">
      <h2 id="new-title">{t('collections.new')}</h2>
      <FileDrop
        label={file === null ? t('facilities.choose') : t('collections.otherFile')}
        hint={t('facilities.formats')}
        disabled={isSending}
        isSmall={file !== null}
        onFile={(given) => {
          chosen.current++;
          setFile(given);
        }}
      />
      {file !== null && <ChosenFile key={chosen.current} file={file} onSending={setSending} />}
    </section>
  );
}

interface ChosenFileProps {
  readonly file: File;
  readonly onSending: (isSending: boolean) => void;
}

function ChosenFile({ file, onSending }: ChosenFileProps) {
  const review = useFileReview(file, lookAt, { limit: 'collection_mb' });
  const [name, setName] = useState(() => file.name.replace(/\.[^.]+$/, '').slice(0, 200));
  const [description, setDescription] = useState('');
  const [order, setOrder] = useState<BatchOrder>(USUAL_ORDER);
  const [sending, setSending] = useState<AbortController | null>(null);
  const [sent, setSent] = useState<Sent>(null);
  const [error, setError] = useState<unknown>(null);

  function send(abort: AbortController | null): void {
    setSending(abort);
    onSending(abort !== null);
  }

  async function start(what: 'process' | 'keep'): Promise<void> {
    const abort = new AbortController();
    send(abort);
    setSent(null);
    setError(null);
    review.remember();
    const given = {
      file,
      name: name.trim() === '' ? file.name.slice(0, 200) : name.trim(),
      description,
      reading: review.reading,
    };
    try {
      const onSent = (...bytes: readonly [number, number]): void => setSent(bytes);
      const work =
        what === 'process'
          ? await processBatch(given, order, abort.signal, onSent)
          : await stage(given, abort.signal, onSent);
      keepWarnings(work);
      onSending(false);
      goTo('collections', { id: work.collection_id });
    } catch (reason) {
      if (!abort.signal.aborted) setError(reason);
      send(null);
    }
  }

  return (
    <form
      class="card new-collection"
      onSubmit={(event) => {
        event.preventDefault();
        void start('process');
      }}
    >
      <FileReviewCard review={review} refusedHint={t('collections.refusedHint')}>
        <Names name={name} onName={setName} description={description} onDescription={setDescription} />
        <fieldset class="bare batch-fields">
          <legend>{t('batch.options')}</legend>
          <BatchFields order={order} onChange={(part) => setOrder({ ...order, ...part })} hasReview />
        </fieldset>
        {error !== null && (
          <ErrorNotice error={error}>
            <p>{t('collections.refusedHint')}</p>
          </ErrorNotice>
        )}
        {sending === null ? (
          <StartButtons review={review} onKeep={() => void start('keep')} />
        ) : (
          <Sending
            sent={sent}
            onCancel={() => {
              sending.abort();
              send(null);
            }}
          />
        )}
      </FileReviewCard>
    </form>
  );
}

interface StartButtonsProps {
  readonly review: ReturnType<typeof useFileReview>;
  readonly onKeep: () => void;
}

function StartButtons({ review, onKeep }: StartButtonsProps) {
  return (
    <div class="actions">
      <button type="submit" class="button primary" disabled={!review.isReady}>
        {t('batch.start')}
      </button>
      <button type="button" class="button" disabled={review.looking !== null || review.error !== null} onClick={onKeep}>
        {t('collections.keepOnly')}
      </button>
      <NotReady review={review} />
    </div>
  );
}

interface NamesProps {
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly description: string;
  readonly onDescription: (description: string) => void;
}

function Names({ name, onName, description, onDescription }: NamesProps) {
  return (
    <div class="grid-2">
      <Field label={t('collections.name')}>
        {(id) => (
          <input id={id} required maxLength={200} value={name} onInput={(event) => onName(event.currentTarget.value)} />
        )}
      </Field>
      <Field label={t('collections.description')} hint={t('collections.descriptionHint')}>
        {(id, describedBy) => (
          <input
            id={id}
            aria-describedby={describedBy}
            maxLength={2_000}
            value={description}
            onInput={(event) => onDescription(event.currentTarget.value)}
          />
        )}
      </Field>
    </div>
  );
}
