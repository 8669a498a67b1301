import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { LEVEL_COLOURS, MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { boundsOf } from '../../map/bounds-of.ts';
import { readMapPlace } from '../../map/map-place.ts';
import { MapView, type Box } from '../../map/map-view.tsx';
import { useSettled } from '../../parts/use-settled.ts';
import { param } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { OUTLINE_ZOOM, plotsInView } from './plots-in-view.ts';
import type { Plots } from './plots-view.tsx';
import { ResultBadge } from './result-badge.tsx';
import { RESULT_LOOKS, RESULTS } from './result-status.ts';

export interface PlotsMapProps {
  readonly plots: Plots;
  readonly rows: readonly PlotRow[];
  readonly selected: PlotFeature | null;
  readonly onSelect: (index: number) => void;
}

/** The locations on a map, coloured by result: dots from afar, outlines from near. */
export function PlotsMap({ plots, rows: given, selected, onSelect }: PlotsMapProps) {
  const rows = useSettled(given, SETTLED_MS, MOST_MS);
  const points = useMemo(() => pointsOf(rows), [rows]);
  const outlines = useOutlines(plots, rows);
  const chosen = useMemo(
    () => collectionOf(selected?.geometry == null ? [] : [selected as unknown as Feature]),
    [selected],
  );
  const data = useMemo(() => ({ points, outlines, chosen }), [points, outlines, chosen]);
  const fit = useMemo<Box | null>(() => roomAround([chosen]) ?? roomAround([points]), [chosen, rows.length === 0]);
  const seen = new Set(rows.map(({ result }) => result));
  return (
    <MapView
      label={t('plots.mapLabel', { count: rows.length })}
      sources={SOURCES}
      layers={layersOf}
      data={data}
      fit={fit}
      fitZoom={16}
      pick={['points', 'outlines']}
      onClick={({ features }) => {
        const index = features[0]?.['index'];
        if (typeof index === 'number') onSelect(index);
      }}
    >
      <ul class="map-legend" aria-label={t('facilities.legend')}>
        {RESULTS.filter((result) => seen.has(result)).map((result) => (
          <li key={result}>
            <ResultBadge result={result} />
          </li>
        ))}
      </ul>
    </MapView>
  );
}

/** Milliseconds that rows stay the same before they are drawn, and that drawing waits at most. */
const SETTLED_MS = 200;
const MOST_MS = 1_500;
/** Degrees around what is shown as a whole. */
const ROOM = 0.002;
const SOURCES = { points: {}, outlines: {}, chosen: {} };

/** The outlines of the locations in view, read anew as the map moves. */
function useOutlines(plots: Plots, rows: readonly PlotRow[]): FeatureCollection {
  const [outlines, setOutlines] = useState<FeatureCollection>(() => collectionOf([]));
  const place = param('map');
  const indices = useMemo(() => plotsInView(rows, readMapPlace(place), innerWidth, innerHeight), [rows, place]);
  const key = indices.join();
  useEffect(() => {
    let isCurrent = true;
    void plots
      .ask({ type: 'outlines', indices })
      .then((features) => isCurrent && setOutlines(collectionOf(features as Feature[])));
    return () => {
      isCurrent = false;
    };
  }, [plots, key]);
  return outlines;
}

function collectionOf(features: readonly Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features: [...features] };
}

function pointsOf(rows: readonly PlotRow[]): FeatureCollection {
  return collectionOf(
    rows.flatMap(({ index, result, lon, lat, type }) =>
      lon === null || lat === null
        ? []
        : [
            {
              type: 'Feature',
              properties: { index, result: result ?? 'none', type },
              geometry: { type: 'Point', coordinates: [lon, lat] },
            } as const,
          ],
    ),
  );
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const levels = LEVEL_COLOURS[theme];
  const colour = [
    'match',
    ['get', 'result'],
    ...RESULTS.flatMap((result) => [result, levels[RESULT_LOOKS[result]]]),
    levels.none,
  ] as never;
  const isArea = ['==', ['geometry-type'], 'Polygon'] as never;
  return [
    {
      id: 'outlines',
      type: 'fill',
      source: 'outlines',
      filter: isArea,
      paint: { 'fill-color': colour, 'fill-opacity': 0.4 },
    },
    {
      id: 'outline-edges',
      type: 'line',
      source: 'outlines',
      filter: isArea,
      paint: { 'line-color': colour, 'line-width': 1.5 },
    },
    {
      id: 'chosen-area',
      type: 'line',
      source: 'chosen',
      filter: isArea,
      paint: { 'line-color': colours.selected, 'line-width': 2.5 },
    },
    {
      id: 'points',
      type: 'circle',
      source: 'points',
      paint: {
        'circle-color': colour,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 3, OUTLINE_ZOOM, 4.5, 16, 6],
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 1.2,
      },
    },
    {
      id: 'chosen-point',
      type: 'circle',
      source: 'chosen',
      filter: ['==', ['geometry-type'], 'Point'] as never,
      paint: {
        'circle-color': 'transparent',
        'circle-radius': 11,
        'circle-stroke-color': colours.selected,
        'circle-stroke-width': 2,
      },
    },
  ];
}

/** The bounds of some collections with room around them. */
function roomAround(collections: readonly FeatureCollection[]): Box | null {
  const bounds = boundsOf(collections);
  if (bounds === null) return null;
  const [west, south, east, north] = bounds;
  return [west - ROOM, south - ROOM, east + ROOM, north + ROOM];
}
