import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';

export const FOREST_SOURCES = { patches: {}, raw: {}, points: {}, parcels: {} };

/** Patches filled, what they were before smoothing as a line over them, and the places looked up. */
export function forestLayers(theme: MapTheme): LayerSpecification[] {
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
