import type { FilingScope } from '../../collections/due-diligence/exclude.ts';
import type { Collection } from '../../collections/collection.ts';
import type { ExportOptions, ExportParts, ExportSource } from '../../collections/due-diligence/export-types.ts';
import { writeExport } from '../../collections/due-diligence/write-export.ts';
import { noChoices } from '../../collections/due-diligence/filing-choices.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import { countryCode } from '../../readers/built-in/country-code.ts';
import { openDiskSpool } from './disk-spool.ts';
import type { World } from '../world/world.ts';
import { mapPixelsOf } from '../plots/map-pixels.ts';
import type { ReportFailure } from '../plots/passes.ts';
import type { PlotStatisticsConfig } from '../plots/statistics.ts';
import { packageVersion } from '../../config/package-version.ts';
import { CUT_OFF } from '../../monitoring-days.ts';

/** Writes due diligence exports. */
export interface DueDiligence {
  /** The bytes of a ZIP archive, as they come. */
  write(
    sources: readonly ExportSource[],
    options: ExportOptions,
    at: Date,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void>;
  /** The report of a batch: the export of its collection over the period of `reportPeriod`. */
  writeReport(
    collection: Collection,
    records: ExportSource['records'],
    signal: AbortSignal,
    onDigest?: ExportOptions['onDigest'],
  ): AsyncGenerator<Uint8Array, void, void>;
}

/** Joins the export to the library of geometry, the countries, the catalogue and the cadastres; without those no parcel is looked up. Pictures of the audit trail are drawn where its maps can be read. */
export function createDueDiligence(
  data: Pick<World, 'citation' | 'catalogue'>,
  config: PlotStatisticsConfig,
  { openParcels, report }: { readonly openParcels?: ExportParts['openParcels']; readonly report?: ReportFailure } = {},
): DueDiligence {
  const version = packageVersion();
  async function* write(
    sources: readonly ExportSource[],
    options: ExportOptions,
    at: Date,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    yield* writeExport(sources, options, {
      geometry: await openOverlay(),
      isCountry: (code) => countryCode(code) === code,
      cite: data.citation,
      openSpool: openDiskSpool,
      ...(openParcels === undefined ? {} : { openParcels }),
      openMapPixels: mapPixelsOf(data, config, report),
      at,
      version,
      signal,
    });
  }
  return {
    write,
    writeReport: (collection, records, signal, onDigest) => {
      const at = collection.completedAt ?? new Date();
      const period = reportPeriod({ ...collection, completedAt: at });
      return write([{ collection, records }], { period, ...(onDigest === undefined ? {} : { onDigest }) }, at, signal);
    },
  };
}

/**
 * What the report of a batch covers: from the cut-off of the regulation to the end of the batch's own period, by the law of
 * the day on which it was completed.
 */
export function reportPeriod({
  options,
  createdAt,
  completedAt,
}: Pick<Collection, 'options' | 'createdAt' | 'completedAt'>): FilingScope {
  const created = createdAt.toISOString().slice(0, 10);
  const day = completedAt?.toISOString().slice(0, 10) ?? created;
  return { start: CUT_OFF, end: options?.monitoringEnd ?? created, filing: noChoices(day) };
}
