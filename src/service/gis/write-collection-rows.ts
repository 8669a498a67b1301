import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_MONITORING_START } from '../../monitoring-days.ts';
import type { Collection } from '../../collections/collection.ts';
import { deforestationView } from '../../collections/fetch/deforestation-view.ts';
import { plotsView } from '../../collections/fetch/plots-view.ts';
import { featureOf, type View } from '../../collections/fetch/view.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import type { MonitoringPeriod } from '../../collections/statistics/monitoring-period.ts';
import { facilityView } from '../../collections/supply-shed/facility-view.ts';
import { unpackRecords } from '../../db/collections/pack-records.ts';
import { mapProperties } from '../../gis/map-properties.ts';
import { storedGeometry, writeRows } from './row-file.ts';

/** A collection as it crosses to the thread that writes its rows. */
type CollectionMapping = Omit<Collection, 'createdAt' | 'completedAt'> & { readonly createdAt: string };

/** The kinds of locations that are a set each. */
export const LOCATION_SETS = ['plots', 'facilities'] as const;
export type LocationSet = (typeof LOCATION_SETS)[number];

export function rowsPath(folder: string, set: LocationSet): string {
  return join(folder, `${set}.rows`);
}

/** The period of a batch; what is staged has none yet. */
export function monitoringPeriodOf({
  options,
  createdAt,
}: Pick<Collection, 'options'> & { readonly createdAt: string }): MonitoringPeriod {
  return {
    start: options?.monitoringStart ?? DEFAULT_MONITORING_START,
    end: options?.monitoringEnd ?? createdAt.slice(0, 10),
  };
}

/**
 * Writes the plots and the facilities of a collection as rows into a folder, in the order of its file.
 *
 * @param path parts as they are stored, each with its length in front.
 */
export async function writeCollectionRows(
  { path, folder, mapping }: { readonly path: string; readonly folder: string; readonly mapping: CollectionMapping },
  signal: AbortSignal,
): Promise<void> {
  const collection: Collection = { ...mapping, createdAt: new Date(mapping.createdAt), completedAt: null };
  const period = monitoringPeriodOf(mapping);
  const isLookedAt = collection.options?.statistics === true || collection.locationsConfidence !== null;
  const views = { plots: isLookedAt ? deforestationView : plotsView, facilities: facilityView } satisfies Record<
    LocationSet,
    View
  >;
  const writers = {
    plots: writeRows(rowsPath(folder, 'plots')),
    facilities: writeRows(rowsPath(folder, 'facilities')),
  };
  for await (const record of recordsOf(path)) {
    signal.throwIfAborted();
    const set = record.locationType === 'plot' ? 'plots' : 'facilities';
    const { id, geometry, properties } = featureOf(record, collection, views[set], period);
    await writers[set].add({
      geometry: storedGeometry(geometry),
      properties: { ...(id === undefined ? {} : { feature_id: String(id) }), ...mapProperties(properties) },
    });
  }
  await Promise.all(LOCATION_SETS.map((set) => writers[set].finish()));
}

/** A part's length in front of it: a number of four bytes. */
const LENGTH_BYTES = 4;

/** A part with its length in front. */
export function framed(part: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES + part.length);
  new DataView(bytes.buffer).setUint32(0, part.length);
  bytes.set(part, LENGTH_BYTES);
  return bytes;
}

async function* recordsOf(path: string): AsyncGenerator<PlotRecord, void> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) {
    left = left.length === 0 ? (chunk as Buffer) : Buffer.concat([left, chunk as Buffer]);
    while (left.length >= LENGTH_BYTES && left.length >= LENGTH_BYTES + left.readUInt32BE(0)) {
      const end = LENGTH_BYTES + left.readUInt32BE(0);
      yield* await unpackRecords(left.subarray(LENGTH_BYTES, end));
      left = left.subarray(end);
    }
  }
}
