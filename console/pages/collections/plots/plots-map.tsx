import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { LEVEL_COLOURS, MAP_COLOURS, type MapTheme } from '../../../map/colours.ts';
import { boundsOf } from '../../../map/bounds-of.ts';
import { CROWD, markLayerIds, markLayers, matchLook } from '../../../map/level-marks.ts';
import { readMapPlace } from '../../../map/map-place.ts';
import { MapView, type Box } from '../../../map/map-view.tsx';
import { useSettled } from '../../../parts/use-settled.ts';
import { param } from '../../../state/address.ts';
import { t } from '../../../text/translate.ts';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { plotsInView } from './plots-in-view.ts';
import type { Plots } from './plots-worker.ts';
import { ResultBadge } from './result-badge.tsx';
import { lookOf, RESULTS } from './result-status.ts';

interface PlotsMapProps {
  readonly plots: Plots;
  readonly rows: readonly PlotRow[];
  readonly selected: PlotFeature | null;
  /** The parts that are proposed for the chosen one, with a `colour` each; null: none are shown. */
  readonly parts: FeatureCollection | null;
  /** Whether a chosen one is still to come. */
  readonly isPending: boolean;
  readonly onSelect: (index: number) => void;
}

/** The locations on a map, coloured by result: dots from afar, outlines from near. */
export function PlotsMap({ plots, rows: given, selected, parts, isPending, onSelect }: PlotsMapProps) {
  const rows = useSettled(given, SETTLED_MS, MOST_MS);
  const points = useMemo(() => pointsOf(rows), [rows]);
  const outlines = useOutlines(plots, rows);
  const chosen = useMemo(
    () => collectionOf(selected?.geometry == null ? [] : [selected as unknown as Feature]),
    [selected],
  );
  const data = useMemo(
    () => ({ points, outlines, chosen, parts: parts ?? collectionOf([]) }),
    [points, outlines, chosen, parts],
  );
  const fit = useMemo<Box | null>(
    () => (isPending ? null : (roomAround([chosen]) ?? roomAround([points]))),
    [chosen, rows.length === 0, isPending],
  );
  const seen = new Set(rows.map(({ result }) => result));
  return (
    <MapView
      label={t('plots.mapLabel', { count: rows.length })}
      sources={SOURCES}
      layers={layersOf}
      data={data}
      fit={fit}
      fitZoom={16}
      pick={PICK}
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
const PICK = [...markLayerIds('points'), 'outlines'];
const SOURCES = { points: {}, outlines: {}, chosen: {}, parts: {} };

/** The outlines of the locations in view, read again as the map moves. */
function useOutlines(plots: Plots, rows: readonly PlotRow[]): FeatureCollection {
  const [outlines, setOutlines] = useState<FeatureCollection>(() => collectionOf([]));
  const place = param('map');
  const indices = useMemo(() => plotsInView(rows, readMapPlace(place), innerWidth, innerHeight), [rows, place]);
  const key = indices.join();
  useEffect(() => {
    let isCurrent = true;
    void plots
      .query({ type: 'outlines', indices })
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
  const crowded = rows.length > CROWD;
  return collectionOf(
    rows.flatMap(({ index, result, lon, lat }) =>
      lon === null || lat === null
        ? []
        : [
            {
              type: 'Feature',
              properties: { index, look: lookOf(result), crowded },
              geometry: { type: 'Point', coordinates: [lon, lat] },
            } as const,
          ],
    ),
  );
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const colour = matchLook(LEVEL_COLOURS[theme]);
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
      id: 'parts',
      type: 'fill',
      source: 'parts',
      paint: { 'fill-color': ['get', 'colour'] as never, 'fill-opacity': 0.65 },
    },
    {
      id: 'part-edges',
      type: 'line',
      source: 'parts',
      paint: { 'line-color': colours.selected, 'line-width': 1.5, 'line-dasharray': [2, 1.5] },
    },
    {
      id: 'chosen-area',
      type: 'line',
      source: 'chosen',
      filter: isArea,
      paint: { 'line-color': colours.selected, 'line-width': 2.5 },
    },
    ...markLayers('points', 'points', theme),
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
