import type { Answer } from '../../../api/client.ts';

/** One filing of one statement, as the service shows it. */
export type Submission = Answer<'getSubmission'>;
