import { windowsAround } from '../../../geo/shapes/reach.ts';
import type { Bbox } from '../../../geo/shapes/shape.ts';
import { BUSINESS_TAGS } from '../../themes/business-kinds.ts';
import { ROAD_CLASSES } from '../../themes/themes.ts';

/** Tags of water that counts; streams, ditches and drains do not. */
export const WATER_TAGS = {
  natural: ['water', 'coastline', 'bay', 'strait'],
  waterway: ['river', 'riverbank', 'canal', 'dock'],
  landuse: ['reservoir'],
} as const;

interface QueryLimits {
  /** Seconds the server may spend. */
  readonly timeoutS: number;
}

/** Bytes the server may use for one query: more than these few square kilometres ever take. */
const SERVER_BYTES = 67_108_864;

/** Roads, buildings and businesses around a place, in one query: the public servers give each address two places only. */
export function siteQuery(
  bbox: Bbox,
  radii: { readonly roadM: number; readonly buildingM: number; readonly businessM: number },
  limits: QueryLimits,
): string {
  const clauses = [
    ...around(bbox, radii.roadM, [`way${oneOf('highway', ROAD_CLASSES)}`]),
    ...around(bbox, radii.buildingM, ['way[building]', 'relation[building]']),
    ...around(
      bbox,
      radii.businessM,
      Object.entries(BUSINESS_TAGS).map(([key, values]) => `nwr${values === '*' ? `[${key}]` : oneOf(key, values)}`),
    ),
  ];
  return query(clauses, bbox, Math.max(...Object.values(radii)), limits);
}

/** Rivers, canals, lakes and the coast around a place. */
export function waterQuery(bbox: Bbox, withinM: number, limits: QueryLimits): string {
  const kinds = Object.entries(WATER_TAGS).flatMap(([key, values]) => [
    `way${oneOf(key, values)}`,
    `relation${oneOf(key, values)}`,
  ]);
  return query(around(bbox, withinM, kinds), bbox, withinM, limits);
}

function around(bbox: Bbox, withinM: number, kinds: readonly string[]): string[] {
  return windowsAround(bbox, withinM).flatMap((window) => kinds.map((kind) => `${kind}(${box(window)});`));
}

/** Geometry is cut to the widest window, where there is one: a river need not come from its source. */
function query(clauses: readonly string[], bbox: Bbox, withinM: number, { timeoutS }: QueryLimits): string {
  const windows = windowsAround(bbox, withinM);
  const cut = windows.length === 1 ? `(${box(windows[0])})` : '';
  return `[out:json][timeout:${timeoutS}][maxsize:${SERVER_BYTES}];(${clauses.join('')});out geom${cut} qt;`;
}

function oneOf(key: string, values: readonly string[]): string {
  return `[${key}~"^(${values.join('|')})$"]`;
}

/** South, west, north, east, outwards to 0.0001 degree, so that places close together send the same query. */
function box([west, south, east, north]: Bbox): string {
  const down = (degrees: number): string => (Math.floor(degrees * 1e4) / 1e4).toFixed(4);
  const up = (degrees: number): string => (Math.ceil(degrees * 1e4) / 1e4).toFixed(4);
  return [down(Math.max(-90, south)), down(west), up(Math.min(90, north)), up(east)].join(',');
}
