import type { Actor } from '../../auth/audit-log.ts';
import type { Scope } from '../../auth/scopes.ts';
import {
  MAX_ROW_REVIEWS,
  type Review,
  type ReviewEntry,
  type ReviewState,
  type ReviewSubject,
  type RowReview,
} from '../../collections/review.ts';
import type { ReviewStore } from '../../db/reviews/create-reviews.ts';
import { Problem } from '../../errors.ts';
import { FACILITY_TASK } from '../facilities/facility-task.ts';
import { VALIDATE_TASK } from '../locations/location-task.ts';

/** What a person decides of some rows. */
interface ReviewRequest {
  /** Places of the rows, from 0; each once. */
  readonly rows: readonly number[];
  readonly state: ReviewState;
  /** Empty: none. */
  readonly note: string;
  readonly actor: Actor;
}

export interface ReviewPage {
  readonly subject: ReviewSubject;
  readonly reviews: readonly RowReview[];
  /** `after` of the next page; null on the last. */
  readonly next: number | null;
  /** Of all rows, on this page or not. Those that nobody has reviewed are `open`. */
  readonly counts: Readonly<Record<ReviewState, number>>;
}

/**
 * Reviews as HTTP and the command line use them. `id` is that of a collection, or of a task that rated places. Methods throw
 * `Problem('not_found')` for what is not the user's or has no rows to review.
 */
export interface ReviewService {
  /** The scope that reading what the reviews are about needs. */
  scopeOf(userId: string, id: string): Promise<Scope>;
  /** Throws `Problem('invalid_parameter')` for a row there is not. */
  record(userId: string, id: string, request: ReviewRequest): Promise<{ readonly at: Date; readonly by: string }>;
  /** By number; rows without a review are not listed. */
  list(
    userId: string,
    id: string,
    page: { readonly state?: ReviewState; readonly limit: number; readonly after: number | null },
  ): Promise<ReviewPage>;
  /** The newest review of each row that has one, by the number of the row. */
  all(userId: string, id: string): Promise<ReadonlyMap<number, Review>>;
  /** Every review of one row, the newest first; empty where there is none. */
  history(
    userId: string,
    id: string,
    row: number,
  ): Promise<{ readonly subject: ReviewSubject; readonly entries: readonly ReviewEntry[] }>;
}

/** Reviews of one statement. */
const READ_AT_ONCE = 10_000;

const REVIEWED_TASKS: readonly string[] = [FACILITY_TASK, VALIDATE_TASK];

export function createReviewService(store: ReviewStore): ReviewService {
  async function find(userId: string, id: string): Promise<ReviewSubject & { readonly rows: number }> {
    const subject = await store.subject(userId, id);
    if (subject === null || (subject.taskKind !== null && !REVIEWED_TASKS.includes(subject.taskKind)))
      throw new Problem(
        'not_found',
        'You have no collection and no task of rated places with this id; the results of a task may have passed their retention.',
      );
    const { rows } = subject;
    if (rows === null)
      throw subject.kind === 'collection'
        ? new Problem('collection_not_ready', 'Nothing was read of the locations of this collection yet.')
        : new Problem('task_not_ready', 'The task has no results.');
    return { ...subject, rows };
  }

  return {
    scopeOf: async (userId, id) => ((await store.subject(userId, id))?.kind === 'task' ? 'validate' : 'collections'),
    async record(userId, id, { rows, state, note, actor }) {
      const subject = await find(userId, id);
      const beyond = rows.find((row) => row >= subject.rows);
      if (beyond !== undefined)
        throw new Problem(
          'invalid_parameter',
          `rows: wanted numbers from 0 to ${subject.rows - 1}, the places of the rows; got ${beyond}.`,
        );
      const added = await store.add(userId, subject, {
        numbers: [...new Set(rows)],
        state,
        note,
        actor,
        most: MAX_ROW_REVIEWS,
      });
      if (added === null) throw new Problem('not_found', 'It was deleted meanwhile.');
      return added;
    },
    async list(userId, id, { state, limit, after }) {
      const subject = await find(userId, id);
      const found = await store.list(subject, { limit: limit + 1, after, ...(state !== undefined && { state }) });
      const reviews = found.slice(0, limit);
      const { reviewed = 0, accepted = 0, rejected = 0 } = await store.counts(subject);
      return {
        subject,
        reviews,
        next: found.length > limit ? reviews.at(-1)!.number : null,
        counts: { open: subject.rows - reviewed - accepted - rejected, reviewed, accepted, rejected },
      };
    },
    async all(userId, id) {
      const subject = await find(userId, id);
      const found = new Map<number, Review>();
      for (let after: number | null = null; ;) {
        const page: readonly RowReview[] = await store.list(subject, { limit: READ_AT_ONCE, after });
        for (const { number, ...review } of page) found.set(number, review);
        if (page.length < READ_AT_ONCE) return found;
        after = page.at(-1)!.number;
      }
    },
    async history(userId, id, row) {
      const subject = await find(userId, id);
      if (row >= subject.rows) throw new Problem('not_found', `There are ${subject.rows} rows, from 0 on.`);
      return { subject, entries: await store.history(subject, row) };
    },
  };
}
