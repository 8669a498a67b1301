import { useMemo } from 'preact/hooks';
import type { Feature, FeatureCollection } from 'geojson';
import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from '../../map/colours.ts';
import { crowdLegend } from '../../map/marks/crowd-legend.ts';
import { MARK_LAYERS, markLayers } from '../../map/marks/level-marks.ts';
import type { MarkPoint } from '../../map/marks/mark-tiles.ts';
import type { LegendPart } from '../../map/legend-entry.ts';
import type { Box } from '../../map/box-polygon.ts';
import { FarAway } from '../../map/far-away.tsx';
import { MapView } from '../../map/map-view.tsx';
import { middleOf } from '../../map/middle-of.ts';
import { pointAt, pointed } from '../../map/pointed.ts';
import { useWhole } from '../../map/view/use-whole.ts';
import { MAP_FONT } from '../../map/set-layers.ts';
import { param, setParams } from '../../state/address.ts';
import { theme } from '../../state/theme.ts';
import { formatDistance, language, t, tWord } from '../../text/translate.ts';
import { aroundFacility, collectionOf } from './around-facility.ts';
import { CIRCLES, reachOf, readCircles, writeCircles } from './circles.ts';
import type { ResultFeature } from './evidence.ts';
import { LEVELS, type ResultRow } from './result-row.ts';

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
  const chosenCircles = param('circles');
  const circles = useMemo(() => readCircles(chosenCircles), [chosenCircles]);
  const { row, indicator } = pointed.value;
  const reach = indicator === null ? null : reachOf(indicator);
  const shownCircles = useMemo(
    () => (reach === null || circles.includes(reach) ? circles : [...circles, reach]),
    [circles, reach],
  );
  const around = useMemo(
    () => aroundFacility(selected, shownCircles, counted),
    [selected, shownCircles, counted, language.value],
  );
  const marked = useMemo(() => pointedAt(rows, row, counted, indicator), [rows, row, counted, indicator]);
  const data = useMemo(() => ({ ...around, pointed: marked }), [around, marked]);
  const at = selected === null ? null : middleOf(selected.geometry);
  const { whole, showAll } = useWhole(extent, boxOf);
  const fit = useMemo<Box | null>(() => (at !== null ? circleBox(at) : whole.box), [at?.join(), whole]);
  return (
    <MapView
      label={t('facilities.mapLabel', { count: rows.length })}
      sources={SOURCES}
      layers={layersOf}
      data={data}
      marks={points}
      fit={fit}
      fitZoom={at === null && whole.box !== null && isSpot(whole.box) ? SPOT_ZOOM : NEAR_ZOOM}
      pick={MARK_LAYERS}
      point={COUNTED}
      onPoint={(features) => {
        const [first] = features;
        const index = first?.['index'];
        const name = first?.['indicator'];
        pointAt(typeof index === 'number' ? { row: index } : typeof name === 'string' ? { indicator: name } : {});
      }}
      onClick={({ features }) => {
        const index = features[0]?.['index'];
        if (typeof index === 'number') onSelect(index);
      }}
      legend={legendOf(theme.value, { selected, marks: points.length, hasCounted: counted.length > 0 }, circles)}
    >
      <FarAway count={whole.far} onAll={showAll} />
    </MapView>
  );
}

interface Shown {
  readonly selected: ResultFeature | null;
  /** Marks on the map. */
  readonly marks: number;
  readonly hasCounted: boolean;
}

/** The marks of results, of what counted and of the chosen one, and the circles, each of which can be shown or not. */
function legendOf(
  name: MapTheme,
  { selected, marks, hasCounted }: Shown,
  circles: readonly number[],
): readonly LegendPart[] {
  const colours = MAP_COLOURS[name];
  const isChosen = selected !== null;
  const isArea = selected?.geometry?.type.endsWith('Polygon') === true;
  return [
    {
      key: 'results',
      title: t('facilities.legend'),
      entries: [
        ...LEVELS.map(
          (level) => ({ key: level, text: t(`level.${level}`), mark: { kind: 'level', look: level } }) as const,
        ),
        { key: 'plot', text: t('type.plot'), mark: { kind: 'level', look: 'none' } },
        ...crowdLegend(marks, name),
        ...(isChosen
          ? [{ key: 'chosen', text: t('map.chosen'), mark: { kind: 'ring', colour: colours.selected } } as const]
          : []),
        ...(isArea
          ? [{ key: 'outline', text: t('map.outline'), mark: { kind: 'line', colour: colours.selected } } as const]
          : []),
        ...(hasCounted
          ? [
              {
                key: 'counted',
                text: t('facilities.counted'),
                mark: { kind: 'shapes', colour: colours.counted },
              } as const,
            ]
          : []),
      ],
    },
    {
      key: 'circles',
      title: t('map.circles'),
      entries: !isChosen
        ? []
        : CIRCLES.map(({ radiusM, indicators }) => ({
            key: String(radiusM),
            text: `${formatDistance(radiusM)}: ${indicators.map((each) => tWord('indicator', each)).join(', ')}`,
            mark: { kind: 'line', colour: colours.ring, dash: '4 3' },
            isOn: circles.includes(radiusM),
            onTurn: (isOn) =>
              setParams({
                circles: writeCircles(isOn ? [...circles, radiusM] : circles.filter((radius) => radius !== radiusM)),
              }),
          })),
    },
  ];
}

/** What stands out because somebody points at it: the mark of a row, or what counted for an indicator. */
function pointedAt(
  rows: readonly ResultRow[],
  index: number | null,
  counted: readonly Feature[],
  indicator: string | null,
): FeatureCollection {
  const row = index === null ? undefined : rows.find((each) => each.index === index);
  if (row !== undefined && row.lon !== null && row.lat !== null)
    return collectionOf([
      { type: 'Feature', properties: { isRow: true }, geometry: { type: 'Point', coordinates: [row.lon, row.lat] } },
    ]);
  return collectionOf(
    indicator === null ? [] : counted.filter(({ properties }) => properties?.['indicator'] === indicator),
  );
}

const COUNTED = ['counted-areas', 'counted-lines', 'counted-points'];
const SOURCES = { rings: {}, ringLabels: {}, counted: {}, selected: {}, pointed: {} };

function pointsOf(rows: readonly ResultRow[]): readonly MarkPoint[] {
  return rows.flatMap(({ index, level, lon, lat }) =>
    lon === null || lat === null ? [] : [{ index, look: level ?? 'none', lon, lat }],
  );
}

/** From below to above; the marks of results lie between what they are about and what stands out. */
function layersOf(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  return [
    ...ringLines(colours),
    ...countedLayers(colours),
    ...pointedGround(colours),
    ...selectedGround(colours),
    ...markLayers(theme),
    ...chosenMarks(colours),
    ...ringLabels(colours),
  ];
}

type Colours = (typeof MAP_COLOURS)[MapTheme];

const isKind = (kind: string) => ['==', ['geometry-type'], kind] as never;

/** The circles that indicators look in. */
function ringLines(colours: Colours): LayerSpecification[] {
  return [
    {
      id: 'ring-cases',
      type: 'line',
      source: 'rings',
      paint: { 'line-color': colours.halo, 'line-width': 3.2, 'line-opacity': 0.7 },
    },
    {
      id: 'rings',
      type: 'line',
      source: 'rings',
      paint: { 'line-color': colours.ring, 'line-width': 1.3, 'line-dasharray': [4, 3] },
    },
  ];
}

/** What indicators counted. */
function countedLayers(colours: Colours): LayerSpecification[] {
  return [
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
      filter: ['!=', ['geometry-type'], 'Point'],
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
  ];
}

function pointedGround(colours: Colours): LayerSpecification[] {
  return [
    {
      id: 'pointed-areas',
      type: 'fill',
      source: 'pointed',
      filter: isKind('Polygon'),
      paint: { 'fill-color': colours.selected, 'fill-opacity': 0.3 },
    },
    {
      id: 'pointed-lines',
      type: 'line',
      source: 'pointed',
      filter: ['!=', ['geometry-type'], 'Point'],
      layout: { 'line-cap': 'round' },
      paint: { 'line-color': colours.selected, 'line-width': 3.5 },
    },
  ];
}

function selectedGround(colours: Colours): LayerSpecification[] {
  return [
    {
      id: 'selected-area',
      type: 'line',
      source: 'selected',
      filter: isKind('Polygon'),
      paint: { 'line-color': colours.selected, 'line-width': 2 },
    },
  ];
}

/** Rings around the mark that is selected, and around the one that is pointed at. */
function chosenMarks(colours: Colours): LayerSpecification[] {
  return [
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
      id: 'pointed-points',
      type: 'circle',
      source: 'pointed',
      filter: isKind('Point'),
      paint: {
        'circle-color': 'transparent',
        'circle-radius': ['case', ['has', 'isRow'], 14, 9],
        'circle-stroke-color': colours.selected,
        'circle-stroke-width': 2.5,
      },
    },
  ];
}

function ringLabels(colours: Colours): LayerSpecification[] {
  return [
    {
      id: 'ring-labels',
      type: 'symbol',
      source: 'ringLabels',
      layout: {
        'text-field': ['get', 'text'],
        'text-font': MAP_FONT,
        'text-size': 11,
        'text-anchor': 'bottom',
        'text-offset': [0, -0.2],
      },
      paint: { 'text-color': colours.ring, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    },
  ];
}

/** The ground around a result that has a place. */
function boxOf({ lon, lat, isPlaced }: ResultRow): Box | null {
  if (lon === null || lat === null || !isPlaced) return null;
  return [lon - PLACE_DEGREES, lat - PLACE_DEGREES, lon + PLACE_DEGREES, lat + PLACE_DEGREES];
}

/** The circle of 2 km and some room. */
function circleBox([lon, lat]: readonly [number, number]): Box {
  const dLat = 2_200 / 111_000;
  const dLon = dLat / Math.max(0.05, Math.cos((lat * Math.PI) / 180));
  return [lon - dLon, lat - dLat, lon + dLon, lat + dLat];
}

/** Around a place. */
const PLACE_DEGREES = 0.01;
/** How near the map goes to places; to one alone not so near that nothing is seen of where it is. */
const NEAR_ZOOM = 14;
const SPOT_ZOOM = 10;

/** Whether a box is that of one place. */
function isSpot([west, south, east, north]: Box): boolean {
  return Math.max(east - west, north - south) < 3 * PLACE_DEGREES;
}
