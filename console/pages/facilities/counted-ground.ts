import type { Feature, Geometry, Polygon, Position } from 'geojson';
import { clipToCircle } from '../../map/clip-to-circle.ts';
import { middleOf } from '../../map/middle-of.ts';
import { reachOf } from './circles.ts';
import type { EvidenceItem, ResultFeature } from './evidence.ts';

/** Something around a facility that may have counted. */
type Found = Feature<Geometry, { readonly indicator?: string; readonly dataset?: string } | null>;

/**
 * What counted, of what regional packs have around a facility, and only where it counted: where the evidence says `present` by
 * the same dataset, and no farther than its indicator looks. A facility that is an area is looked around from its edge.
 */
export function countedGround(
  found: readonly Feature[],
  { geometry, properties }: Pick<ResultFeature, 'geometry' | 'properties'>,
): readonly Feature[] {
  const middle = middleOf(geometry);
  if (middle === null) return [];
  const extra = geometry?.type === 'Point' ? 0 : sizeOf(geometry, middle);
  const evidence = new Map(properties.evidence?.map((item) => [item.indicator, item]));
  return (found as readonly Found[]).flatMap((feature) => {
    const indicator = feature.properties?.indicator ?? '';
    const reach = reachOf(indicator);
    if (reach === null || !isFrom(evidence.get(indicator), feature.properties?.dataset)) return [];
    const clipped = clipToCircle(feature.geometry, middle, reach + extra);
    return clipped === null ? [] : [{ ...feature, geometry: clipped }];
  });
}

function isFrom(item: EvidenceItem | undefined, dataset: string | undefined): boolean {
  return item?.status === 'present' && item.dataset === dataset;
}

/** Metres from the middle of a shape to its farthest corner. */
function sizeOf(geometry: Geometry | null, [lon, lat]: readonly [number, number]): number {
  const corners = geometry?.type === 'Polygon' ? (geometry satisfies Polygon).coordinates.flat() : cornersOf(geometry);
  const perDegree = 111_320;
  return Math.max(
    0,
    ...corners.map(([x = 0, y = 0]) =>
      Math.hypot((x - lon) * perDegree * Math.cos((lat * Math.PI) / 180), (y - lat) * perDegree),
    ),
  );
}

function cornersOf(geometry: Geometry | null): readonly Position[] {
  return geometry?.type === 'MultiPolygon' ? geometry.coordinates.flat(2) : [];
}
