import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FeatureCollection, Polygon } from 'geojson';
import { call } from '../../api/client.ts';
import { EMPTY } from '../../map/base-style.ts';
import { boundsOf } from '../../map/bounds-of.ts';
import type { Box } from '../../map/box-polygon.ts';
import { FarAway } from '../../map/far-away.tsx';
import { boxAround, mainBox, MAP_LATITUDE } from '../../map/main-box.ts';
import { MapView } from '../../map/map-view.tsx';
import { NotAllowed } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { useLoad, type Loaded } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t, formatNumber, tWord } from '../../text/translate.ts';
import { BatchForm } from './batch-form.tsx';
import { drawn, lookUp, nameOf, readPlace, writePlace, type ForestAnswer, type Place } from './lookup.ts';
import { FOREST_SOURCES, forestLayers, forestLegend } from './forest-marks.ts';
import { useFalseColour } from './use-false-colour.tsx';
import { neighboursOf, placesAround } from './neighbours.ts';
import { theme } from '../../state/theme.ts';
import { parcelAt, parcelData, ParcelNote } from './parcel.tsx';
import { PatchPanel } from './patch-panel.tsx';
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
  const withNeighbours = param('neighbours') === '1';
  const patch = answer?.features[chosen] ?? null;
  const [around, findAroundAgain] = useNeighbours(withNeighbours ? patch : null);
  const data = useMemo(() => {
    const shown = answer === null ? { patches: EMPTY, raw: EMPTY, points: pointOf(place) } : drawn(answer);
    return {
      ...shown,
      raw: showRaw ? shown.raw : EMPTY,
      parcels: withParcels ? parcelData(readyOf(parcel)) : EMPTY,
      neighbours: readyOf(around)?.patches ?? EMPTY,
    };
  }, [answer, showRaw, place, parcel, withParcels, around]);
  const [allOf, showAllOf] = useState<ForestAnswer | null>(null);
  const whole = useMemo(() => {
    const boxes = (answer?.features ?? []).flatMap(boxesOf);
    return answer !== null && allOf === answer ? { box: boxAround(boxes), far: 0 } : mainBox(boxes);
  }, [answer, allOf]);
  const fit = useMemo(() => {
    const [own] = patch === null ? [] : boxesOf(patch);
    return own === undefined || whole.box === null || isWithin(own, whole.box) ? whole.box : own;
  }, [patch, whole]);

  const inputPoint = patch?.properties.input_point ?? null;
  const centre: Place | null = inputPoint === null ? place : { lon: inputPoint[0] ?? 0, lat: inputPoint[1] ?? 0 };
  const colours = useFalseColour(centre);
  const neighbourNote = withNeighbours && patch?.geometry != null && (
    <WhenLoaded loaded={around} onAgain={findAroundAgain} waiting={t('forest.lookingAround')}>
      {({ patches, counts }) => (
        <p class="small" role="status">
          {t('forest.neighboursFound', { count: patches.features.length, ...counts })}
        </p>
      )}
    </WhenLoaded>
  );

  return (
    <div class="split">
      <div class="split-side">
        <header class="page-head">
          <h1>{t('forest.title')}</h1>
          <p class="muted">{t('forest.lead')}</p>
        </header>
        <PlaceForm key={at ?? ''} place={place} />
        {task !== null ? (
          <>
            <BatchResult batch={batch} chosen={chosen} />
            {neighbourNote}
            {patch !== null && colours.panel}
          </>
        ) : place === null ? (
          <BatchForm />
        ) : (
          <>
            <WhenLoaded loaded={single} onAgain={findAgain} waiting={t('forest.looking')}>
              {(found) => <PatchPanel answer={found} index={0} places={[place]} />}
            </WhenLoaded>
            {withParcels && <ParcelNote loaded={parcel} onAgain={findParcelAgain} />}
            {neighbourNote}
            {colours.panel}
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
          fitZoom={zoomFor(answer, fit)}
          crosshair
          picture={colours.picture}
          legend={[
            forestLegend(theme.value, {
              raw: showRaw,
              parcels: withParcels,
              neighbours: withNeighbours,
              colours: colours.picture !== null,
            }),
          ]}
          pick={PICK}
          onClick={({ lon, lat, features }) => {
            const index = features[0]?.['index'];
            if (task !== null && typeof index === 'number') setParams({ sel: index });
            else setParams({ at: writePlace({ lon, lat }), task: null, sel: null }, 'push');
          }}
        >
          <FarAway count={whole.far} onAll={() => showAllOf(answer)} />
        </MapView>
      </div>
    </div>
  );
}

/** What an answer takes on the map: its place and the patch; nothing for one without either. */
function boxesOf({ geometry, properties: { input_point: at } }: ForestAnswer['features'][number]): readonly Box[] {
  const shapes = [geometry, at === null ? null : { type: 'Point', coordinates: at }];
  const features = shapes.map((shape) => ({ type: 'Feature', properties: {}, geometry: shape }));
  const box = boundsOf([{ type: 'FeatureCollection', features } as FeatureCollection]);
  return box === null ? [] : [box];
}

function isWithin(inner: Box, outer: Box): boolean {
  return inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];
}

/** How near the map goes to a patch; to a place in none so that one sees where it is, and at a pole what the map has of it. */
function zoomFor(answer: ForestAnswer | null, fit: Box | null): number {
  if (answer?.features.some(({ geometry }) => geometry !== null) === true) return 16;
  return fit !== null && Math.min(Math.abs(fit[1]), Math.abs(fit[3])) > MAP_LATITUDE ? 2 : 9;
}

/** The patches around one, looked up when they are wanted. */
function useNeighbours(patch: ForestAnswer['features'][number] | null) {
  const outline = patch?.geometry ?? null;
  const own = patch?.properties.segment_id ?? null;
  const at = patch?.properties.input_point?.join() ?? '';
  return useLoad(outline === null ? null : `around ${own} ${at}`, async (signal) =>
    neighboursOf(await lookUp(placesAround(outline as Polygon), null, signal), own),
  );
}

function pointOf(place: Place | null): FeatureCollection {
  if (place === null) return EMPTY;
  const geometry = { type: 'Point' as const, coordinates: [place.lon, place.lat] };
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { look: 'unverified', crowded: false }, geometry }],
  };
}

interface Batch {
  readonly loaded: Loaded<ForestAnswer>;
  readonly reload: () => void;
  readonly progress: { readonly done: number; readonly total: number | null } | null;
}

/** Layers of `forestLayers` that can be clicked. */
const PICK = ['points', 'patches'];
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
  return features.flatMap(({ properties }) => {
    const { input_point: at } = properties;
    return at === null ? [] : [{ lon: at[0] ?? 0, lat: at[1] ?? 0, name: nameOf(properties) }];
  });
}

function readyOf<T>(loaded: Loaded<T>): T | null {
  return loaded.state === 'ready' ? loaded.value : null;
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
              <span>
                {nameOf(p) !== '' && <strong class="patch-name">{nameOf(p)}</strong>}
                <span class="mono">{p.input_point === null ? '–' : `${p.input_point[1]}, ${p.input_point[0]}`}</span>
              </span>
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
