import type { CommandEntry } from '../command.ts';

/** What people decide of rows. */
export const REVIEW_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'reviews list',
    summary: 'Lists the newest review of each row of a collection or of rated places, or every review of one row.',
    load: async () => (await import('./reviews.ts')).reviewsList,
  },
  {
    name: 'reviews add',
    summary: 'Records what you decided about some rows, with a note; earlier reviews stay, and no verdict changes.',
    load: async () => (await import('./reviews.ts')).reviewsAdd,
  },
];
