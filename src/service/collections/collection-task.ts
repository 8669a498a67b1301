import type { Language } from '../../messages/languages.ts';
import type { BatchOptions, Collection } from '../../collections/collection.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { ExportDigest } from '../../collections/due-diligence/export-types.ts';
import type { PartSummary } from '../../collections/batch-summary.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { LocationOptions } from '../../locations/options.ts';

/** Reads, validates and measures the locations of a collection. */
export const BATCH_TASK = 'collection_batch';
/** Validates the locations of a staged collection, to say what confidence they deserve. */
export const CHECK_TASK = 'collection_check';
export type CollectionTaskKind = typeof BATCH_TASK | typeof CHECK_TASK;

/** How the file of a collection is read and its facilities are rated. */
export interface CollectionReading {
  readonly locations: LocationOptions;
  readonly facility: FacilityOptions;
}

export interface CollectionTaskParams {
  readonly collectionId: string;
  /** As it was when the task was submitted: what a report is about. */
  readonly collection: Pick<Collection, 'id' | 'userId' | 'name' | 'description' | 'file'> & {
    /** ISO 8601. */
    readonly createdAt: string;
  };
  readonly reading: CollectionReading;
  /** An address known to be that of whoever requested it; null: that of the local user, when there is one. */
  readonly email: string | null;
  /** What emails about it are written in; absent: English. */
  readonly language?: Language;
  /** Null for a check. */
  readonly options: BatchOptions | null;
  /** The run of a watch that the batch belongs to, which reports what changed in place of the batch; absent: none. */
  readonly watchRun?: string;
}

/** What a task of a collection is submitted with. */
export function collectionTaskParams(
  { id, userId, name, description, file, createdAt }: Collection,
  rest: Pick<CollectionTaskParams, 'reading' | 'email' | 'language' | 'options' | 'watchRun'>,
): CollectionTaskParams {
  const collection = { id, userId, name, description, file, createdAt: createdAt.toISOString() };
  return { collectionId: id, collection, ...rest };
}

/** What a task of a collection returns in addition to its results. */
export interface CollectionTaskSummary extends PartSummary {
  /** Parts it has kept. */
  readonly parts: number;
  /** How it read the columns of the file. */
  readonly mapping: readonly TableMapping[];
  /** The due diligence report, when its results are one. */
  readonly report: {
    readonly size: number;
    readonly sha256: string;
    /** What came of it in numbers; null where whoever wrote it did not say. */
    readonly digest: ExportDigest | null;
  } | null;
}
