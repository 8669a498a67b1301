import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import type { Preview } from '../../parts/review-file/reading.ts';
import { RegionData } from '../../parts/review-file/region-data.tsx';
import { unfetchedOf } from '../../parts/review-file/use-file-review.ts';
import { t } from '../../text/translate.ts';
import { lookAt, type Order } from './submit.ts';

interface MissingDataProps {
  /** The rows that something is not known of, as a file of places. */
  readonly make: () => Promise<Blob>;
  readonly order: Order;
  /** What is not known because its source could not be read, in words; empty for none. */
  readonly unread?: readonly string[];
  /** Checks the same rows again. */
  readonly onCheck: () => Promise<void>;
}

/**
 * What would settle what is not known: the data there is around the rows, what of it can be fetched and how large it is, a button
 * that fetches it, and a check of the same rows with it. Nothing is kept of the rows until then.
 */
export function MissingData({ make, order, unread = [], onCheck }: MissingDataProps) {
  const [region, setRegion] = useState<Preview['region'] | null>(null);
  const [isBusy, setBusy] = useState(true);
  /** Cells of map data that were to be fetched and were not; null before any was. */
  const [unfetched, setUnfetched] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef(new AbortController());

  async function look(fetches: boolean): Promise<void> {
    const { signal } = abort.current;
    setBusy(true);
    setError(null);
    try {
      const file = new File([await make()], 'rows.geojson', { type: 'application/geo+json' });
      const found = await lookAt(file, { ...order, mapping: {}, sheet: null }, fetches, signal, () => {});
      if (signal.aborted) return;
      setRegion(found.region);
      if (fetches) setUnfetched(unfetchedOf(region?.to_fetch ?? null, found.region.to_fetch));
    } catch (reason) {
      if (signal.aborted) return;
      setError(reason);
    }
    setBusy(false);
  }

  useEffect(() => {
    abort.current = new AbortController();
    void look(false);
    return () => abort.current.abort(new Error('other rows are shown'));
  }, []);

  async function check(): Promise<void> {
    setBusy(true);
    try {
      await onCheck();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }

  const again = (
    <button type="button" class="button small" disabled={isBusy} onClick={() => void check()}>
      {t('marks.again')}
    </button>
  );
  return (
    <div class="missing-data">
      {unread.length > 0 && (
        <p class="notice" data-kind="warn">
          {t('missing.unread', { what: unread.join(', ') })} {unfetched === null && again}
        </p>
      )}
      {region !== null && <RegionData region={region} isBusy={isBusy} isKept onFetch={() => void look(true)} />}
      {isBusy && <Loading text={region === null ? t('loading') : t('intake.fetching')} />}
      {error !== null && <ErrorNotice error={error} onAgain={() => void look(false)} />}
      {unfetched !== null && unfetched > 0 && !isBusy && (
        <p class="notice" data-kind="warn" role="alert">
          {t('missing.notFetched', { count: unfetched })}
        </p>
      )}
      {unfetched === 0 && (
        <p role="status">
          {t('missing.fetched')} {again}
        </p>
      )}
    </div>
  );
}
