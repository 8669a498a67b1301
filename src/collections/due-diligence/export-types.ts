import type { Collection } from '../collection.ts';
import type { DatasetUse, PlotRecord } from '../plot-record.ts';
import type { PlotParcels } from './declared-place.ts';
import type { ExportScope, FilingScope } from './exclude.ts';
import type { PlotsByCountry } from './law-of-export.ts';
import type { ErrorCount, ExportCounts, PlotDoubts } from './export-counts.ts';
import type { FitPlotParts, FittedPlot } from './fit-plot.ts';
import type { PagesOf } from './page-choice.ts';
import type { MapPixelReader } from './audit/map-pixels.ts';
import type { GroupCounts } from '../plot-group.ts';
import type { Spool } from './spool.ts';

/**
 * A collection whose plots are exported. `records` is read twice, in the order of the file: all of them, then those that are drawn.
 */
export interface ExportSource {
  readonly collection: Collection;
  /** Where `isWanted` is given the others are not needed, and may be left out. */
  readonly records: (isWanted?: (number: number) => boolean) => AsyncIterable<PlotRecord>;
}

/** What came of an export in numbers, for whoever reports it. */
export interface ExportDigest {
  readonly counts: ExportCounts;
  /** Plots by `eudr_status`. */
  readonly verdicts: Readonly<Record<string, number>>;
  readonly doubts: PlotDoubts;
  /** Every location in exactly one group. */
  readonly groups: GroupCounts;
  /** Plots with each rule that is an error or a warning and was not put right. */
  readonly open: Readonly<Record<string, number>>;
  /** Names of the datasets that are made up. */
  readonly synthetic: readonly string[];
}

export interface ExportOptions {
  readonly period: ExportScope;
  /** Plots that are drawn in the audit trail; those that need to be looked at come first. Default 2,000. */
  readonly plotPages?: number;
  /** Given what came of it before its last file is written. */
  readonly onDigest?: (digest: ExportDigest) => void;
}

/** How a dataset is cited. */
interface Citation {
  readonly licence: string;
  readonly attribution: string;
}

/** What the export needs of the rest of the service. */
export interface ExportParts extends FitPlotParts {
  readonly cite: (dataset: string, version: string) => Citation | null;
  readonly openSpool: () => Promise<Spool>;
  /** Opens the cadastres for declarations by identifier; absent: none can be looked up. */
  readonly openParcels?: () => Promise<PlotParcels & AsyncDisposable>;
  /** Opens the maps that plots were measured on, for the pictures of the audit trail; absent: none are drawn. */
  readonly openMapPixels?: () => MapPixelReader;
  /** When the export is made: the time of every file in it, so that the same input gives the same bytes. */
  readonly at: Date;
  /** The version of the service. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/** A file of the export as its checksum describes it. */
export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Holds a location to the rules of the export. Called again, for the audit trail, it gives the same. */
export type Fit = (record: PlotRecord, collection: Collection) => Promise<FittedPlot>;

/** What the first reading of the plots found, for the files that are written after it. */
export interface ExportSummary {
  readonly sources: readonly ExportSource[];
  readonly period: FilingScope;
  readonly fit: Fit;
  readonly verdicts: ExportDigest['verdicts'];
  /** Plots by the verdict of all layers. */
  readonly convergences: Readonly<Record<string, number>>;
  readonly doubts: PlotDoubts;
  /** Every location in exactly one group. */
  readonly groups: GroupCounts;
  readonly open: ExportDigest['open'];
  readonly counts: ExportCounts;
  /** By id of the collection. */
  readonly countsOf: ReadonlyMap<string, ExportCounts>;
  readonly errors: readonly ErrorCount[];
  readonly datasets: readonly DatasetUse[];
  /** Exported plots. */
  readonly plotsByCountry: PlotsByCountry;
  /** Of exported plots; null where one is not known. */
  readonly commodities: readonly (string | null)[];
  /** GeoJSON files and statements, as far as they are written. */
  readonly files: readonly WrittenFile[];
  /** The plots that are drawn and the room each needs. */
  readonly pages: PagesOf;
}

/** Plots that are drawn in the audit trail, unless the options say otherwise. */
export const DEFAULT_PLOT_PAGES = 2_000;
