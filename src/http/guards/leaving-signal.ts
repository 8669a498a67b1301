import { Problem } from '../../errors.ts';
import type { AnyReply } from '../server/app.ts';

/** Aborts when the client leaves before its answer is complete. */
export function leavingSignal(reply: AnyReply): AbortSignal {
  const abort = new AbortController();
  const leave = (): void => {
    if (!reply.raw.writableFinished)
      abort.abort(new Problem('client_closed_request', 'The client closed the connection.'));
  };
  // A `close` that has passed already does not come again.
  if (reply.raw.destroyed) leave();
  else reply.raw.once('close', leave);
  return abort.signal;
}
