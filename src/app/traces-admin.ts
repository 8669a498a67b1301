import type { Config } from '../config/settings.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import { createLog } from '../log.ts';
import { createDueDiligence } from '../service/collections/due-diligence.ts';
import { openFiler } from '../service/traces/open-filer.ts';
import { createTracesService } from '../service/traces/traces.ts';
import { openSecretKeys } from '../service/webhooks/keys.ts';
import { connectRunning } from './control.ts';
import { openForCommand } from './collections-admin.ts';
import { createTracesAdmin, type TracesAdmin } from './traces-control.ts';

interface OpenedTraces extends AsyncDisposable {
  readonly traces: TracesAdmin;
}

/** A command that files ends when its call is answered; this long it is waited for. */
const DRAIN_MS = 130_000;

/**
 * Filing for the command line: through the service that holds the embedded database open when one runs; otherwise in the
 * database itself, and this process files what is due as long as the command runs.
 */
export async function openTracesAdmin(config: Config): Promise<OpenedTraces> {
  const running = await connectRunning(config);
  if (running !== null) return { traces: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  const { store, tasks, data } = await openForCommand(config, opened);
  const log = createLog({ level: 'warn', json: false });
  const filer = await openFiler({ store, config, keys: openSecretKeys(config), log, send: true });
  opened.defer(() => filer.close(DRAIN_MS));
  const drafts = {
    collections: createCollectionStore(store),
    tasks,
    dueDiligence: createDueDiligence(data, config),
  };
  const traces = createTracesAdmin(createTracesService({ store, config, filer, drafts }));
  const kept = opened.move();
  return { traces, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
