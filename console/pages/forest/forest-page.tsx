import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import { call } from '../../api/client.ts';
import { EMPTY } from '../../map/base-style.ts';
import { boundsOf } from '../../map/bounds-of.ts';
import { MapView } from '../../map/map-view.tsx';
import { NotAllowed } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { useLoad, type Loaded } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { BatchForm } from './batch-form.tsx';
import { forestLayers, FOREST_SOURCES } from './forest-layers.ts';
import { drawn, lookUp, readPlace, writePlace, type ForestAnswer, type Place } from './lookup.ts';
import { parcelAt, parcelData, ParcelNote } from './parcel.tsx';
import { PatchList } from './patch-list.tsx';
import { PatchPanel } from './patch-panel.tsx';
import { PlaceForm } from './place-form.tsx';

/** Forest: click anywhere and the patch that holds the place appears, or look up many places at once. */
export function ForestPage() {
  if (!may('forest')) return <NotAllowed title={t('forest.notAllowed')} text={t('forest.needsScope')} />;
  return <Allowed />;
}

function Allowed() {
  const at = param('at');
  const task = param('task');
  const showRaw = param('raw') === '1';
  const withParcels = param('parcels') === '1';
  const place = useMemo(() => readPlace(at), [at]);
  const [single, findAgain] = useLoad(place === null ? null : (at ?? ''), (signal) =>
    lookUp(place === null ? [] : [place], null, signal),
  );
  const batch = useBatch(task);
  const [parcel, findParcelAgain] = useLoad(place === null || !withParcels ? null : `${at}`, (signal) =>
    parcelAt(place as Place, signal),
  );
  const answer = task !== null ? readyOf(batch.loaded) : place === null ? null : readyOf(single);
  const chosen = task === null ? 0 : Math.max(0, Number(param('sel') ?? 0));
  const data = useMemo(() => {
    const shown = answer === null ? { patches: EMPTY, raw: EMPTY, points: pointOf(place) } : drawn(answer);
    return { ...shown, raw: showRaw ? shown.raw : EMPTY, parcels: withParcels ? parcelData(readyOf(parcel)) : EMPTY };
  }, [answer, showRaw, place, parcel, withParcels]);
  const fit = useMemo(() => (answer === null ? null : boundsOf([data.patches, data.points])), [answer]);

  return (
    <div class="split">
      <div class="split-side">
        <header class="page-head">
          <h1>{t('forest.title')}</h1>
          <p class="muted">{t('forest.lead')}</p>
        </header>
        <PlaceForm key={at ?? ''} place={place} />
        {task !== null ? (
          <BatchResult batch={batch} chosen={chosen} />
        ) : place === null ? (
          <BatchForm />
        ) : (
          <>
            <WhenLoaded loaded={single} onAgain={findAgain} waiting={t('forest.looking')}>
              {(found) => <PatchPanel answer={found} index={0} places={[place]} />}
            </WhenLoaded>
            {withParcels && <ParcelNote loaded={parcel} onAgain={findParcelAgain} />}
            <button type="button" class="button" onClick={() => setParams({ at: null, parcels: null }, 'push')}>
              {t('forest.back')}
            </button>
          </>
        )}
      </div>
      <div class="split-map">
        <MapView
          label={t('forest.mapLabel')}
          sources={FOREST_SOURCES}
          layers={forestLayers}
          data={data}
          fit={fit}
          fitZoom={16}
          crosshair
          pick={['patches', 'points']}
          onClick={({ lon, lat, features }) => {
            const index = features[0]?.['index'];
            if (task !== null && typeof index === 'number') setParams({ sel: index });
            else setParams({ at: writePlace({ lon, lat }), task: null, sel: null }, 'push');
          }}
        />
      </div>
    </div>
  );
}

function pointOf(place: Place | null): FeatureCollection {
  if (place === null) return EMPTY;
  const geometry = { type: 'Point' as const, coordinates: [place.lon, place.lat] };
  return { type: 'FeatureCollection', features: [{ type: 'Feature', properties: { found: false }, geometry }] };
}

interface Batch {
  readonly loaded: Loaded<ForestAnswer>;
  readonly reload: () => void;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
}

const POLL_MS = 1_000;

/** The results of a batch, once its task has completed. */
function useBatch(task: string | null): Batch {
  const [progress, setProgress] = useState<Batch['progress']>(null);
  const [loaded, reload] = useLoad(task, async (signal) => {
    const path = { task_id: task ?? '' };
    for (;;) {
      const state = await call('getForestTask', { path, signal });
      setProgress(state.progress);
      if (state.status !== 'processing') break;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      signal.throwIfAborted();
    }
    return await call('getForestResults', { path, accept: 'application/geo+json', signal });
  });
  useEffect(() => setProgress(null), [task]);
  return { loaded, reload, progress };
}

function BatchResult({ batch, chosen }: { readonly batch: Batch; readonly chosen: number }) {
  const { loaded, reload, progress } = batch;
  return (
    <>
      {loaded.state === 'loading' && progress !== null ? (
        <Progress label={t('forest.looking')} {...progress} />
      ) : (
        <WhenLoaded loaded={loaded} onAgain={reload}>
          {(answer) => (
            <>
              <PatchList answer={answer} chosen={chosen} />
              <PatchPanel answer={answer} index={chosen} places={placesOf(answer)} />
            </>
          )}
        </WhenLoaded>
      )}
      {loaded.state !== 'loading' && (
        <button type="button" class="button" onClick={() => setParams({ task: null, sel: null }, 'push')}>
          {t('forest.back')}
        </button>
      )}
    </>
  );
}

function placesOf({ features }: ForestAnswer): readonly Place[] {
  return features.flatMap(({ properties: { input_point: at } }) =>
    at === null ? [] : [{ lon: at[0] ?? 0, lat: at[1] ?? 0 }],
  );
}

function readyOf<T>(loaded: Loaded<T>): T | null {
  return loaded.state === 'ready' ? loaded.value : null;
}
