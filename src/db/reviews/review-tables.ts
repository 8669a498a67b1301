import type { ColumnType } from 'kysely';
import type { ReviewState } from '../../collections/review.ts';

/** The tables of reviews: rows are added and go with what they are about. */
export interface ReviewTables {
  readonly reviews: ReviewsTable;
  readonly review_rows: ReviewRowsTable;
}

interface ReviewsTable {
  id: string;
  /** What it is about: one of these two. */
  collection_id: string | null;
  task_id: string | null;
  /** Number among the entries of the same collection or task, from 1. */
  seq: number;
  state: ReviewState;
  note: string;
  user_id: string;
  made_by: string;
  credential: string;
  at: ColumnType<Date, never, never>;
}

interface ReviewRowsTable {
  /** The collection or the task. */
  subject: string;
  /** Place of the row, from 0. */
  number: number;
  /** That of its review. */
  seq: number;
  review_id: string;
}
