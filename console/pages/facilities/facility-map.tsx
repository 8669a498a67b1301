import { useMemo } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { geodesicCircle } from '../../map/geodesic-circle.ts';
import { CROWD, markLayerIds, markLayers } from '../../map/level-marks.ts';
import { MapView, type Box } from '../../map/map-view.tsx';
import { middleOf } from '../../map/middle-of.ts';
import { formatDistance, language, t } from '../../text/translate.ts';
import type { ResultFeature } from './evidence.ts';
import { LEVELS, type ResultRow } from './result-row.ts';

/** Metres within which buildings, businesses and the commodity are looked for. */
const RINGS_M = [100, 2_000, 5_000] as const;

interface FacilityMapProps {
  readonly rows: readonly ResultRow[];
  /** What the map is to show as a whole at first; null while more are read. */
  readonly extent: readonly ResultRow[] | null;
  readonly selected: ResultFeature | null;
  /** What counted around the selected one. */
  readonly counted: readonly Feature[];
  readonly onSelect: (index: number) => void;
}

/** The results on a map, coloured by level; around the chosen one the circles and what counted inside them. */
export function FacilityMap({ rows, extent, selected, counted, onSelect }: FacilityMapProps) {
  const points = useMemo(() => pointsOf(rows), [rows]);
  const around = useMemo(() => aroundOf(selected, counted), [selected, counted, language.value]);
  const data = useMemo(() => ({ results: points, ...around }), [points, around]);
  const at = selected === null ? null : middleOf(selected.geometry);
  const fit = useMemo<Box | null>(
    () => (at !== null ? boxAround(at) : extent === null ? null : boundsOf(extent)),
    [at?.join(), extent === null, extent?.length === 0],
  );
  return (
    <MapView
      label={t('facilities.mapLabel', { count: rows.length })}
      sources={SOURCES}
      layers={layersOf}
      data={data}
      fit={fit}
      pick={markLayerIds('results')}
      onClick={({ features }) => {
        const index = features[0]?.['index'];
        if (typeof index === 'number') onSelect(index);
      }}
    >
      <ul class="map-legend" aria-label={t('facilities.legend')}>
        {LEVELS.map((level) => (
          <li key={level} class="level" data-level={level}>
            <span class="level-dot" aria-hidden="true" />
            {t(`level.${level}`)}
          </li>
        ))}
        {selected !== null && counted.length > 0 && (
          <li>
            <span class="counted-mark" aria-hidden="true" />
            {t('facilities.counted')}
          </li>
        )}
      </ul>
    </MapView>
  );
}

const SOURCES = { results: {}, rings: {}, ringLabels: {}, counted: {}, selected: {} };

function pointsOf(rows: readonly ResultRow[]): FeatureCollection {
  const crowded = rows.length > CROWD;
  return {
    type: 'FeatureCollection',
    features: rows.flatMap(({ index, level, lon, lat }) =>
      lon === null || lat === null
        ? []
        : [
            {
              type: 'Feature',
              properties: { index, look: level ?? 'none', crowded },
              geometry: { type: 'Point', coordinates: [lon, lat] },
            } as const,
          ],
    ),
  };
}

function aroundOf(selected: ResultFeature | null, counted: readonly Feature[]): Record<string, FeatureCollection> {
  const at = selected === null ? null : middleOf(selected.geometry);
  const collection = (features: readonly Feature[]): FeatureCollection => ({
    type: 'FeatureCollection',
    features: [...features],
  });
  if (selected === null || selected.geometry === null || at === null)
    return { rings: collection([]), ringLabels: collection([]), counted: collection([]), selected: collection([]) };
  const rings = RINGS_M.map((radius) => geodesicCircle(at[0], at[1], radius));
  const labels = rings.map(({ geometry, properties }): Feature => {
    const [lon = 0, lat = 0] = geometry.coordinates[0]?.[0] ?? [];
    return {
      type: 'Feature',
      properties: { text: formatDistance(properties.radius_m) },
      geometry: { type: 'Point', coordinates: [lon, lat] },
    };
  });
  return {
    rings: collection(rings),
    ringLabels: collection(labels),
    counted: collection(counted),
    selected: collection([
      selected as Feature,
      { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [...at] } },
    ]),
  };
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const isKind = (kind: string) => ['==', ['geometry-type'], kind] as never;
  return [
    {
      id: 'rings',
      type: 'line',
      source: 'rings',
      paint: { 'line-color': colours.ring, 'line-width': 1.3, 'line-dasharray': [4, 3] },
    },
    {
      id: 'counted-areas',
      type: 'fill',
      source: 'counted',
      filter: isKind('Polygon'),
      paint: { 'fill-color': colours.counted, 'fill-opacity': 0.35, 'fill-outline-color': colours.counted },
    },
    {
      id: 'counted-lines',
      type: 'line',
      source: 'counted',
      filter: isKind('LineString'),
      layout: { 'line-cap': 'round' },
      paint: { 'line-color': colours.counted, 'line-width': 2, 'line-opacity': 0.75 },
    },
    {
      id: 'counted-points',
      type: 'circle',
      source: 'counted',
      filter: isKind('Point'),
      paint: {
        'circle-color': colours.counted,
        'circle-radius': 5,
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 1.5,
      },
    },
    {
      id: 'selected-area',
      type: 'line',
      source: 'selected',
      filter: isKind('Polygon'),
      paint: { 'line-color': colours.selected, 'line-width': 2 },
    },
    ...markLayers('results', 'results', theme),
    {
      id: 'selected-point',
      type: 'circle',
      source: 'selected',
      filter: isKind('Point'),
      paint: {
        'circle-color': 'transparent',
        'circle-radius': 11,
        'circle-stroke-color': colours.selected,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'ring-labels',
      type: 'symbol',
      source: 'ringLabels',
      layout: {
        'text-field': ['get', 'text'],
        'text-font': ['system-ui', 'sans-serif'],
        'text-size': 11,
        'text-anchor': 'bottom',
        'text-offset': [0, -0.2],
      },
      paint: { 'text-color': colours.ring, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    },
  ];
}

function boundsOf(rows: readonly ResultRow[]): Box | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { lon, lat } of rows) {
    if (lon === null || lat === null) continue;
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return west > east ? null : [west - 0.01, south - 0.01, east + 0.01, north + 0.01];
}

/** The circle of 2 km and some room. */
function boxAround([lon, lat]: readonly [number, number]): Box {
  const dLat = 2_200 / 111_000;
  const dLon = dLat / Math.max(0.05, Math.cos((lat * Math.PI) / 180));
  return [lon - dLon, lat - dLat, lon + dLon, lat + dLat];
}
