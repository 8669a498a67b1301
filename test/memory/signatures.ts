import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyInUse } from '../../src/db/signatures/signing-keys.ts';
import { createSignatures, type Signatures } from '../../src/service/signatures/signatures.ts';
import type { PublicSigningKey } from '../../src/signatures/signing-key.ts';
import { createKeyRing, createSealingKey } from '../../src/webhooks/key-ring.ts';

/** Signatures whose key is kept nowhere. */
export function memorySignatures(): Signatures {
  let inUse: (KeyInUse & { readonly createdAt: Date }) | null = null;
  const retired: PublicSigningKey[] = [];
  const put = async (key: KeyInUse): Promise<void> => void (inUse = { ...key, createdAt: new Date() });
  const publicOf = ({ id, x, createdAt }: NonNullable<typeof inUse>): PublicSigningKey => ({
    id,
    x,
    createdAt,
    retiredAt: null,
  });
  const store = {
    inUse: async () => inUse,
    putFirst: put,
    async replace(key: KeyInUse) {
      if (inUse !== null) retired.unshift({ ...publicOf(inUse), retiredAt: new Date() });
      await put(key);
    },
    all: async () => [...(inUse === null ? [] : [publicOf(inUse)]), ...retired],
    retire: () => Promise.reject(new Error('not in these tests')),
    reseal: () => Promise.reject(new Error('not in these tests')),
  };
  return createSignatures({
    store,
    keys: { ring: createKeyRing([createSealingKey()]), source: 'a test', renew: null },
    config: { dataDir: join(tmpdir(), `firstmile-signatures-${process.pid}`) },
    version: '0.0.0-test',
    address: () => 'http://127.0.0.1',
    log: { warn: () => {} },
  });
}
