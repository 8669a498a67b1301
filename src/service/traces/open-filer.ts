import { randomUUID } from 'node:crypto';
import type { Log } from '../../log.ts';
import { createTracesCredentialStore, type TracesCredentialStore } from '../../db/traces/credentials.ts';
import { openFilingQueue } from '../../db/traces/open-filing-queue.ts';
import type { Store } from '../../db/open-store.ts';
import { startFiler } from '../../traces/filing/start-filer.ts';
import type { SecretKeys } from '../webhooks/keys.ts';
import type { TracesSettings } from './environments.ts';
import { openTracesClients, type TracesClients } from './open-clients.ts';
import { createCredentialVault, type CredentialVault } from './sealed-credentials.ts';

interface FilerOptions {
  readonly store: Store;
  readonly config: TracesSettings;
  readonly keys: SecretKeys;
  readonly log: Log;
  /** False leaves submissions to other processes. */
  readonly send: boolean;
}

/** What files submissions in this process, and what its calls need. */
export interface OpenedFiler {
  readonly credentials: TracesCredentialStore;
  readonly vault: CredentialVault;
  readonly clients: TracesClients;
  /** Something was just recorded: look at once. */
  wake(): void;
  close(drainMs: number): Promise<void>;
}

/** A server on this machine is looked at more often than the information system. */
const POLL_MS = { service: 2_000, test: 200 } as const;

/** Opens the way to the information system and files what is due, unless others do. */
export async function openFiler({ store, config, keys, log, send }: FilerOptions): Promise<OpenedFiler> {
  const credentials = createTracesCredentialStore(store);
  const vault = createCredentialVault(credentials, () => keys.ring);
  const clients = openTracesClients(config, vault);
  const filer = send
    ? startFiler({
        queue: await openFilingQueue(store, randomUUID()),
        clientOf: ({ userId, environment }) => clients.find(userId, environment),
        log,
        pollMs: config.tracesTestUrl === null ? POLL_MS.service : POLL_MS.test,
      })
    : null;
  return {
    credentials,
    vault,
    clients,
    wake: () => filer?.wake(),
    async close(drainMs) {
      await filer?.stop(drainMs);
      await clients.close();
    },
  };
}
