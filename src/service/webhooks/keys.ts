import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import type { SigningKeyStore } from '../../db/signatures/signing-keys.ts';
import type { TracesCredentialStore } from '../../db/traces/credentials.ts';
import type { WebhookStore } from '../../db/webhooks/open-webhook-store.ts';
import {
  createKeyRing,
  createSealingKey,
  readSealingKeys,
  type KeyRing,
  type SealingKey,
} from '../../webhooks/key-ring.ts';

const KEY_FILE = 'secrets.key';

/** The keys of a process that webhook secrets and credentials are sealed with. */
export interface SecretKeys {
  /** Null where secrets cannot be sealed; it follows `renew`. */
  readonly ring: KeyRing | null;
  /** Where the keys are from, for people. */
  readonly source: string;
  /**
   * Makes a new key that seals from now on and keeps the previous one next to it; its owner sees to it that no other is in
   * use. Null where the keys are given by the settings.
   */
  readonly renew: (() => void) | null;
}

/**
 * The keys from `SECRETS_KEY`, or with the embedded database from a key file that the first start makes (mode 600). No
 * ring with a database server and no `SECRETS_KEY`: processes on other machines could not read what one of them sealed.
 */
export function openSecretKeys(config: Pick<Config, 'secretsKey' | 'databaseUrl' | 'dataDir'>): SecretKeys {
  if (config.secretsKey !== null) return { ring: createKeyRing(config.secretsKey), source: 'SECRETS_KEY', renew: null };
  if (config.databaseUrl !== null) return { ring: null, source: 'SECRETS_KEY', renew: null };
  const path = keyFile(config);
  if (!existsSync(path)) writeKeyFile(config, [createSealingKey()]);
  let ring = createKeyRing(readKeyFile(path));
  return {
    source: path,
    renew() {
      writeKeyFile(config, [createSealingKey(), ...readKeyFile(path).slice(0, 1)]);
      ring = createKeyRing(readKeyFile(path));
    },
    ring: {
      get first() {
        return ring.first;
      },
      get ids() {
        return ring.ids;
      },
      seal: (secret, owner) => ring.seal(secret, owner),
      open: (sealed, owner) => ring.open(sealed, owner),
      isCurrent: (sealed) => ring.isCurrent(sealed),
      knows: (sealed) => ring.knows(sealed),
    },
  };
}

/** The keys of the key file. */
function readKeyFile(path: string): readonly SealingKey[] {
  try {
    return readSealingKeys(readFileSync(path, 'utf8').trim().split('\n').join(','));
  } catch (error) {
    throw new ConfigError(`the key file ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function keyFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, KEY_FILE);
}

/** Replaces the key file as a whole, readable by its owner alone and on the disk before it takes its place. */
function writeKeyFile(config: Pick<Config, 'dataDir'>, keys: readonly SealingKey[]): void {
  const path = keyFile(config);
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(file, keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}\n`).join(''));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncFolder(config.dataDir);
}

/** So that the new name survives a power failure; Windows cannot and need not. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Stops a start that would fail every delivery: secrets are there and their key is not. */
export async function checkKeys(
  webhooks: Pick<WebhookStore, 'reseal'>,
  credentials: Pick<TracesCredentialStore, 'all'>,
  signingKeys: Pick<SigningKeyStore, 'inUse'>,
  { ring, source }: SecretKeys,
): Promise<void> {
  for (const { sealed } of await credentials.all()) check(sealed, 'credentials for the EU information system');
  const signingKey = await signingKeys.inUse();
  if (signingKey !== null) check(signingKey.sealed, 'the signing key');
  await webhooks.reseal(({ sealed }) => check(sealed, 'secrets of webhooks'));

  function check(sealed: string, what: string): string {
    if (ring?.knows(sealed) === true) return sealed;
    const id = sealed.slice(0, sealed.indexOf('.'));
    const got = ring === null ? 'no key' : `the keys ${ring.ids.join(', ')}`;
    throw new ConfigError(
      `${source}: wanted the key ${id} too, which ${what} in the database ${what.startsWith('the ') ? 'is' : 'are'} sealed with, got ${got}; put it back, or give those up with firstmile secrets rotate --remove-unreadable`,
    );
  }
}

/** The keys, or the `Problem` of a service that has none. */
export function wantKeys(keyRing: KeyRing | null, what = 'Webhooks', theirs = 'secrets'): KeyRing {
  if (keyRing !== null) return keyRing;
  throw new Problem(
    'dependency_unavailable',
    `${what} cannot be used: with DATABASE_URL the operator has to set SECRETS_KEY, which their ${theirs} are sealed with.`,
  );
}
