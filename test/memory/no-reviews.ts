import { Problem } from '../../src/errors.ts';
import type { ReviewService } from '../../src/service/reviews/reviews.ts';

/** Reviews of a user who has nothing to review. */
export function noReviews(): ReviewService {
  const none = async (): Promise<never> => {
    throw new Problem('not_found', 'there are none');
  };
  return { scopeOf: async () => 'collections', record: none, list: none, all: none, history: none };
}
