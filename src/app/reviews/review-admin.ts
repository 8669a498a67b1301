import type { Config } from '../../config/settings.ts';
import { createReviewStore } from '../../db/reviews/create-reviews.ts';
import { createLog } from '../../log.ts';
import { openConfiguredStore } from '../../service/open-configured-store.ts';
import { createReviewService } from '../../service/reviews/reviews.ts';
import { connectRunning } from '../control.ts';
import { createReviewAdmin, type ReviewAdmin } from './review-control.ts';

interface OpenedReviewAdmin extends AsyncDisposable {
  readonly reviews: ReviewAdmin;
}

/** Through the service that holds the embedded database open when one runs, otherwise in the database itself. */
export async function openReviewAdmin(config: Config): Promise<OpenedReviewAdmin> {
  const running = await connectRunning(config);
  if (running !== null) return { reviews: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  const reviews = createReviewAdmin(createReviewService(createReviewStore(store)));
  return { reviews, [Symbol.asyncDispose]: () => store.close() };
}
