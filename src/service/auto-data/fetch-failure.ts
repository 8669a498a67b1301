import { Problem } from '../../errors.ts';
import { ByteSourceError } from '../../readers/io/byte-error.ts';

/** Why a cell was not fetched, in words for clients: no address, which may be an operator's own. */
export class FetchFailure extends Problem {
  readonly isOffline: boolean;

  constructor(reason: string, isOffline: boolean, options?: ErrorOptions) {
    super('dependency_unavailable', reason, options);
    this.isOffline = isOffline;
  }
}

/** What an error of fetching is for a client. */
export function fetchFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    if (!(one instanceof ByteSourceError)) continue;
    return one.kind === 'offline'
      ? new FetchFailure('map data of this place cannot be fetched: this machine has no network', true, {
          cause: error,
        })
      : new FetchFailure(
          'map data of this place cannot be fetched (Overture): its server does not answer as it should',
          false,
          { cause: error },
        );
  }
  const reason =
    (error as Error | null)?.name === 'TimeoutError'
      ? 'it took too long'
      : 'the release is laid out in another way than expected';
  return new FetchFailure(`map data of this place cannot be fetched (Overture): ${reason}`, false, { cause: error });
}
