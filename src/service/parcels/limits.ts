import type { Config } from '../../config/settings.ts';
import { MAX_GEOJSON_BYTES, MOST_WFS_PARCELS } from '../../readers/parcels/parcel-file-limits.ts';
import { KEPT_DAYS } from '../world/live-sources.ts';

/** Most features of one request. */
export const MAX_PARCEL_FEATURES = 100;
/** Points of one request that are looked up at the same time. */
export const PARCELS_IN_FLIGHT = 8;
/** Part of the deadline of a search that one service may take, so that another dataset has time after it. */
export const PARCEL_SERVICE_SHARE = 0.8;
/** Requests of a process to one service at the same time: they are public, and small. */
export const PARCEL_SERVICE_AT_ONCE = 4;
/** Longest answer of a service, in bytes. */
export const PARCEL_ANSWER_BYTES = 8_388_608;

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

/** The limits of parcel searches. */
export function parcelLimits({ parcelTimeoutMs }: Pick<Config, 'parcelTimeoutMs'>): readonly Limit[] {
  const row = (name: string, value: number, unit: string, description: string): Limit => ({
    name,
    value,
    unit,
    description,
  });
  return [
    row('parcel_features', MAX_PARCEL_FEATURES, 'features', 'Features of one parcel search request.'),
    row('parcels_in_flight', PARCELS_IN_FLIGHT, 'points', 'Points of one request that are looked up at a time.'),
    row('parcel_timeout_ms', parcelTimeoutMs, 'ms', 'Deadline of the parcel search of one point.'),
    row(
      'parcel_service_timeout_ms',
      Math.round(parcelTimeoutMs * PARCEL_SERVICE_SHARE),
      'ms',
      'Deadline of a question to a live parcel service.',
    ),
    row(
      'parcel_service_at_once',
      PARCEL_SERVICE_AT_ONCE,
      'requests',
      'Requests of a process to one parcel service at a time.',
    ),
    row('parcel_service_parcels', MOST_WFS_PARCELS, 'parcels', 'Parcels that are read of one answer of a service.'),
    row('parcel_service_bytes', PARCEL_ANSWER_BYTES, 'bytes', 'Longest answer of a parcel service.'),
    row('parcel_service_fresh_days', KEPT_DAYS.parcels.fresh, 'days', 'Age up to which a kept answer is used.'),
    row(
      'parcel_service_stale_days',
      KEPT_DAYS.parcels.stale,
      'days',
      'Age up to which a kept answer stands in when the service fails.',
    ),
    row(
      'parcel_geojson_bytes',
      MAX_GEOJSON_BYTES,
      'bytes',
      'Largest GeoJSON file of parcels that the catalogue may name.',
    ),
  ];
}
