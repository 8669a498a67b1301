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
import { t, formatNumber, tWord } from '../../text/translate.ts';
import { BatchForm } from './batch-form.tsx';
import { drawn, lookUp, readPlace, writePlace, type ForestAnswer, type Place } from './lookup.ts';
import { parcelAt, parcelData, ParcelNote } from './parcel.tsx';
import { PatchPanel } from './patch-panel.tsx';
import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { Field } from '../../parts/field.tsx';

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

const FOREST_SOURCES = { patches: {}, raw: {}, points: {}, parcels: {} };

/** Patches filled, what they were before smoothing as a line over them, and the places looked up. */
function forestLayers(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  return [
    { id: 'patches', type: 'fill', source: 'patches', paint: { 'fill-color': colours.forest, 'fill-opacity': 0.35 } },
    { id: 'patch-lines', type: 'line', source: 'patches', paint: { 'line-color': colours.forest, 'line-width': 2.2 } },
    { id: 'raw', type: 'line', source: 'raw', paint: { 'line-color': colours.raw, 'line-width': 1.4 } },
    {
      id: 'parcels',
      type: 'line',
      source: 'parcels',
      paint: { 'line-color': colours.ring, 'line-width': 2, 'line-dasharray': [3, 2] },
    },
    {
      id: 'points',
      type: 'circle',
      source: 'points',
      paint: {
        'circle-color': ['case', ['get', 'found'], colours.accent, colours.raw],
        'circle-radius': 5.5,
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 2,
      },
    },
  ];
}

/** The answers of a batch, one a line; the chosen one is described below. */
function PatchList({ answer, chosen }: { readonly answer: ForestAnswer; readonly chosen: number }) {
  const found = answer.features.filter(({ geometry }) => geometry !== null).length;
  return (
    <section>
      <h2>{t('forest.found', { found, count: answer.features.length })}</h2>
      <ol class="patch-list" tabIndex={0} aria-label={t('forest.list')}>
        {answer.features.map(({ properties: p }, i) => (
          <li key={i}>
            <button type="button" aria-pressed={i === chosen} onClick={() => setParams({ sel: i })}>
              <span class="muted">{i + 1}</span>
              <span class="mono">{p.input_point === null ? '–' : `${p.input_point[1]}, ${p.input_point[0]}`}</span>
              <span>
                {p.area_ha === null
                  ? tWord('warning', p.warnings[0]?.code ?? 'invalid_point')
                  : `${formatNumber(p.area_ha)} ha`}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A place of the sample district that lies in forest. */
const SAMPLE: Place = { lon: 102.61, lat: 4.6 };

/** A place by its coordinates: the same as a click, for those who do not click. */
function PlaceForm({ place }: { readonly place: Place | null }) {
  const [text, setText] = useState(place === null ? '' : writePlace(place).replace(',', ', '));
  const found = readPlace(text);
  const go = (to: Place): void => setParams({ at: writePlace(to), task: null, sel: null, map: null }, 'push');
  return (
    <form
      class="row place-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (found !== null) go(found);
      }}
    >
      <Field label={t('forest.place')}>
        {(id) => (
          <input
            id={id}
            inputMode="decimal"
            placeholder="4.6, 102.61"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="button primary" disabled={found === null}>
        {t('forest.find')}
      </button>
      <button type="button" class="button" onClick={() => go(SAMPLE)}>
        {t('forest.sample')}
      </button>
    </form>
  );
}
