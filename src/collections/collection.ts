import type { GroupCounts } from './plot-group.ts';
import type { LocationsConfidence, PlotRecord } from './plot-record.ts';
import type { TableMapping } from './table-mapping.ts';

/**
 * `staged`: the file is kept, nothing was read of it but its first part. `processing`: a task works on it. `completed`,
 * `failed` and `cancelled` are what became of the last task.
 */
export const COLLECTION_STATUSES = ['staged', 'processing', 'completed', 'failed', 'cancelled'] as const;
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number];

/** What the batch was requested to do. */
export interface BatchOptions {
  /** Canonical commodity, or the client's own word, or null. */
  readonly cropType: string | null;
  readonly statistics: boolean;
  readonly validateLocations: boolean;
  /** Send the due diligence report by email. */
  readonly eudrDds: boolean;
  /** `YYYY-MM-DD`. */
  readonly monitoringStart: string;
  readonly monitoringEnd: string;
}

export interface CollectionCounts {
  readonly locations: number;
  readonly plots: number;
  readonly facilities: number;
  /** Plots of which it is known whether forest was lost on them, at least in part. */
  readonly measured: number;
  /** Locations with a `problem`. */
  readonly problems: number;
  /** Every location in one group, as the report of the batch has it. Absent or null in collections of versions that did not look. */
  readonly groups?: GroupCounts | null;
}

/** Batches of a collection whose locations are kept, the last one among them. */
export const MAX_RUNS = 10;

/** A batch that was completed, and whose locations are kept. */
export interface BatchRun {
  /** Of the task that was the batch. */
  readonly id: string;
  readonly options: BatchOptions;
  readonly counts: CollectionCounts;
  readonly completedAt: Date;
}

/** A file of locations and what became of it. Belongs to its user. */
export interface Collection {
  /** A UUID: `filename` of the fetch endpoints. */
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string;
  readonly status: CollectionStatus;
  /** The uploaded file: its name, its bytes, and their SHA-256 in hex. */
  readonly file: { readonly name: string; readonly size: number; readonly sha256: string };
  /** What its columns were taken for: when it was staged, then by its last completed batch. Null in collections of earlier releases. */
  readonly mapping: readonly TableMapping[] | null;
  /** Null until a batch was requested. */
  readonly options: BatchOptions | null;
  /** Null until the batch is completed. */
  readonly counts: CollectionCounts | null;
  /** Of the whole collection; null where validation was not requested or is not done. */
  readonly locationsConfidence: LocationsConfidence | null;
  /** How many locations have each confidence; null like it. */
  readonly confidenceCounts: Readonly<Partial<Record<LocationsConfidence, number>>> | null;
  /** Why it is so, the most common reason first; null like it. */
  readonly confidenceReasons: readonly string[] | null;
  /** Why the last task failed; null otherwise. */
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** The last task; null before the first. */
  readonly taskId: string | null;
  /** Entries of reviews of its locations, which is the number of the newest; those after it are not read with `records`. */
  readonly reviews: number;
  /** The batches that can be compared, the newest first, up to `MAX_RUNS`. */
  readonly runs: readonly BatchRun[];
  readonly createdAt: Date;
  readonly completedAt: Date | null;
}

/** The collections of users, to read. Another user's collection is unknown. */
export interface CollectionReader {
  get(userId: string, id: string): Promise<Collection | null>;
  /** Newest first; `before` is the id of the last collection of the page before. @throws Problem when that is gone. */
  list(userId: string, page: { limit: number; before?: string }): Promise<readonly Collection[]>;
  /**
   * The locations of a completed collection in the order of the file, in memory that does not grow with their number; those
   * from the place `from` on (default 0, the first), without reading those before it. @throws Problem when it is deleted or processed again meanwhile.
   */
  records(collection: Collection, from?: number): AsyncIterable<PlotRecord>;
  /** The same as they are stored, part by part. */
  parts(collection: Collection): AsyncIterable<Uint8Array>;
}
