import type { ColumnType, Generated } from 'kysely';
import type { BatchOptions, CollectionCounts, CollectionStatus } from '../../collections/collection.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { LocationsConfidence } from '../../collections/plot-record.ts';
import type { ErrorCode } from '../../errors.ts';

/** The tables of collections. */
export interface CollectionTables {
  readonly collections: CollectionsTable;
  readonly collection_parts: CollectionPartsTable;
}

/** Written as text, read as what it says. */
type Json<T> = ColumnType<T, string, string>;
type OptionalJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface StoredEarlierRun {
  readonly run: string;
  readonly options: BatchOptions;
  readonly counts: CollectionCounts;
  /** ISO 8601. */
  readonly completedAt: string;
}

interface CollectionsTable {
  id: string;
  user_id: string;
  name: string;
  description: string;
  status: CollectionStatus;
  file_name: string;
  file_size: number;
  file_sha256: string;
  /** The blob of the uploaded file. */
  file_blob: string;
  /** How the file is read, as the service that reads it says. */
  reading: Json<unknown>;
  /** Null for collections of before there was one, until their next batch. */
  mapping: OptionalJson<readonly TableMapping[]>;
  options: OptionalJson<BatchOptions>;
  counts: OptionalJson<CollectionCounts>;
  confidence: LocationsConfidence | null;
  confidence_counts: OptionalJson<Partial<Record<LocationsConfidence, number>>>;
  confidence_reasons: OptionalJson<readonly string[]>;
  /** Why the last task failed. */
  error_code: ErrorCode | null;
  error_detail: string | null;
  task_id: string | null;
  /** The run whose parts are shown: the last task that completed a batch. */
  run: string | null;
  /** The runs before it whose parts are kept to be compared, the newest first. */
  earlier_runs: ColumnType<readonly StoredEarlierRun[], string | undefined, string>;
  /** The due diligence report that was sent by email. */
  report_blob: string | null;
  /** Entries of reviews of its locations. */
  reviews: Generated<number>;
  idempotency_key: string | null;
  fingerprint: Uint8Array | null;
  created_at: ColumnType<Date, never, never>;
  completed_at: Date | null;
}

interface CollectionPartsTable {
  collection_id: string;
  /** The task that wrote it. */
  run: string;
  seq: number;
  /** `number` of its first record. */
  first_number: number;
  count: number;
  /** What the records of the part add to the counts of the batch. */
  summary: Json<unknown>;
  /** Records as `packRecords` writes them. */
  bytes: ColumnType<Uint8Array, Uint8Array, Uint8Array>;
}
