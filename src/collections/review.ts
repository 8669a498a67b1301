/**
 * `open`: nobody has decided yet, or a decision was taken back. The others are decisions of people: nothing of the service reads
 * them, and no verdict and no score depends on them.
 */
export const REVIEW_STATES = ['open', 'reviewed', 'accepted', 'rejected'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** What a person decided of one location of a collection, or of one rated place of a task. */
export interface Review {
  readonly state: ReviewState;
  /** Empty where none was given. */
  readonly note: string;
  /** Email of the local user who decided, otherwise the id of the user; `name@machine` of whoever ran a command. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The same with the row that it is about: its place in the file, from 0. */
export interface RowReview extends Review {
  readonly number: number;
}

/** An entry of the history of a row. */
export interface ReviewEntry extends Review {
  /** What proved who it was, such as `token:<id>`. */
  readonly credential: string;
}

/** What reviews are about. */
export interface ReviewSubject {
  readonly id: string;
  readonly kind: 'collection' | 'task';
  /** Of a task. */
  readonly taskKind: string | null;
  /** When a collection was processed last; null for a task, whose results never change. */
  readonly completedAt: Date | null;
  /** Rows there are: numbers from 0 to below it can be reviewed. Null where there are no results yet. */
  readonly rows: number | null;
}

/** Characters of a note. */
export const MAX_NOTE = 2_000;
/** Rows that one entry may be about. */
export const MAX_REVIEWED_ROWS = 10_000;
/** Entries of one row. */
export const MAX_ROW_REVIEWS = 100;

/** Whether a review was made before its collection was processed last: it is about what was found then. */
export function isOfEarlierRun({ at }: Pick<Review, 'at'>, completedAt: Date | null): boolean {
  return completedAt !== null && Date.parse(at) < completedAt.getTime();
}
