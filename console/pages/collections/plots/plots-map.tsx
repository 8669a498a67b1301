import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../../map/colours.ts';
import { boundsOf } from '../../../map/bounds-of.ts';
import { FarAway } from '../../../map/far-away.tsx';
import { crowdLegend } from '../../../map/marks/crowd-legend.ts';
import { MARK_LAYERS, markLayers, matchLook } from '../../../map/marks/level-marks.ts';
import type { MarkPoint } from '../../../map/marks/mark-tiles.ts';
import { readMapPlace } from '../../../map/map-place.ts';
import type { Box } from '../../../map/box-polygon.ts';
import { useWhole } from '../../../map/view/use-whole.ts';
import { MapView } from '../../../map/map-view.tsx';
import { useSettled } from '../../../parts/use-settled.ts';
import { param } from '../../../state/address.ts';
import { t } from '../../../text/translate.ts';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { plotsInView } from './plots-in-view.ts';
import type { Plots } from './plots-worker.ts';
import { GROUP_LOOKS, GROUPS, lookOf } from './groups.ts';
import { useLossColour } from './years/use-loss-colour.tsx';
import type { LegendPart } from '../../../map/legend-entry.ts';
import { pointAt, pointed } from '../../../map/pointed.ts';
import { theme } from '../../../state/theme.ts';

interface PlotsMapProps {
  readonly plots: Plots;
  readonly rows: readonly PlotRow[];
  /** The collection, where its plots were measured: they can then be coloured by year of loss. */
  readonly measured: string | null;
  readonly selected: PlotFeature | null;
  /** The parts that are proposed for the chosen one, with a `colour` each; null: none are shown. */
  readonly parts: FeatureCollection | null;
  /** Whether a chosen one is still to come. */
  readonly isPending: boolean;
  readonly onSelect: (index: number) => void;
}

/** The locations on a map, coloured by result or by year of loss: marks from afar, outlines from near. */
export function PlotsMap({ plots, rows: given, measured, selected, parts, isPending, onSelect }: PlotsMapProps) {
  const rows = useSettled(given, SETTLED_MS, MOST_MS);
  const loss = useLossColour(measured, rows);
  const points = useMemo(() => pointsOf(rows, loss.lookOf), [rows, loss.lookOf]);
  const found = useOutlines(plots, rows);
  const outlines = useMemo(() => recoloured(found, rows, loss.lookOf), [found, loss.lookOf]);
  const chosen = useMemo(
    () => collectionOf(selected?.geometry == null ? [] : [selected as unknown as Feature]),
    [selected],
  );
  const row = pointed.value.row;
  const marked = useMemo(() => collectionOf(rows.filter(({ index }) => index === row).flatMap(pointOf)), [rows, row]);
  const data = useMemo(
    () => ({ outlines, chosen, pointed: marked, parts: parts ?? collectionOf([]) }),
    [outlines, chosen, marked, parts],
  );
  const isComplete = plots.isComplete.value && rows === given;
  const { whole, showAll } = useWhole(isComplete ? rows : null, boxOf);
  const fit = useMemo<Box | null>(
    () => (isPending ? null : roomAround(boundsOf([chosen]) ?? whole.box)),
    [chosen, whole, isPending],
  );
  return (
    <div class="plots-map">
      <MapView
        label={t('plots.mapLabel', { count: rows.length })}
        sources={SOURCES}
        layers={layersOf}
        data={data}
        marks={points}
        fit={fit}
        fitZoom={16}
        pick={PICK}
        onPoint={(features) => {
          const index = features[0]?.['index'];
          pointAt(typeof index === 'number' ? { row: index } : {});
        }}
        onClick={({ features }) => {
          const index = features[0]?.['index'];
          if (typeof index === 'number') onSelect(index);
        }}
        legend={[
          withCrowd(loss.legend ?? groupLegend(rows), points.length),
          marksLegend(theme.value, selected !== null, parts),
        ]}
      >
        <FarAway count={whole.far} onAll={showAll} />
      </MapView>
      {loss.bar}
    </div>
  );
}

function withCrowd(part: LegendPart, marks: number): LegendPart {
  return { ...part, entries: [...part.entries, ...crowdLegend(marks, theme.value)] };
}

/** The groups that are on the map; open ones of which nothing is known have a mark of their own. */
function groupLegend(rows: readonly PlotRow[]): LegendPart {
  const seen = new Set(rows.map(({ group }) => group));
  const isUnknown = rows.some(({ group, result }) => lookOf(group, result) === 'unverified');
  return {
    key: 'results',
    title: t('facilities.legend'),
    entries: [
      ...GROUPS.filter((group) => seen.has(group)).map(
        (group) =>
          ({ key: group, text: t(`plotGroup.${group}`), mark: { kind: 'level', look: GROUP_LOOKS[group] } }) as const,
      ),
      ...(isUnknown
        ? [
            {
              key: 'unknown',
              text: `${t('plotGroup.open')}: ${t('result.unknown')}`,
              mark: { kind: 'level', look: 'unverified' },
            } as const,
          ]
        : []),
    ],
  };
}

/** The chosen plot and the parts that are proposed for it. */
function marksLegend(name: MapTheme, isChosen: boolean, parts: FeatureCollection | null): LegendPart {
  const { selected } = MAP_COLOURS[name];
  return {
    key: 'chosen',
    title: t('map.chosen'),
    entries: [
      ...(isChosen
        ? [{ key: 'outline', text: t('map.chosen'), mark: { kind: 'line', colour: selected } } as const]
        : []),
      ...(parts?.features ?? []).map(
        ({ properties }, i) =>
          ({
            key: `part-${i}`,
            text: `${t('split.part')} ${properties?.['part'] ?? ''}`,
            mark: {
              kind: 'area',
              fill: String(properties?.['colour']),
              opacity: 0.65,
              edge: selected,
              dash: '3 2',
            },
          }) as const,
      ),
    ],
  };
}

/** Milliseconds that rows stay the same before they are drawn, and that drawing waits at most. */
const SETTLED_MS = 200;
const MOST_MS = 1_500;
/** Degrees around what is shown as a whole. */
const ROOM = 0.002;
const PICK = [...MARK_LAYERS, 'outlines'];
const SOURCES = { outlines: {}, chosen: {}, parts: {}, pointed: {} };

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

function boxOf({ box }: PlotRow): Box | null {
  return box;
}

function pointsOf(rows: readonly PlotRow[], lookOfRow: (row: PlotRow) => string): readonly MarkPoint[] {
  return rows.flatMap((row) => {
    const { index, lon, lat } = row;
    return lon === null || lat === null ? [] : [{ index, look: lookOfRow(row), lon, lat }];
  });
}

function pointOf({ lon, lat }: PlotRow): readonly Feature[] {
  if (lon === null || lat === null) return [];
  return [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [lon, lat] } }];
}

/** Outlines in the colours of their marks. */
function recoloured(
  outlines: FeatureCollection,
  rows: readonly PlotRow[],
  lookOfRow: (row: PlotRow) => string,
): FeatureCollection {
  const wanted = new Set(outlines.features.map(({ properties }) => properties?.['index'] as number));
  const looks = new Map(rows.filter(({ index }) => wanted.has(index)).map((row) => [row.index, lookOfRow(row)]));
  return collectionOf(
    outlines.features.map((feature) => ({
      ...feature,
      properties: {
        ...feature.properties,
        look: looks.get(feature.properties?.['index'] as number) ?? feature.properties?.['look'],
      },
    })),
  );
}

function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const colour = matchLook(theme);
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
    ...markLayers(theme),
    {
      id: 'pointed',
      type: 'circle',
      source: 'pointed',
      paint: {
        'circle-color': 'transparent',
        'circle-radius': 14,
        'circle-stroke-color': colours.selected,
        'circle-stroke-width': 2.5,
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

function roomAround(bounds: Box | null): Box | null {
  if (bounds === null) return null;
  const [west, south, east, north] = bounds;
  return [west - ROOM, south - ROOM, east + ROOM, north + ROOM];
}
