import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Box } from '../../map/box-polygon.ts';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { COMMODITIES, type Preview } from '../../parts/review-file/reading.ts';
import { RegionData } from '../../parts/review-file/region-data.tsx';
import { may } from '../../state/session.ts';
import { t, tWord } from '../../text/translate.ts';
import { placesOfBox } from './places-of-box.ts';

type Region = Preview['region'];

interface Found {
  readonly region: Region;
  readonly places: number;
  readonly isEveryCell: boolean;
  /** Cells that were to be fetched and were not. */
  readonly unfetched: number;
}

/** What is not known of the ground in view, theme by theme, with a button that fetches what can be fetched. */
export function MissingHere({ view }: { readonly view: Box | null }) {
  const [commodity, setCommodity] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState<{ readonly abort: AbortController; readonly isFetching: boolean } | null>(null);
  /** Of the last look, so that fetching is about what was shown and not about where the map has moved since. */
  const looked = useRef<Box | null>(null);

  async function look(box: Box, fetches: boolean): Promise<void> {
    const abort = new AbortController();
    setBusy({ abort, isFetching: fetches });
    setError(null);
    looked.current = box;
    try {
      const { places, isEveryCell } = placesOfBox(box);
      const region = await regionOf(places, commodity, fetches, abort.signal);
      const unfetched = fetches ? (region.to_fetch?.cells ?? 0) : 0;
      setFound({ region, places: places.length, isEveryCell, unfetched });
    } catch (reason) {
      if (!abort.signal.aborted) setError(reason);
    } finally {
      setBusy(null);
    }
  }

  if (!may('validate')) return <p class="notice">{t('facilities.needsScope')}</p>;
  return (
    <section class="card missing-here" aria-labelledby="missing-title">
      <h2 id="missing-title">{t('datasets.missingTitle')}</h2>
      <p class="muted small">{t('datasets.missingLead')}</p>
      <div class="missing-form">
        <CommodityChoice value={commodity} onChange={setCommodity} />
        <button
          type="button"
          class="button"
          disabled={view === null || busy !== null}
          onClick={() => view !== null && void look(view, false)}
        >
          {t('datasets.look')}
        </button>
      </div>
      {busy !== null && (
        <div class="sending">
          <Loading text={t(busy.isFetching ? 'intake.fetching' : 'intake.again')} />
          <button type="button" class="button small" onClick={() => busy.abort.abort()}>
            {t('cancel')}
          </button>
        </div>
      )}
      {error !== null && (
        <ErrorNotice error={error} onAgain={() => looked.current !== null && void look(looked.current, false)} />
      )}
      <div role="status">
        {found !== null && (
          <p class="small">
            {t(found.isEveryCell ? 'datasets.looked' : 'datasets.lookedCoarsely', { count: found.places })}
          </p>
        )}
      </div>
      {found !== null && found.unfetched > 0 && (
        <p class="notice" data-kind="warn" role="alert">
          {t('datasets.notFetched', { count: found.unfetched })}
        </p>
      )}
      {found !== null && (
        <RegionData
          region={found.isEveryCell ? found.region : { ...found.region, to_fetch: null }}
          here={t('datasets.placesWithData')}
          isBusy={busy !== null}
          onFetch={() => looked.current !== null && void look(looked.current, true)}
        />
      )}
    </section>
  );
}

function CommodityChoice({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (commodity: string) => void;
}) {
  return (
    <select aria-label={t('column.commodity')} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{t('datasets.noCommodity')}</option>
      {COMMODITIES.map((name) => (
        <option key={name} value={name}>
          {tWord('commodity', name)}
        </option>
      ))}
    </select>
  );
}

/** What is known of places, each of them as a facility and as a plot. Nothing of it is kept. */
async function regionOf(
  places: readonly (readonly [number, number])[],
  commodity: string,
  fetches: boolean,
  signal: AbortSignal,
): Promise<Region> {
  const features = places.flatMap((coordinates) =>
    ['facility', 'plot'].map((type) => ({
      type: 'Feature',
      properties: { location_type: type },
      geometry: { type: 'Point', coordinates },
    })),
  );
  const form = new FormData();
  form.set('dry_run', 'true');
  form.set('fetch_data', String(fetches));
  form.set('geocode', 'false');
  if (commodity !== '') form.set('commodity_type', commodity);
  form.set('file', new File([JSON.stringify({ type: 'FeatureCollection', features })], 'view.geojson'));
  const { region } = (await call('validateLocations', { form, signal })) as Preview;
  // Each place is two rows, which says nothing of countries.
  return { ...region, countries: [] };
}
