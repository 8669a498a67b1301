import type { Config } from '../config/settings.ts';
import { createEmailBox } from '../db/email/create-email-box.ts';
import type { EmailBox } from '../email/email-queue.ts';
import { createLog } from '../log.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { connectRunning } from './control.ts';

interface OpenedEmails extends AsyncDisposable {
  readonly emails: EmailBox;
}

/**
 * The outbox for the command line: through the service that holds the embedded database open when one runs, otherwise
 * from the database itself.
 */
export async function openEmails(config: Config): Promise<OpenedEmails> {
  const running = await connectRunning(config);
  if (running !== null) return { emails: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const store = await openConfiguredStore(config, createLog({ level: 'warn', json: false }));
  return { emails: createEmailBox(store.db), [Symbol.asyncDispose]: () => store.close() };
}
