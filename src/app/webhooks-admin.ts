import type { Config } from '../config/settings.ts';
import { createLog } from '../log.ts';
import { openWebhookStore } from '../db/webhooks/open-webhook-store.ts';
import { RETRY_DELAYS_S } from '../webhooks/delivery.ts';
import { connectRunning, type ControlledWebhooks } from './control.ts';
import { openConfiguredStore } from '../service/open-configured-store.ts';
import { createBatchAnnouncer } from './webhooks-announce.ts';
import { createCompletionRecorder } from '../service/webhooks/completion.ts';
import { openSecretKeys } from '../service/webhooks/keys.ts';
import { createSigningKeyStore } from '../db/signatures/signing-keys.ts';
import { createTracesCredentialStore } from '../db/traces/credentials.ts';
import { resealStep } from '../service/webhooks/reseal.ts';

export interface OpenedWebhookAdmin extends AsyncDisposable {
  readonly webhooks: ControlledWebhooks;
}

/**
 * What the command line does with webhooks: through the service that holds the embedded database open when one runs, with
 * its keys, otherwise in the database itself with the keys of these settings. Sends nothing.
 */
export async function openWebhookAdmin(config: Config): Promise<OpenedWebhookAdmin> {
  const running = await connectRunning(config);
  if (running !== null) return { webhooks: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const log = createLog({ level: 'warn', json: false });
  const store = await openConfiguredStore(config, log);
  const webhooks = await openWebhookStore(store, {
    retentionDays: config.webhookRetentionDays,
    retryDelaysS: RETRY_DELAYS_S,
  });
  const keys = openSecretKeys(config);
  const recordCompletion = createCompletionRecorder({ webhooks, log, clock: () => new Date(), onDelivery: () => {} });
  return {
    webhooks: {
      resealSecrets: (step) =>
        resealStep(
          webhooks,
          { credentials: createTracesCredentialStore(store), signingKeys: createSigningKeyStore(store) },
          keys,
          step,
        ),
      ...createBatchAnnouncer(store, config, { recordCompletion }),
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
