import { type Bbox, boxOf } from '../../geo/shapes/shape.ts';
import type { Parcel } from '../../parcels/parcel.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { jsonAttributes, parcelId } from './parcel-attributes.ts';
import { parcelPolygons } from './parcel-polygons.ts';

interface WfsParcels {
  readonly parcels: readonly Parcel[];
  /** Whether the server has more than it sent. */
  readonly isCut: boolean;
}

/** Degrees by which a parcel may miss the requested box: rounding of the server and of the projection. */
const SLACK = 1e-4;

/** An error that a WFS sends with status 200, as XML; for what is read before JSON is. */
export function refuseException(name: string, text: string): void {
  const start = text.slice(0, 4_096);
  if (/^\s*</.test(start) && /ExceptionReport|ServiceException/.test(start))
    throw new ByteSourceError('refused', name, 'answered with an error in place of parcels', { cause: start });
}

/**
 * Reads a FeatureCollection of a WFS. Throws `ByteSourceError('refused')` for an error inside a good status and for parcels
 * of another place, which indicate coordinates in another order or CRS; a `TypeError` for what is no such collection.
 *
 * @param window the requested box, in degrees.
 */
export function readWfs(name: string, body: unknown, window: Bbox, idField: string, most: number): WfsParcels {
  const { type, features, exceptions, numberMatched, totalFeatures } = body as Readonly<Record<string, unknown>>;
  if (Array.isArray(exceptions))
    throw new ByteSourceError('refused', name, 'answered with an error in place of parcels', { cause: exceptions });
  if (type !== 'FeatureCollection' || !Array.isArray(features)) throw new TypeError('wanted a FeatureCollection');
  const parcels = features.slice(0, most).flatMap((feature: unknown, i) => {
    const parcel = readFeature(feature, idField, i);
    return parcel === null ? [] : [parcel];
  });
  for (const { polygons } of parcels)
    if (!touches(boxOf(polygons), window))
      throw new ByteSourceError('refused', name, 'answered with parcels of another place');
  const matched = [numberMatched, totalFeatures].find((value) => typeof value === 'number') ?? features.length;
  return { parcels, isCut: features.length > most || Number(matched) > features.length };
}

/** Null for a feature without area; throws for what is no feature. */
function readFeature(value: unknown, idField: string, index: number): Parcel | null {
  const { type, id, geometry, properties } = value as Readonly<Record<string, unknown>>;
  if (type !== 'Feature') throw new TypeError('wanted a Feature');
  if (geometry === null) return null;
  const { polygons, ...rest } = parcelPolygons(geometry);
  if (polygons === null) {
    if (isArea(geometry)) throw new TypeError('fault' in rest ? rest.fault : 'wanted a polygon');
    return null;
  }
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw new TypeError('wanted properties');
  const attributes = properties as Readonly<Record<string, unknown>>;
  const own = parcelId(attributes[idField]) ?? parcelId(id) ?? `feature ${index + 1}`;
  return { id: own, polygons, attributes: jsonAttributes(attributes) };
}

function isArea(geometry: unknown): boolean {
  return String((geometry as { type?: unknown } | undefined)?.type).endsWith('Polygon');
}

function touches(box: Bbox, window: Bbox): boolean {
  return (
    box[0] <= window[2] + SLACK &&
    box[2] >= window[0] - SLACK &&
    box[1] <= window[3] + SLACK &&
    box[3] >= window[1] - SLACK
  );
}
