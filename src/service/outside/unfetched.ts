import { Problem } from '../../errors.ts';

/** What is not here yet: it is being fetched, or could not be. Whoever fetches it has logged why; it is not logged for each question. */
export class Unfetched extends Problem {
  constructor(
    what: string,
    why: 'is being fetched' | 'could not be fetched',
    rest: string,
    options: ErrorOptions = {},
  ) {
    super('dependency_unavailable', `${what} ${why}${rest}`, options);
  }
}
