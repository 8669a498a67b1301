import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import type { Parcel, ParcelSource } from '../../parcels/parcel.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { liveAnswer } from '../live/live-answer.ts';
import type { Upstream } from '../live/upstream.ts';
import { footprintHolds } from './parcel-footprint.ts';
import { MOST_WFS_PARCELS, parcelOptions } from './parcel-options.ts';
import { type Bbox, boxOf } from '../../geo/shapes/shape.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { jsonAttributes, parcelId } from './parcel-attributes.ts';
import { parcelPolygons } from './parcel-polygons.ts';

interface WfsOptions {
  readonly upstream: Upstream;
  /** Address of the WFS, which may have a query of its own. */
  readonly url: string;
}

/** Half the side of the requested box: what holds the point itself is decided here, exactly. */
const HALF = { metres: 0.5, degrees: 5e-6 } as const;

/** Parcels of a live WFS: a GeoJSON GetFeature of a box of a metre around the point. Throws for options it cannot use. */
export function wfsParcels(dataset: Dataset, { upstream, url }: WfsOptions): ParcelSource {
  const { id, version, synthetic, coverage } = dataset;
  const { jurisdiction, idField, typeName, crs: crsName } = parcelOptions(dataset);
  const crs = findCrs(crsName);
  if ('refused' in crs) throw new Error(`${id}: options.crs: ${crs.refused}`);
  const boxAt = boxesOf(crs);
  return {
    dataset: { id, version, synthetic },
    jurisdiction,
    covers: footprintHolds(coverage),
    async near(lon, lat, signal) {
      const address = new URL(url);
      const query = { ...QUERY, typeNames: typeName, sortBy: idField, count: String(MOST_WFS_PARCELS + 1) };
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
      address.searchParams.set('bbox', `${boxAt(lon, lat).join(',')},EPSG:${crs.code}`);
      const d = HALF.degrees;
      const answer = await upstream.query(
        {
          method: 'GET',
          url: address.href,
          key: `${id} ${typeName} ${lon} ${lat}`,
          refuse: (text) => refuseException(upstream.name, text),
          read: (body) => readWfs(upstream.name, body, [lon - d, lat - d, lon + d, lat + d], idField, MOST_WFS_PARCELS),
        },
        signal,
      );
      const { dataset: answered } = liveAnswer(id, answer, null);
      return {
        ...answer.value,
        version: answered.version,
        ...(answered.retrievedAt === undefined ? {} : { retrievedAt: answered.retrievedAt }),
        ...(answered.note === undefined ? {} : { note: answered.note }),
      };
    },
  };
}

const QUERY = {
  service: 'WFS',
  version: '2.0.0',
  request: 'GetFeature',
  outputFormat: 'application/json',
  srsName: 'EPSG:4326',
} as const;

/** The box around a point in the CRS of the queries to the service, x before y. */
function boxesOf(crs: Parameters<typeof openProjection>[0]) {
  const half = crs.definition.includes('+proj=longlat') ? HALF.degrees : HALF.metres;
  const projection = crs.code === 4326 ? null : openProjection(crs);
  const out = new Float64Array(2);
  return (lon: number, lat: number): readonly number[] => {
    if (projection === null) out.set([lon, lat]);
    else projection.toXY(lon, lat, out, 0);
    const [x, y] = out;
    return [x - half, y - half, x + half, y + half];
  };
}

interface WfsParcels {
  readonly parcels: readonly Parcel[];
  /** Whether the server has more than it sent. */
  readonly isCut: boolean;
}

/** Degrees by which a parcel may miss the requested box: rounding of the server and of the projection. */
const SLACK = 1e-4;

/** An error that a WFS sends with status 200, as XML; for what is read before JSON is. */
function refuseException(name: string, text: string): void {
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
function readWfs(name: string, body: unknown, window: Bbox, idField: string, most: number): WfsParcels {
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
