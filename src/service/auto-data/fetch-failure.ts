import { Problem } from '../../errors.ts';
import { ByteSourceError } from '../../readers/io/byte-error.ts';
import { Unfetched } from '../outside/unfetched.ts';

/** Why a cell was not fetched, in words for clients: no address, which may be an operator's own. */
export class FetchFailure extends Unfetched {
  readonly reason: string;
  readonly isOffline: boolean;

  constructor(reason: string, isOffline: boolean, options?: ErrorOptions) {
    super('map data of this place', 'could not be fetched', ` (Overture): ${reason}`, options);
    this.reason = reason;
    this.isOffline = isOffline;
  }
}

/** What an error of fetching is for a client. */
export function fetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const options = { cause: error };
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (!(one instanceof ByteSourceError)) continue;
    return one.kind === 'offline'
      ? new FetchFailure('this machine has no network', true, options)
      : new FetchFailure('its server does not answer as it should', false, options);
  }
  if (error instanceof Problem) return new FetchFailure('the files of this service cannot be reached', false, options);
  return (error as Error | null)?.name === 'TimeoutError'
    ? new FetchFailure('it took too long', false, options)
    : new FetchFailure('the release is laid out in another way than expected', false, options);
}
