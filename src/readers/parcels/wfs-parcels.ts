import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import type { ParcelSource } from '../../parcels/parcel.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { liveAnswer } from '../live/live-answer.ts';
import type { Upstream } from '../live/upstream.ts';
import { footprintHolds } from './footprint-holds.ts';
import { MOST_WFS_PARCELS } from './parcel-file-limits.ts';
import { parcelOptions } from './parcel-options.ts';
import { readWfs, refuseException } from './wfs-document.ts';

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
