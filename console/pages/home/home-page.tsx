import { useMemo, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { call, type Answer } from '../../api/client.ts';
import { boxPolygon, type Box } from '../../map/box-polygon.ts';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { boxOfCoverage, type CoverageShape } from '../../map/coverage.ts';
import { MapView } from '../../map/map-view.tsx';
import { FileDrop } from '../../parts/files/file-drop.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { goTo, hrefOf } from '../../state/address.ts';
import { handedFile } from '../../state/handed-file.ts';
import { may } from '../../state/session.ts';
import { theme } from '../../state/theme.ts';
import { t } from '../../text/translate.ts';
import { RecentWork } from './recent-work.tsx';
import { checkSample } from './sample.ts';

/** Where one begins: a file, a sample, what was done last, and where on the map there is data. */
export function HomePage() {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function trySample(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      goTo('facilities', { task: await checkSample(new AbortController().signal) });
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }

  return (
    <div class="split wide-side home">
      <div class="split-side">
        <header class="page-head">
          <h1>{t('home.title')}</h1>
          <p class="lead">{t('home.lead')}</p>
        </header>
        {error !== null && <ErrorNotice error={error} onAgain={() => void trySample()} />}
        {may('validate') ? (
          <>
            <FileDrop
              label={t('facilities.choose')}
              hint={t('facilities.formats')}
              onFile={(file) => {
                handedFile.value = file;
                goTo('facilities');
              }}
            />
            <p class="home-sample">
              <button type="button" class="button" disabled={isBusy} onClick={() => void trySample()}>
                {t('home.sample')}
              </button>
              <span class="muted small">{t('home.sampleHint')}</span>
            </p>
          </>
        ) : (
          <p class="notice">{t('facilities.needsScope')}</p>
        )}
        <RecentWork />
      </div>
      <div class="split-map">
        <Ground />
      </div>
    </div>
  );
}

type Dataset = Answer<'getDatasets'>['datasets'][number];

const SOURCES = { ground: {} };
const layersOf = (theme: MapTheme): readonly LayerSpecification[] => [
  {
    id: 'ground',
    type: 'fill',
    source: 'ground',
    paint: { 'fill-color': MAP_COLOURS[theme].accent, 'fill-opacity': 0.12 },
  },
  {
    id: 'ground-line',
    type: 'line',
    source: 'ground',
    paint: { 'line-color': MAP_COLOURS[theme].accent, 'line-width': 1.5 },
  },
];

/** The ground of which this installation holds regional data; worldwide data has no outline. */
function Ground() {
  const [loaded] = useLoad('ground', (signal) => call('getDatasets', { signal }));
  const regional = loaded.state === 'ready' ? loaded.value.datasets.filter(isRegional) : [];
  const boxes = useMemo(
    () => [...new Map(regional.map((dataset) => [boxKey(dataset), boxOf(dataset)])).values()],
    [loaded],
  );
  const data = useMemo(
    () => ({
      ground: {
        type: 'FeatureCollection',
        features: boxes.map(boxPolygon),
      } as FeatureCollection,
    }),
    [boxes],
  );
  const { accent } = MAP_COLOURS[theme.value];
  return (
    <>
      <MapView
        label={t('home.mapLabel')}
        sources={SOURCES}
        layers={layersOf}
        data={data}
        fit={around(boxes)}
        fitZoom={8}
        legend={[
          {
            key: 'ground',
            title: t('home.legend'),
            entries: [
              {
                key: 'ground',
                text: t('home.legendGround'),
                mark: { kind: 'area', fill: accent, opacity: 0.12, edge: accent },
              },
            ],
          },
        ]}
      />
      <p class="home-ground small" role="status">
        {loaded.state === 'failed'
          ? t('home.groundUnknown')
          : loaded.state === 'ready' &&
            (boxes.length === 0 ? t('home.noGround') : t('home.ground', { count: regional.length }))}{' '}
        <a
          href={hrefOf('datasets')}
          onClick={(event) => {
            event.preventDefault();
            goTo('datasets');
          }}
        >
          {t('nav.datasets')}
        </a>
      </p>
    </>
  );
}

/** The box of all of them; null where there is none. */
function around(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const [west, south, east, north] = [0, 1, 2, 3].map((i) => boxes.map((box) => box[i]!));
  return [Math.min(...west!), Math.min(...south!), Math.max(...east!), Math.max(...north!)];
}

const boxOf = ({ coverage }: Dataset) => boxOfCoverage(coverage as CoverageShape);
const boxKey = (dataset: Dataset): string => boxOf(dataset).join(',');

/** Narrower than a continent: what covers the world says nothing of a place. */
function isRegional(dataset: Dataset): boolean {
  const [west, south, east, north] = boxOf(dataset);
  return east - west < 60 && north - south < 60;
}
