import type { Actor } from '../../auth/audit-log.ts';
import type { ReviewEntry, ReviewState } from '../../collections/review.ts';
import type { ReviewPage, ReviewService } from '../../service/reviews/reviews.ts';

/** What the command line does with reviews. Methods throw `Problem('not_found')`. */
export interface ReviewAdmin {
  addReview(request: {
    readonly userId: string;
    readonly id: string;
    readonly rows: readonly number[];
    readonly state: ReviewState;
    readonly note: string;
    readonly actor: Actor;
  }): Promise<{ readonly at: Date; readonly by: string }>;
  listReviews(request: {
    readonly userId: string;
    readonly id: string;
    readonly state: ReviewState | null;
    readonly limit: number;
    readonly after: number | null;
  }): Promise<ReviewPage>;
  reviewHistory(request: {
    readonly userId: string;
    readonly id: string;
    readonly row: number;
  }): Promise<readonly ReviewEntry[]>;
}

export function createReviewAdmin(reviews: ReviewService): ReviewAdmin {
  return {
    addReview: ({ userId, id, ...request }) => reviews.record(userId, id, request),
    listReviews: ({ userId, id, state, limit, after }) =>
      reviews.list(userId, id, { limit, after, ...(state !== null && { state }) }),
    reviewHistory: async ({ userId, id, row }) => (await reviews.history(userId, id, row)).entries,
  };
}
