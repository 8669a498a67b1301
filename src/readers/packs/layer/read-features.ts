import { FeatureBuilder } from '../../../geo/features/feature-builder.ts';
import { windowsAround } from '../../../geo/shapes/reach.ts';
import type { Geometry, Position } from '../../../geo/geometry.ts';
import type { Bbox, Shape } from '../../../geo/shapes/shape.ts';
import { businessReach, reachM } from '../../themes/business-kinds.ts';
import { decodeGeometry, decodeValues, planColumns, type Values } from '../../formats/flatgeobuf/decode-feature.ts';
import type { CommodityOrNone } from './layer-plan.ts';
import { labelOf, type PackLayer, probeOf } from './pack-layer.ts';
import { AREA, FEATURE_SCALE, POINT, type FeatureSet } from '../../../geo/features/feature-set.ts';

/** A feature of a regional pack as it is drawn. */
export interface DrawnFeature {
  readonly geometry: Geometry;
  /** In the word of its source. */
  readonly class: string;
  /** The same for people. */
  readonly kind: string;
  readonly name: string | null;
  /** Geodesic metres from the shape of the query, 0 where they touch; absent when the query was a box. */
  readonly distanceM?: number;
}

interface DrawnFeatures {
  readonly features: readonly DrawnFeature[];
  /** True when there are more. */
  readonly truncated: boolean;
}

/** The features of a layer whose box touches a box, in the order of the file, up to a limit. */
export async function featuresInBox(
  layer: PackLayer,
  box: Bbox,
  limit: number,
  signal: AbortSignal,
): Promise<DrawnFeatures> {
  const file = await layer.file(signal);
  const leaves = await file.search([box], signal);
  const features: DrawnFeature[] = [];
  await readLeaves(layer, leaves.slice(0, limit), signal, (values, builder) => {
    features.push(drawn(layer, values, builder));
  });
  return { features, truncated: leaves.length > limit };
}

/**
 * The features of a layer that count for its check within so many metres of a shape, nearest first, up to a limit. Businesses count when
 * they matter to the commodity (null: to any).
 */
export async function featuresAround(
  layer: PackLayer,
  shape: Shape,
  { withinM, commodity, limit }: { withinM: number; commodity: CommodityOrNone; limit: number },
  signal: AbortSignal,
): Promise<DrawnFeatures> {
  const file = await layer.file(signal);
  const probe = probeOf(shape);
  const leaves = await file.search(windowsAround(shape.bbox, withinM), signal);
  const found: (DrawnFeature & { readonly distanceM: number })[] = [];
  await readLeaves(layer, leaves, signal, (values, builder) => {
    const limitM = limitOf(layer, values, commodity, withinM);
    if (limitM < 0) return;
    const distanceM = probe.distanceM(builder, 0, limitM);
    if (distanceM <= limitM) found.push({ ...drawn(layer, values, builder), distanceM });
  });
  found.sort((a, b) => a.distanceM - b.distanceM);
  return { features: found.slice(0, limit), truncated: found.length > limit };
}

/** Metres within which a feature counts; -1 when it does not. */
function limitOf({ role, plan }: PackLayer, values: Values, commodity: CommodityOrNone, withinM: number): number {
  const [kind, , kinds, names] = values.map((value) => String(value ?? ''));
  if (role === 'businesses') return reachM(businessReach(commodity, kinds.split(' '), names.split(';')), withinM);
  return plan.accepts(kind) ? withinM : -1;
}

async function readLeaves(
  layer: PackLayer,
  leaves: Parameters<Awaited<ReturnType<PackLayer['file']>>['read']>[0],
  signal: AbortSignal,
  visit: (values: Values, builder: FeatureBuilder) => void,
): Promise<void> {
  const file = await layer.file(signal);
  const { columns, geometryType } = file.header;
  const plan = planColumns(columns, layer.columns);
  const values: Values = layer.columns.map(() => null);
  const builder = new FeatureBuilder(4);
  await file.read(leaves, signal, (view, at) => {
    builder.clear();
    if (!decodeGeometry(view, at, geometryType, builder)) return;
    decodeValues(view, at, columns, plan, values);
    visit(values, builder);
  });
}

function drawn({ plan }: PackLayer, values: Values, builder: FeatureBuilder): DrawnFeature {
  return { geometry: featureGeometry(builder, 0), class: String(values[0] ?? ''), ...labelOf(plan, values) };
}

/** A feature of a set as GeoJSON; a feature of one part as the plain kind. A ring that turns against the first of its polygon is a hole. */
export function featureGeometry(set: FeatureSet, id: number): Geometry {
  const parts: Position[][] = [];
  for (let part = set.features[id]; part < set.features[id + 1]; part++) parts.push(positionsOf(set, part));
  if (set.types[id] === POINT) {
    const points = parts.flat();
    return points.length === 1
      ? { type: 'Point', coordinates: points[0] }
      : { type: 'MultiPoint', coordinates: points };
  }
  if (set.types[id] !== AREA)
    return parts.length === 1
      ? { type: 'LineString', coordinates: parts[0] }
      : { type: 'MultiLineString', coordinates: parts };
  const polygons: Position[][][] = [];
  const outside = Math.sign(turn(parts[0]));
  for (const ring of parts) {
    if (polygons.length === 0 || Math.sign(turn(ring)) === outside) polygons.push([ring]);
    else polygons.at(-1)?.push(ring);
  }
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function positionsOf({ parts, xy }: FeatureSet, part: number): Position[] {
  const positions: Position[] = [];
  for (let vertex = parts[part]; vertex < parts[part + 1]; vertex++)
    positions.push([xy[2 * vertex] / FEATURE_SCALE, xy[2 * vertex + 1] / FEATURE_SCALE]);
  return positions;
}

/** Twice the area in square degrees, above 0 when the ring turns to the left. */
function turn(ring: readonly Position[]): number {
  const [x0, y0] = ring[0];
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++)
    sum += (ring[i][0] - x0) * (ring[i + 1][1] - y0) - (ring[i + 1][0] - x0) * (ring[i][1] - y0);
  return sum;
}
