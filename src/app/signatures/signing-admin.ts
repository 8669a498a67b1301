import { packageVersion } from '../../config/package-version.ts';
import { publicAddress } from '../../config/public-address.ts';
import type { Config } from '../../config/settings.ts';
import { createSigningKeyStore } from '../../db/signatures/signing-keys.ts';
import { createLog } from '../../log.ts';
import { openConfiguredStore } from '../../service/open-configured-store.ts';
import { createSignatures } from '../../service/signatures/signatures.ts';
import { openSecretKeys } from '../../service/webhooks/keys.ts';
import { connectRunning } from '../control.ts';
import { createSigningAdmin, type SigningAdmin } from './signing-control.ts';

interface OpenedSigning extends AsyncDisposable {
  readonly signing: SigningAdmin;
}

/** Through the service that holds the embedded database open when one runs, otherwise in the database itself. */
export async function openSigningAdmin(config: Config): Promise<OpenedSigning> {
  const running = await connectRunning(config);
  if (running !== null) return { signing: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  const log = createLog({ level: 'warn', json: false });
  const store = await openConfiguredStore(config, log);
  const signatures = createSignatures({
    store: createSigningKeyStore(store),
    keys: openSecretKeys(config),
    config,
    version: packageVersion(),
    address: () => publicAddress(config),
    log,
  });
  return { signing: createSigningAdmin(signatures), [Symbol.asyncDispose]: () => store.close() };
}
