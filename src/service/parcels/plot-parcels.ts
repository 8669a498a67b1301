import type { PlotParcels } from '../../collections/due-diligence/declared-place.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { ParcelSourceConfig } from './sources.ts';

/**
 * Opens the cadastres for the plots of an export, those of the catalogue as it is then; their readers are loaded with the first.
 */
export function plotParcels(
  datasets: () => Promise<readonly Dataset[]>,
  config: ParcelSourceConfig,
): () => Promise<PlotParcels & AsyncDisposable> {
  return async () => {
    const { openParcelSources } = await import('./sources.ts');
    const { findParcel } = await import('../../parcels/find-parcel.ts');
    const { findCrs } = await import('../../geo/crs/find-crs.ts');
    const crs = findCrs('EPSG:4326');
    if ('refused' in crs) throw new Error(crs.refused);
    const { sources, close } = openParcelSources(await datasets(), config);
    return {
      async parcelAt(place, signal) {
        const { geometry, properties } = await findParcel(place, sources, {
          crs,
          timeoutMs: config.parcelTimeoutMs,
          signal,
        });
        const { parcel_id: id, dataset, dataset_version: version, synthetic, warnings } = properties;
        if (id !== null && geometry !== null && dataset !== null)
          return { status: 'found', id, dataset, version: version ?? '', synthetic, geometry };
        const [warning] = warnings;
        const status = warning?.code === 'source_unavailable' ? 'unknown' : 'none';
        return { status, reason: warning?.message ?? 'No parcel was found.' };
      },
      [Symbol.asyncDispose]: close,
    };
  };
}
