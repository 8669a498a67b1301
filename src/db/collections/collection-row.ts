import type { Selectable } from 'kysely';
import type { Collection } from '../../collections/collection.ts';
import type { Database } from '../database.ts';

type CollectionRow = Selectable<Database['collections']>;

/** The collection as its owner sees it. */
export function collectionFromRow(row: CollectionRow): Collection {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    description: row.description,
    status: row.status,
    file: { name: row.file_name, size: row.file_size, sha256: row.file_sha256 },
    mapping: row.mapping,
    options: row.options,
    counts: row.counts,
    locationsConfidence: row.confidence,
    confidenceCounts: row.confidence_counts,
    confidenceReasons: row.confidence_reasons,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    taskId: row.task_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}
