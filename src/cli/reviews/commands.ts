import type { CommandEntry } from '../command.ts';

/** What people decide of rows. */
export const REVIEW_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'reviews list',
    summary: 'Lists what people decided of the locations of a collection or of rated places, or all of it of one row.',
    load: async () => (await import('./reviews.ts')).reviewsList,
  },
  {
    name: 'reviews add',
    summary: 'Records what you decided of some rows, with a note; earlier reviews stay, and no verdict changes.',
    load: async () => (await import('./reviews.ts')).reviewsAdd,
  },
];
