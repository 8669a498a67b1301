import { createReviewStore } from '../../db/reviews/create-reviews.ts';
import type { Store } from '../../db/open-store.ts';
import { reviewRoutes } from '../../http/routes/reviews/reviews.ts';
import { createReviewService } from '../../service/reviews/reviews.ts';
import { createReviewAdmin } from './review-control.ts';

/** Reviews for the routes of a service, and for its command line. */
export function openReviews(store: Pick<Store, 'db'>) {
  const service = createReviewService(createReviewStore(store));
  return { service, routes: reviewRoutes(service), admin: createReviewAdmin(service) };
}
