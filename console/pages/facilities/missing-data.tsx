import { useEffect, useRef, useState } from 'preact/hooks';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import type { Preview } from '../../parts/review-file/reading.ts';
import { FetchData, RegionData } from '../../parts/review-file/region-data.tsx';
import { unfetchedOf } from '../../parts/review-file/use-file-review.ts';
import { t, tWord } from '../../text/translate.ts';
import { lookAt, type Order } from './submit.ts';

/** The theme of data that an indicator is read from. */
const THEMES: Readonly<Record<string, string>> = {
  road_access: 'roads',
  building_presence: 'buildings',
  poi_presence: 'businesses',
  commodity_presence: 'commodity',
};

interface MissingDataProps {
  /** The rows that something is not known of, as a file of places. */
  readonly make: () => Promise<Blob>;
  readonly order: Order;
  /** Indicators that are not known and would change the answer. */
  readonly open: readonly string[];
  /** Those of them whose source could not be read; of one place alone. */
  readonly unread?: readonly string[];
  /** It is about one place, whose open indicators are listed one by one. */
  readonly isOne?: boolean;
  /** Checks the same rows again. */
  readonly onCheck: () => Promise<void>;
}

/**
 * What would settle what is not known: the data that is missing around the rows, what of it can be fetched and how large it is, a
 * button that fetches it, and a check of the same rows with it. What there is data of is not listed. Nothing is kept of the rows
 * until then.
 */
export function MissingData({ make, order, open, unread = [], isOne = false, onCheck }: MissingDataProps) {
  /** At first, and as it is now. */
  const [regions, setRegions] = useState<readonly [Region, Region] | null>(null);
  const region = regions?.[1] ?? null;
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
      setRegions((before) => [before?.[0] ?? found.region, found.region]);
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

  // What can be fetched now is said to be that, whatever kept it from being read before.
  const silent = unread.filter((name) => regions === null || (themeOf(name, regions[0])?.to_fetch ?? 0) === 0);
  const again = (
    <button type="button" class="button small" disabled={isBusy} onClick={() => void check()}>
      {t('marks.again')}
    </button>
  );
  return (
    <div class="missing-data">
      {silent.length > 0 && (
        <p class="notice" data-kind="warn">
          {t('missing.unread', { what: silent.map((name) => tWord('indicator', name)).join(', ') })}{' '}
          {unfetched === null && again}
        </p>
      )}
      {regions !== null &&
        (isOne ? (
          <>
            <OpenIndicators indicators={open.filter((name) => !silent.includes(name))} regions={regions} />
            <FetchData region={regions[1]} isBusy={isBusy} isKept onFetch={() => void look(true)} />
          </>
        ) : (
          <RegionData
            region={regions[1]}
            isBusy={isBusy}
            open={openThemes(open, regions[0])}
            onFetch={() => void look(true)}
          />
        ))}
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

type Region = Preview['region'];

/** The themes that lack data of which something else would follow. */
function openThemes(indicators: readonly string[], { themes }: Region): ReadonlySet<string> {
  const wanted = new Set(indicators.map((name) => THEMES[name]));
  return new Set(themes.filter((theme) => wanted.has(theme.theme) && isLacking(theme)).map(({ theme }) => theme));
}

function isLacking({ missing, to_fetch: toFetch }: Region['themes'][number]): boolean {
  return missing > 0 || toFetch > 0;
}

interface OpenIndicatorsProps {
  readonly indicators: readonly string[];
  readonly regions: readonly [first: Region, now: Region];
}

/** What is not known of one place, each with what is missing for it. */
function OpenIndicators({ indicators, regions: [first, now] }: OpenIndicatorsProps) {
  if (indicators.length === 0) return null;
  return (
    <ul class="open-indicators">
      {indicators.map((name) => (
        <li key={name}>
          <strong>{tWord('indicator', name)}</strong>: <span class="muted">{t(stateOf(name, first, now))}</span>
        </li>
      ))}
    </ul>
  );
}

function themeOf(indicator: string, { themes }: Region) {
  return themes.find(({ theme }) => theme === THEMES[indicator]);
}

function stateOf(indicator: string, first: Region, now: Region) {
  const [before, after] = [themeOf(indicator, first), themeOf(indicator, now)];
  if (before === undefined || after === undefined || after.missing > 0) return 'missing.none';
  if (after.to_fetch > 0) return 'missing.fetchable';
  return isLacking(before) ? 'missing.there' : 'missing.partly';
}
