import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import type { LegendPart } from '../../map/legend-entry.ts';
import { markLayer } from '../../map/marks/level-marks.ts';
import { MAP_FONT } from '../../map/set-layers.ts';
import { t } from '../../text/translate.ts';
import { STANDING_LOOKS } from './lookup.ts';

/** The marks of patches and places, as far as they are shown. */
export function forestLegend(
  name: MapTheme,
  shown: Readonly<Record<'raw' | 'parcels' | 'neighbours' | 'colours', boolean>>,
): LegendPart {
  const { forest, raw, ring } = MAP_COLOURS[name];
  return {
    key: 'forest',
    title: t('forest.patch'),
    entries: [
      { key: 'patch', text: t('forest.patch'), mark: { kind: 'area', fill: forest, opacity: 0.35, edge: forest } },
      ...(shown.raw
        ? [{ key: 'raw', text: t('forest.before'), mark: { kind: 'line', colour: raw, width: 1.4 } } as const]
        : []),
      ...(shown.neighbours
        ? [
            {
              key: 'neighbours',
              text: t('forest.neighbour'),
              mark: { kind: 'area', fill: ring, opacity: 0.15, edge: ring },
            } as const,
          ]
        : []),
      ...(shown.parcels
        ? [{ key: 'parcel', text: t('forest.parcel'), mark: { kind: 'line', colour: ring, dash: '3 2' } } as const]
        : []),
      ...(shown.colours
        ? [
            {
              key: 'colours',
              text: t('colours.legend'),
              mark: { kind: 'area', fill: '#7a9a5a', edge: '#a05a9a' },
            } as const,
            { key: 'nodata', text: t('chart.noData'), mark: { kind: 'area', fill: '#463c5a' } } as const,
          ]
        : []),
      { key: 'found', text: t('forest.inPatch'), mark: { kind: 'level', look: STANDING_LOOKS.found } },
      { key: 'none', text: t('forest.inNone'), mark: { kind: 'level', look: STANDING_LOOKS.none } },
      { key: 'unknown', text: t('forest.notLooked'), mark: { kind: 'level', look: STANDING_LOOKS.unknown } },
    ],
  };
}

export const FOREST_SOURCES = { patches: {}, raw: {}, points: {}, parcels: {}, neighbours: {} };

/** Patches filled, what they were before smoothing as a line over them, and the places looked up. */
export function forestLayers(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  return [
    {
      id: 'neighbours',
      type: 'fill',
      source: 'neighbours',
      paint: { 'fill-color': colours.ring, 'fill-opacity': 0.15 },
    },
    {
      id: 'neighbour-cases',
      type: 'line',
      source: 'neighbours',
      layout: { 'line-join': 'round' },
      paint: { 'line-color': colours.halo, 'line-width': 3.5, 'line-opacity': 0.8 },
    },
    {
      id: 'neighbour-lines',
      type: 'line',
      source: 'neighbours',
      paint: { 'line-color': colours.ring, 'line-width': 1.5 },
    },
    // A light line below keeps the outline apart from whatever picture is under it.
    {
      id: 'patch-cases',
      type: 'line',
      source: 'patches',
      layout: { 'line-join': 'round' },
      paint: { 'line-color': colours.halo, 'line-width': 4.5, 'line-opacity': 0.8 },
    },
    { id: 'patches', type: 'fill', source: 'patches', paint: { 'fill-color': colours.forest, 'fill-opacity': 0.35 } },
    { id: 'patch-lines', type: 'line', source: 'patches', paint: { 'line-color': colours.forest, 'line-width': 2.2 } },
    { id: 'raw', type: 'line', source: 'raw', paint: { 'line-color': colours.raw, 'line-width': 1.4 } },
    {
      id: 'parcels',
      type: 'line',
      source: 'parcels',
      paint: { 'line-color': colours.ring, 'line-width': 2, 'line-dasharray': [3, 2] },
    },
    markLayer('points', 'points'),
    {
      id: 'point-names',
      type: 'symbol',
      source: 'points',
      filter: ['!=', ['coalesce', ['get', 'name'], ''], ''],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': MAP_FONT,
        'text-size': 12,
        'text-anchor': 'top',
        'text-offset': [0, 0.9],
        'text-max-width': 10,
      },
      paint: { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.6 },
    },
  ];
}
