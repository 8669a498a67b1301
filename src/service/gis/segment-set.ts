import type { Geometry } from '../../geo/geometry.ts';
import { type Bbox, WORLD } from '../../geo/shapes/shape.ts';
import { groundOfBox } from '../../geo/shapes/shapes-intersect.ts';
import { selects } from '../../gis/cql2/evaluate.ts';
import { spansTouch, type TimeSpan } from '../../gis/days.ts';
import type { FeatureRows, MapFeature } from '../../gis/feature-rows.ts';
import { type FeaturePage, isIn, MAX_PAGE_POSITIONS, type PageRequest } from '../../gis/read-page.ts';
import { makeTile } from '../../gis/tiles/make-tile.ts';
import { tileBounds } from '../../gis/tiles/tile-bounds.ts';
import { degreesOf, type LabelIndex, ringOf, touchesAround } from '../../readers/label-store/label-index.ts';
import {
  type ListedSegment,
  type ListedStep,
  listSegments,
  segmentById,
} from '../../readers/label-store/list-segments.ts';
import type { LabelSource } from '../../readers/label-store/open-label-store.ts';
import {
  featuresLayer,
  FEATURES_LAYER,
  type OpenedSet,
  type PropertyType,
  SUMMARY_LAYER_DESCRIPTION,
  type VectorLayer,
} from './opened-set.ts';

/** Segments of one page, and those that are outlined for it, the ones that a filter leaves out among them. */
const PAGE = { segments: 1_000, examined: 2_000 } as const;
/** Chunks that are read for one page: where there is little forest it leads on by `next`. */
const MAX_PAGE_CHUNKS = 512;
/** Segments that are outlined together. */
const AT_ONCE = 100;
/** The farthest zoom that draws segments: a tile is 10 km wide there. Farther away it shows where labels are. */
const SEGMENT_ZOOM = 12;
/** Tiles of one archive: those near by look up to 2,000 segments up each. */
export const MAX_LABEL_ARCHIVE_TILES = 500;
/** The layer that shows it. */
const COVERAGE_LAYER = 'coverage';
const COVERAGE_TYPES = { dataset: 'String', source_year: 'Number', synthetic: 'Boolean' } as const;
/** Cells between two corners of a coverage: its sides are curves in degrees. */
const CELLS_A_CORNER = 256;
const MOST_CORNERS = 256;

const PROPERTIES: ReadonlyMap<string, PropertyType> = new Map<string, PropertyType>([
  ['segment_id', 'string'],
  ['area_ha', 'number'],
  ['perimeter_m', 'number'],
  ['area_change_pct', 'number'],
  ['source', 'string'],
  ['source_year', 'number'],
  ['marker_longitude', 'number'],
  ['marker_latitude', 'number'],
  ['warnings', 'string'],
  ['dataset', 'string'],
  ['dataset_version', 'string'],
  ['synthetic', 'boolean'],
]);
const TILE_PROPERTIES = ['segment_id', 'area_ha', 'source_year', 'dataset', 'synthetic'];

interface SegmentSetDeps {
  readonly source: LabelSource;
  /** Of what is built now. */
  readonly index: LabelIndex;
  /** The features of segments, as lookups at their markers give them; null for one that something else answers by now. */
  outline(segments: readonly ListedSegment[], signal: AbortSignal): Promise<readonly (MapFeature | null)[]>;
}

/**
 * The segments of a label store as a set of features. Nothing of it is ever gone through as a whole: pages and tiles list the
 * segments of a bounded part and look each up at its marker.
 */
export function openedSegments({ source, index, outline }: SegmentSetDeps): OpenedSet {
  async function segmentsIn(boxes: readonly Bbox[], signal: AbortSignal): Promise<readonly ListedSegment[]> {
    const found: ListedSegment[] = [];
    for await (const step of listSegments(source, index, { boxes, after: null, isWanted: null }, signal))
      if (step.kind === 'segment') found.push(step.segment);
    return found;
  }

  return {
    extent: coverageExtent(index),
    count: null,
    archiveTiles: MAX_LABEL_ARCHIVE_TILES,
    properties: () => Promise.resolve(PROPERTIES),
    page: (request, signal) => segmentPage({ source, index, outline }, request, signal),
    async item(id, signal) {
      const segment = await segmentById(source, index, id, signal);
      return segment === null ? null : ((await outline([segment], signal))[0] ?? null);
    },
    async tile(tile, signal) {
      const bounds = tileBounds(tile);
      if (tile.z < SEGMENT_ZOOM) {
        const layer = { name: COVERAGE_LAYER, properties: Object.keys(COVERAGE_TYPES) };
        return (await makeTile(coverageRows(source, index, bounds), tile, layer, signal)).bytes;
      }
      const segments = await segmentsIn([bounds], signal);
      const layer = { name: FEATURES_LAYER, properties: TILE_PROPERTIES };
      return (await makeTile(segmentRows(segments, outline, bounds), tile, layer, signal)).bytes;
    },
    tileLayers: () => Promise.resolve(TILE_LAYERS),
  };
}

const TILE_LAYERS: readonly VectorLayer[] = [
  { ...featuresLayer(PROPERTIES, TILE_PROPERTIES), minzoom: SEGMENT_ZOOM },
  {
    id: COVERAGE_LAYER,
    description: 'Where labels were built, forest or not: what is drawn in place of segments far away.',
    fields: { id: 'String', ...COVERAGE_TYPES, stands_for: 'Number', drawn_as: 'String' },
    maxzoom: SEGMENT_ZOOM - 1,
  },
  SUMMARY_LAYER_DESCRIPTION,
];

async function segmentPage(
  { source, index, outline }: SegmentSetDeps,
  { boxes, filter, after, limit: wanted, days }: PageRequest,
  signal: AbortSignal,
): Promise<FeaturePage> {
  const limit = Math.min(wanted, PAGE.segments);
  const grounds = boxes?.map(groundOfBox) ?? null;
  const turnedGrounds = boxes?.flatMap(turnedBoxes).map(groundOfBox) ?? null;
  const isWanted = days === undefined ? null : (year: number): boolean => spansTouch(days, yearSpan(year, year));
  const features: MapFeature[] = [];
  const leftOut: number[] = [];
  const waiting: Extract<ListedStep, { kind: 'segment' }>[] = [];
  let [last, positions, examined, chunks] = [after, 0, 0, 0];
  const pageUpTo = (next: number | null): FeaturePage => ({
    features,
    next,
    matched: null,
    leftOut: leftOut.filter((position) => next === null || position <= next).length,
  });

  /** Outlines those that wait; true when the page is full. */
  async function outlineWaiting(): Promise<boolean> {
    const some = waiting.splice(0);
    const found = await outline(
      some.map(({ segment }) => segment),
      signal,
    );
    for (const [i, feature] of found.entries()) {
      examined++;
      if (feature === null) leftOut.push(some[i].position);
      else if (isOverEdge(some[i].segment.box) ? isSelected(feature, turnedGrounds) : isSelected(feature, grounds)) {
        // One more than fits leads to the next page.
        if (features.length === limit || positions > MAX_PAGE_POSITIONS) return true;
        features.push(feature);
        positions += positionsOf(feature);
      }
      last = some[i].position;
    }
    return false;
  }

  const isSelected = (feature: MapFeature, within: typeof grounds): boolean =>
    (within === null || isIn(feature, within)) && (filter === null || selects(filter, feature));

  for await (const step of listSegments(source, index, { boxes, after, isWanted }, signal)) {
    if (step.kind === 'left_out') leftOut.push(step.position);
    else if (step.kind === 'segment') waiting.push(step);
    const isEnough = step.kind === 'chunk' && ++chunks >= MAX_PAGE_CHUNKS;
    const isFull = waiting.length >= Math.min(AT_ONCE, limit + 1 - features.length);
    if ((isEnough || isFull) && (await outlineWaiting())) return pageUpTo(last);
    if (isEnough) return pageUpTo(step.position);
    if (examined >= PAGE.examined && waiting.length === 0) return pageUpTo(last);
  }
  return (await outlineWaiting()) ? pageUpTo(last) : pageUpTo(null);
}

function positionsOf({ geometry }: MapFeature): number {
  return geometry?.type === 'Polygon' ? geometry.coordinates.reduce((sum, ring) => sum + ring.length, 0) : 0;
}

/** Whether its longitudes run on over the antimeridian. */
function isOverEdge([west, , east]: Bbox): boolean {
  return west < WORLD[0] || east > WORLD[2];
}

function turnedBoxes([west, south, east, north]: Bbox): readonly Bbox[] {
  return [-360, 0, 360].map((turn) => [west + turn, south, east + turn, north]);
}

/** From the first day of a year to the last of another. */
export function yearSpan(first: number, last: number): TimeSpan {
  return { from: Date.UTC(first, 0, 1), to: Date.UTC(last + 1, 0, 1) - 1 };
}

/** Around everything that was built, in degrees; all longitudes where that crosses the antimeridian. */
export function coverageExtent({ layers, coverage }: LabelIndex): Bbox | null {
  const boxes = layers.flatMap((layer, i) => coverage[i].map((cells) => degreesOf(layer, cells, 0)));
  if (boxes.length === 0) return null;
  const around = (pick: (...values: number[]) => number, side: number): number =>
    boxes.reduce((found, box) => pick(found, box[side]), boxes[0][side]);
  const [west, east] = [around(Math.min, 0), around(Math.max, 2)];
  const isAcross = west < WORLD[0] || east > WORLD[2];
  return [isAcross ? WORLD[0] : west, around(Math.min, 1), isAcross ? WORLD[2] : east, around(Math.max, 3)];
}

/** What of a store's coverage touches a tile, as features. */
function coverageRows({ dataset }: LabelSource, index: LabelIndex, bounds: Bbox): FeatureRows {
  const { layers, coverage } = index;
  const found = layers.flatMap((layer, i) =>
    coverage[i]
      .map((cells) => ({ layer, cells, box: degreesOf(layer, cells, 0) }))
      .filter(({ box }) => touchesAround(box, [bounds])),
  );
  return tileRows(
    found.map(({ box }) => box),
    bounds,
    (rows) =>
      Promise.resolve(
        rows.map((row) => {
          const { layer, cells } = found[row];
          const corners = Math.ceil(Math.max(cells[2], cells[3]) / CELLS_A_CORNER);
          return {
            id: `${layer.entry.path.replaceAll('/', ':')}:${cells.join(':')}`,
            geometry: {
              type: 'Polygon',
              coordinates: [ringOf(layer, cells, Math.min(MOST_CORNERS, Math.max(8, corners)))],
            },
            properties: { dataset: dataset.id, source_year: layer.entry.year, synthetic: dataset.synthetic },
          };
        }),
      ),
  );
}

function segmentRows(
  segments: readonly ListedSegment[],
  outline: SegmentSetDeps['outline'],
  bounds: Bbox,
): FeatureRows {
  // A tile that has too many bytes is made again of fewer of them.
  const known = new Map<number, MapFeature>();
  return tileRows(
    segments.map(({ box }) => box),
    bounds,
    async (rows, signal) => {
      const missing = rows.filter((row) => !known.has(row));
      for (let i = 0; i < missing.length; i += AT_ONCE) {
        const some = missing.slice(i, i + AT_ONCE);
        const found = await outline(
          some.map((row) => segments[row]),
          signal,
        );
        for (const [k, row] of some.entries())
          known.set(row, found[k] ?? { id: segments[row].id, geometry: null, properties: {} });
      }
      return rows.map((row) => known.get(row)!);
    },
  );
}

/** Features of one tile as rows, turned round the world to the side of the antimeridian where the tile is. */
function tileRows(
  boxes: readonly Bbox[],
  bounds: Bbox,
  read: (rows: readonly number[], signal: AbortSignal) => Promise<readonly MapFeature[]>,
): FeatureRows {
  const turns = boxes.map(
    ([west, , east]) => [0, -360, 360].find((turn) => west + turn <= bounds[2] && east + turn >= bounds[0]) ?? 0,
  );
  return {
    count: boxes.length,
    extent: bounds,
    mostScanned: Infinity,
    groups: () => Promise.resolve(boxes.length === 0 ? [] : [{ from: 0, to: boxes.length, box: bounds }]),
    boxes: (from, to) =>
      Promise.resolve(
        Float64Array.from(
          boxes.slice(from, to).flatMap(([west, south, east, north], i) => {
            const turn = turns[from + i];
            return [west + turn, south, east + turn, north];
          }),
        ),
      ),
    async read(rows, signal) {
      const found = await read(rows, signal);
      return found.map((feature, i) => (turns[rows[i]] === 0 ? feature : turned(feature, turns[rows[i]])));
    },
  };
}

function turned(feature: MapFeature, turn: number): MapFeature {
  const { geometry } = feature;
  if (geometry?.type !== 'Polygon') return feature;
  const coordinates = geometry.coordinates.map((ring) => ring.map(([lon, lat]) => [lon + turn, lat]));
  return { ...feature, geometry: { type: 'Polygon', coordinates } satisfies Geometry };
}
