import { useMemo } from 'preact/hooks';
import type { Feature, FeatureCollection, Geometry } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { LEVEL_COLOURS, MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { boundsOf } from '../../map/bounds-of.ts';
import { MapView } from '../../map/map-view.tsx';
import { param, setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import type { PlotFeature } from './collection.ts';

/** The plots, coloured by what was found. */
export function PlotsMap({ plots }: { readonly plots: readonly PlotFeature[] }) {
  const chosen = param('plot') === null ? null : Number(param('plot'));
  const data = useMemo(() => {
    const all: FeatureCollection = { type: 'FeatureCollection', features: plots.flatMap(asFeature) };
    const one = all.features.filter(({ properties }) => properties?.['number'] === chosen);
    return { plots: all, chosen: { type: 'FeatureCollection' as const, features: one } };
  }, [plots, chosen]);
  const fit = useMemo(() => boundsOf([data.chosen]) ?? boundsOf([data.plots]), [data]);
  return (
    <div class="plots-map">
      <MapView
        label={t('statistics.map', { count: plots.length })}
        sources={SOURCES}
        layers={layersOf}
        data={data}
        fit={fit}
        fitZoom={15}
        pick={['plots']}
        onClick={({ features }) => {
          const number = features[0]?.['number'];
          if (typeof number === 'number') setParams({ plot: number });
        }}
      />
    </div>
  );
}

const SOURCES = { plots: {}, chosen: {} };

function asFeature({ geometry, properties }: PlotFeature): Feature[] {
  if (geometry === null) return [];
  return [
    {
      type: 'Feature',
      geometry: geometry as unknown as Geometry,
      properties: { number: properties.location_number, status: properties.eudr_status },
    },
  ];
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const levels = LEVEL_COLOURS[theme];
  const colours = MAP_COLOURS[theme];
  const colour = [
    'match',
    ['get', 'status'],
    'no_deforestation_found',
    levels.high,
    'more_information_needed',
    levels.medium,
    'deforestation_found',
    levels.low,
    levels.invalid,
  ] as unknown as string;
  return [
    { id: 'plots', type: 'fill', source: 'plots', paint: { 'fill-color': colour, 'fill-opacity': 0.45 } },
    { id: 'plot-lines', type: 'line', source: 'plots', paint: { 'line-color': colour, 'line-width': 1.5 } },
    {
      id: 'plot-points',
      type: 'circle',
      source: 'plots',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': colour,
        'circle-radius': 6,
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 1.5,
      },
    },
    { id: 'chosen', type: 'line', source: 'chosen', paint: { 'line-color': colours.selected, 'line-width': 2.5 } },
  ];
}
