import type { CircleLayerSpecification, ExpressionSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import { LEVEL_COLOURS, MAP_COLOURS, type Look, type MapTheme } from '../colours.ts';
import { LAST_BEFORE_CUT_OFF, MARKED_YEARS, yearColour, yearLook } from '../year-colours.ts';
import { CROWD_ZOOM, DOTS, MARKS } from './mark-tiles.ts';

/** Pixels of the page from the middle of a mark to its edge, at `icon-size` 1. */
const RADIUS = 8;
const HALO = 1.4;
const SIZE = 2 * (RADIUS + HALO);
/** Pixels of an image to one of the page, for screens that have as many. */
export const MARK_DENSITY = 3;

/** A circle around 0/0 as a path. */
const circle = (r: number): string => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

/**
 * The outline of each mark around 0/0 as an SVG path, the same as that of the dots in tables and legends (`.level-dot`):
 * levels differ in shape as well as in colour.
 */
export const LEVEL_SHAPES: Readonly<Record<Look, string>> = {
  high: circle(RADIUS),
  medium: 'M-7.2 -7.2h14.4v14.4h-14.4z',
  low: 'M0 -8L8 6.8h-16z',
  unverified: 'M0 -8.6L8.6 0L0 8.6L-8.6 0zM0 -4.2L4.2 0L0 4.2L-4.2 0z',
  invalid: 'M-8 -2.8h16v5.6h-16z',
  none: circle(RADIUS) + circle(RADIUS / 2),
};

/** The names of the images of levels, which most maps have. */
export const LEVEL_IMAGES: readonly string[] = (Object.keys(LEVEL_COLOURS.light) as Look[]).map(imageName);

/** The image of a mark, by the name that `markLayer` has it by; null for any other name. */
export function markImage(name: string, theme: MapTheme): ImageData | null {
  const { halo } = MAP_COLOURS[theme];
  const level = (Object.keys(LEVEL_SHAPES) as Look[]).find((look) => imageName(look) === name);
  if (level !== undefined) return draw(new Path2D(LEVEL_SHAPES[level]), LEVEL_COLOURS[theme][level], halo);
  const year = MARKED_YEARS.find((each) => imageName(yearLook(each)) === name);
  return year === undefined ? null : draw(new Path2D(yearShape(year)), yearColour(year, theme), halo);
}

/** Losses until the cut-off are squares, later ones triangles. */
export function yearShape(year: number): string {
  return LEVEL_SHAPES[year <= LAST_BEFORE_CUT_OFF ? 'medium' : 'low'];
}

/** The source of the points that `MapView` is given as `marks`. */
export const MARKS_SOURCE = 'marks';
/** The layers of `markLayers`, of which each can be clicked. */
export const MARK_LAYERS: readonly string[] = [MARKS, DOTS];

/**
 * The marks of `MapView`. Where there are many, they are dots as long as they are seen from afar: without a graphics card 50,000
 * marks take half a minute, and shapes that lie over one another cannot be distinguished.
 */
export function markLayers(theme: MapTheme): readonly (CircleLayerSpecification | SymbolLayerSpecification)[] {
  return [
    {
      id: DOTS,
      type: 'circle',
      source: MARKS_SOURCE,
      'source-layer': DOTS,
      paint: {
        'circle-color': matchLook(theme),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 3.2, CROWD_ZOOM, 5],
        'circle-stroke-color': MAP_COLOURS[theme].halo,
        'circle-stroke-width': 1.2,
      },
    },
    { ...markLayer(MARKS, MARKS_SOURCE), 'source-layer': MARKS },
  ];
}

/** Points of a source as marks by their property `look`. */
export function markLayer(id: string, source: string): SymbolLayerSpecification {
  return {
    id,
    type: 'symbol',
    source,
    layout: {
      'icon-image': ['concat', imageName(''), ['get', 'look']],
      'icon-size': ['interpolate', ['linear'], ['zoom'], 2, 0.55, 8, 0.75, 14, 1],
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
      'symbol-z-order': 'source',
    },
  };
}

/** The colour of each look, levels and years of loss, as an expression over the property `look`. */
export function matchLook(theme: MapTheme): ExpressionSpecification {
  const { none, ...others } = LEVEL_COLOURS[theme];
  const years = MARKED_YEARS.flatMap((year) => [yearLook(year), yearColour(year, theme)]);
  return ['match', ['get', 'look'], ...Object.entries(others).flat(), ...years, none] as never;
}

function imageName(look: string): string {
  return `mark-${look}`;
}

function draw(path: Path2D, fill: string, halo: string): ImageData {
  const pixels = Math.ceil(SIZE * MARK_DENSITY);
  const canvas = new OffscreenCanvas(pixels, pixels);
  // Drawn by the processor: reading pixels back from a graphics card holds up the page.
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.translate(pixels / 2, pixels / 2);
  context.scale(MARK_DENSITY, MARK_DENSITY);
  context.strokeStyle = halo;
  context.lineWidth = 2 * HALO;
  context.lineJoin = 'round';
  context.stroke(path);
  context.fillStyle = fill;
  context.fill(path, 'evenodd');
  return context.getImageData(0, 0, pixels, pixels);
}
