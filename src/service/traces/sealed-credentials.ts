import type { TracesCredentialStore } from '../../db/traces/credentials.ts';
import type { NewAct } from '../../auth/audit-log.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import type { TracesCredentials } from '../../traces/messages/security-header.ts';
import type { KeyRing } from '../../webhooks/key-ring.ts';
import { wantKeys } from '../webhooks/keys.ts';

/** Credentials of users, sealed while they are kept. */
export interface CredentialVault {
  put(userId: string, environment: TracesEnvironment, credentials: TracesCredentials, act?: NewAct): Promise<void>;
  /** Null where there are none. */
  open(userId: string, environment: TracesEnvironment): Promise<TracesCredentials | null>;
}

/** Seals every field, the user name too, for one user and environment. */
export function createCredentialVault(store: TracesCredentialStore, ring: () => KeyRing | null): CredentialVault {
  const keys = (): KeyRing => wantKeys(ring(), 'Filing', 'credentials');
  return {
    put: (userId, environment, credentials, act) =>
      store.put(
        {
          userId,
          environment,
          sealed: keys().seal(JSON.stringify(credentials), { userId, tracesEnvironment: environment }),
        },
        act,
      ),
    async open(userId, environment) {
      const sealed = await store.get(userId, environment);
      if (sealed === null) return null;
      return JSON.parse(keys().open(sealed, { userId, tracesEnvironment: environment })) as TracesCredentials;
    },
  };
}
