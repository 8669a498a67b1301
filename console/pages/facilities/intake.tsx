import { useEffect, useRef, useState } from 'preact/hooks';
import { FileDrop } from '../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { placesFile } from '../../parts/files/parse-places.ts';
import { PasteForm } from '../../parts/files/paste-form.tsx';
import { Sending, type Sent } from '../../parts/files/sending.tsx';
import { FileReviewCard, NotReady } from '../../parts/review-file/file-review.tsx';
import { useFileReview } from '../../parts/review-file/use-file-review.ts';
import { setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import { takeHandedFile } from '../../state/handed-file.ts';
import { RecentWork } from '../home/recent-work.tsx';
import { CheckOptions } from './check-options.tsx';
import { lookAt, submit, USUAL_ORDER, type Order } from './submit.ts';

/** Where a check begins: a file, which is looked at first, or pasted places; and how they are checked. */
export function Intake() {
  const [order, setOrder] = useState<Order>(USUAL_ORDER);
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const chosen = useRef(0);
  const start = useStart();
  const change = (part: Partial<Order>): void => setOrder({ ...order, ...part });
  const choose = (given: File): void => {
    chosen.current++;
    start.clear();
    setFile(given);
  };

  useEffect(() => {
    const given = takeHandedFile();
    if (given !== null) choose(given);
  }, []);

  return (
    <div class="intake">
      <header class="page-head">
        <h1>{t('facilities.title')}</h1>
        <p class="lead">{t('facilities.lead')}</p>
      </header>
      {start.error !== null && <ErrorNotice error={start.error} />}
      {start.sending !== null && <Sending sent={start.sent} onCancel={start.sending} />}
      <div class="intake-columns" data-review={file !== null}>
        <div class="intake-inputs">
          <FileDrop
            label={t(file === null ? 'facilities.choose' : 'collections.otherFile')}
            hint={t('facilities.formats')}
            disabled={start.sending !== null}
            isSmall={file !== null}
            onFile={choose}
          />
          {file === null ? (
            <PasteForm
              class="card paste"
              label={t('paste.label')}
              hint={t('paste.hint')}
              placeholder="4.5821, 102.6124, Mill 1"
              text={text}
              onText={setText}
              submit={(count) => t('paste.check', { count })}
              disabled={start.sending !== null}
              onPlaces={(places) => void start.begin(placesFile(places, 'places.geojson'), order)}
            >
              <button
                type="button"
                class="button small"
                onClick={() => {
                  setText(SAMPLE);
                  change({ commodity: 'palm' });
                }}
              >
                {t('paste.sample')}
              </button>
            </PasteForm>
          ) : (
            <ChosenFile
              key={chosen.current}
              file={file}
              order={order}
              onOrder={change}
              isBusy={start.sending !== null}
              onStart={(how) => void start.begin(file, how)}
            />
          )}
        </div>
        {file === null && <CheckOptions order={order} onChange={change} />}
      </div>
      <RecentWork only="checks" />
    </div>
  );
}

interface ChosenFileProps {
  readonly file: File;
  readonly order: Order;
  readonly onOrder: (part: Partial<Order>) => void;
  readonly isBusy: boolean;
  readonly onStart: (order: Order) => void;
}

/** What was understood of the file, and the button that begins its check. */
function ChosenFile({ file, order, onOrder, isBusy, onStart }: ChosenFileProps) {
  const review = useFileReview(file, (given, reading, ...rest) => lookAt(given, { ...order, ...reading }, ...rest), {
    limit: 'upload_mb',
    otherwise: `${order.locationType} ${order.geocode}`,
  });
  const { preview, isReady, reading } = review;
  return (
    <FileReviewCard review={review} tooLargeHint={t('intake.asCollection')}>
      <CheckOptions order={order} onChange={onOrder} hasReview />
      <div class="actions">
        <button
          type="button"
          class="button primary"
          disabled={!isReady || isBusy}
          onClick={() => {
            review.remember();
            onStart({ ...order, ...reading });
          }}
        >
          {t('intake.check', { count: preview?.counts.locations ?? 0 })}
        </button>
        <NotReady review={review} />
      </div>
    </FileReviewCard>
  );
}

/** Hands a file over and goes to its results. */
function useStart() {
  const [abort, setAbort] = useState<AbortController | null>(null);
  const [sent, setSent] = useState<Sent>(null);
  const [error, setError] = useState<unknown>(null);
  return {
    sent,
    error,
    /** Stops what is sent; null where nothing is. */
    sending: abort === null ? null : () => abort.abort(),
    clear: () => setError(null),
    async begin(file: File, order: Order): Promise<void> {
      const begun = new AbortController();
      setAbort(begun);
      setSent(null);
      setError(null);
      try {
        const task = await submit(file, order, begun.signal, (...bytes) => setSent(bytes));
        setParams({ task, map: null }, 'push');
      } catch (reason) {
        if (!begun.signal.aborted) setError(reason);
      } finally {
        setAbort(null);
      }
    },
  };
}

/** The mill of the sample district and its neighbours, to begin with. */
const SAMPLE =
  '4.58210, 102.61240, Kilang Sawit Contoh\n4.59900, 102.58530, Gudang Getah Contoh\n4.61020, 102.60530, Station Contoh';
